// A conversation on the screen over a reload, a network that drops in the middle of an answer, and a killed server: every
// message is there once, in order.
import { expect, inject, it, onTestFinished } from "vitest"
import type { Page, Request } from "playwright-core"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { startServer } from "../../../support/server/server.ts"
import { startProxy } from "../../../support/server/tcp-proxy.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const newSession = async (client: PerchClient): Promise<string> => {
  const json = { title: "Outages" }
  const { id } = (await client.json("POST", "/v1/sessions", { json, status: 201 })) as { readonly id: string }
  return id
}

const messages = (page: Page) => page.getByRole("log", { name: "Messages" })

/** The number of times that each text is on the screen, once all of them are. */
const timesShown = async (page: Page, texts: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
  for (const one of texts) await messages(page).getByText(one).first().waitFor()
  const shown = await messages(page).innerText()
  return texts.map((one) => shown.split(one).length - 1)
}

it("shows each message once after the network dropped in the middle of an answer, and after a reload", async () => {
  const client = new PerchClient(shared)
  const id = await newSession(client)
  const [held, later] = [scriptName("held"), scriptName("later")]
  await api.set(held, [{ content: [text("The first answer.")], hold: {} }])
  await api.set(later, [textAnswer("The second answer.")])
  const { page } = await openConsole({ hasOwnContext: true, at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const first = client.json("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: `${promptFor(held)} first prompt` },
    status: 200,
  })
  await messages(page).getByText("first prompt").waitFor()
  await page.context().setOffline(true)
  await api.release(`${held}#0`)
  await first
  await client.json("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: `${promptFor(later)} second prompt` },
    status: 200,
  })
  await page.context().setOffline(false)
  await messages(page).getByText("The second answer.").waitFor()
  const texts = ["first prompt", "The first answer.", "second prompt", "The second answer."]
  expect(await timesShown(page, texts)).toEqual([1, 1, 1, 1])
  await page.reload()
  await messages(page).getByText("The second answer.").waitFor()
  expect(await timesShown(page, texts)).toEqual([1, 1, 1, 1])
})

it("continues automatically when the server was killed in the middle of an answer and is back", async () => {
  const server = await startServer({ apiUrl: shared.apiUrl })
  onTestFinished(() => server.dispose())
  const client = new PerchClient(server)
  const id = await newSession(client)
  const name = scriptName("killed")
  await api.set(name, [
    { content: [text("The answer after the kill.")], hold: {} },
    textAnswer("The answer after the kill."),
  ])
  const { page } = await openConsole({ at: `#/sessions/${id}`, url: server.url, apiKey: server.key })
  await page.getByText("live", { exact: true }).waitFor()
  const headers = { prefer: "respond-async" }
  await client.json("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: `${promptFor(name)} the prompt` },
    status: 202,
    headers,
  })
  await messages(page).getByText("the prompt").waitFor()
  await server.kill9()
  await page.getByText("reconnecting…").waitFor()
  await api.release(`${name}#0`)
  await server.restart()
  await messages(page).getByText("The answer after the kill.").waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  expect(await timesShown(page, ["the prompt", "The answer after the kill."])).toEqual([1, 1])
})

it("shows what it missed, once, when it is retried after the stream was refused", async () => {
  const proxy = await startProxy(shared.url)
  onTestFinished(() => proxy.close())
  const client = new PerchClient(shared)
  const id = await newSession(client)
  const [held, later] = [scriptName("held"), scriptName("later")]
  await api.set(held, [{ content: [text("The first answer is whole.")], chunk: 12, pause: { after: 4 } }])
  await api.set(later, [textAnswer("The second answer.")])
  const { page } = await openConsole({ at: `#/sessions/${id}`, url: proxy.url })
  await page.getByText("live", { exact: true }).waitFor()
  const ask = (script: string, prompt: string) =>
    client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: `${promptFor(script)} ${prompt}` }, status: 200 })
  const first = ask(held, "first prompt")
  await messages(page).getByText("The first").waitFor()
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  await page.route("**/events/stream*", (route) => route.fulfill({ status: 403, json }))
  proxy.suspend()
  proxy.resume()
  await page.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  await api.release(`${held}#0`)
  await first
  await ask(later, "second prompt")
  await page.unroute("**/events/stream*")
  await page.getByRole("button", { name: "Try again" }).click()
  await messages(page).getByText("The second answer.").waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  const texts = ["first prompt", "The first answer is whole.", "second prompt", "The second answer."]
  expect(await timesShown(page, texts)).toEqual([1, 1, 1, 1])
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" })
})

it("a session that is opened without a network is shown when the network is back", async () => {
  const client = new PerchClient(shared)
  const name = scriptName("offline")
  await api.set(name, [textAnswer("Read later.")])
  const id = await newSession(client)
  await client.query(id, promptFor(name))
  const other = await newSession(client)
  // The modules of a session's screen are loaded.
  const { page } = await openConsole({ hasOwnContext: true, at: `#/sessions/${other}` })
  await page.getByText("live", { exact: true }).waitFor()
  await page.context().setOffline(true)
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  // Each of the reads that fail may have an alert.
  await page.locator("main").getByRole("alert").filter({ hasText: "cannot be reached" }).first().waitFor()
  await page.context().setOffline(false)
  await messages(page).getByText("Read later.").waitFor()
})

it("shows that a session was erased while it was open, and takes no prompt for it", async () => {
  const client = new PerchClient(shared)
  const id = await newSession(client)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await prompt.fill("half a sentence")
  const headers = { authorization: `Bearer ${shared.key}` }
  expect((await fetch(`${shared.url}/v1/sessions/${id}`, { method: "DELETE", headers })).ok).toBe(true)
  await page.getByText("not connected").waitFor()
  await page.getByRole("alert").filter({ hasText: "This session was erased." }).waitFor()
  // What was written can be copied, and nothing more can be sent.
  await prompt.press("Enter")
  expect(await prompt.inputValue()).toBe("half a sentence")
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true)
  await prompt.fill("")
  await prompt.waitFor({ state: "detached" })
})

it("a slow list of asks does not bring back an ask that was answered in the meantime", async () => {
  const client = new PerchClient(shared)
  const id = await newSession(client)
  const script = scriptName("slow")
  await api.set(script, [{ content: [call("Bash", { command: "touch a" })] }, textAnswer("All done.")])
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const [first, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held: Array<Request> = []
  await page.route(/\/permissions$/, async (route) => {
    const gate = held.length === 0 ? first : later
    const response = await route.fetch()
    const body = await response.body()
    held.push(route.request())
    await gate.promise
    return route.fulfill({ response, body })
  })
  await client.submit(id, promptFor(script))
  await expect.poll(() => held.length).toBe(1)
  const [ask] = await client.asks(id)
  await client.answer(id, ask!.request_id, { behavior: "deny", message: "No." })
  await messages(page).getByText("All done.").waitFor()
  await page.locator(".session-header").getByText("idle", { exact: true }).waitFor()
  await expect.poll(() => held.length).toBe(2)
  for (const [number, gate] of [first, later].entries()) {
    const finished = page.waitForEvent("requestfinished", (request) => request === held[number])
    gate.resolve()
    await finished
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    expect(await page.getByRole("region", { name: "Waiting for you" }).count()).toBe(0)
    await page.locator(".session-header").getByText("idle", { exact: true }).waitFor()
  }
})
