// Answers that arrive late, in a browser: what the page has learnt in the meantime is not replaced by an earlier state.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { messages, prompt, queue } from "../../../support/browser/composer.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

/**
 * Holds the answers to requests of this method. `release(n)` waits for the n-th one, and resolves when the page has received and
 * shown it; `indexOf(body)` waits for one with that body.
 */
const holdAnswers = async (page: Page, path: RegExp, method: string) => {
  const held: Array<{ readonly text: string; readonly release: () => Promise<void> }> = []
  await page.route(path, async (route) => {
    const request = route.request()
    if (request.method() !== method) return route.continue()
    const response = await route.fetch({ maxRetries: 3 })
    const body = await response.body()
    const release = async () => {
      const finished = page.waitForEvent("requestfinished", (other) => other === request)
      await route.fulfill({ response, body })
      await finished
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    }
    held.push({ text: body.toString(), release })
  })
  const arrived = () => held.length
  const release = async (index: number) => {
    await expect.poll(arrived).toBeGreaterThan(index)
    await held[index]!.release()
  }
  const indexOf = async (body: string) => {
    const index = () => held.findIndex(({ text }) => text === body)
    await expect.poll(index).toBeGreaterThanOrEqual(0)
    return index()
  }
  return { arrived, indexOf, release }
}

it("a late read of a file replaces neither a later read nor what was saved", async () => {
  const id = await client.createSession()
  const write = (body: string) => client.request("PUT", `/v1/sessions/${id}/files/workspace/a.txt`, { body })
  await write("first")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("live", { exact: true }).waitFor()
  const reads = await holdAnswers(page, /\/files\/workspace\/a\.txt$/, "GET")
  await page.getByRole("treeitem", { name: "a.txt" }).click()
  await reads.indexOf("first")
  await write("second")
  // Once connected, the page reads the list of files again. If that ends only now, it reads the first text once more.
  await reads.release(await reads.indexOf("second"))
  const editor = page.getByRole("textbox", { name: "/workspace/a.txt" })
  await expect.poll(() => editor.innerText()).toBe("second")
  await reads.release(0)
  expect(await editor.innerText()).toBe("second")
  await write("third")
  const third = await reads.indexOf("third")
  await write("second")
  await editor.fill("saved here")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("not saved").waitFor({ state: "detached" })
  await reads.release(third)
  expect(await editor.innerText()).toBe("saved here")
  expect(await page.getByRole("region", { name: "Conflict" }).count()).toBe(0)
})

it("a version of a file that is kept while an earlier save runs is saved after it", async () => {
  const id = await client.createSession()
  const file = `/v1/sessions/${id}/files/workspace/a.txt`
  const write = (body: string) => client.request("PUT", file, { body })
  await write("one\n")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  // Changes are reported while the page is connected.
  await page.getByText("live", { exact: true }).waitFor()
  await page.getByRole("treeitem", { name: "a.txt" }).click()
  await page.getByRole("textbox", { name: "/workspace/a.txt" }).click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type("mine")
  const saves = Promise.withResolvers<void>()
  const reads = await holdAnswers(page, /\/files\/workspace\/a\.txt$/, "GET")
  await page.route(/\/files\/workspace\/a\.txt$/, async (route) => {
    if (route.request().method() !== "PUT") return route.fallback()
    await saves.promise
    await route.continue()
  })
  await write("theirs\n")
  await expect.poll(reads.arrived).toBe(1)
  await Promise.all([page.waitForRequest((sent) => sent.method() === "PUT"), page.keyboard.press("Control+s")])
  await reads.release(0)
  const keep = page.getByRole("button", { name: "Keep mine" })
  await keep.click()
  await keep.waitFor({ state: "detached" })
  saves.resolve()
  await page.getByText("not saved").waitFor({ state: "detached" })
  expect(await (await client.request("GET", file)).text()).toBe("one\nmine")
})

it("a late list of webhooks keeps the webhook that was created in the meantime", async () => {
  const json = {
    tenant: `late${crypto.randomUUID().slice(0, 8)}`,
    scopes: ["sessions:read", "sessions:write", "admin"],
  }
  const { key: apiKey } = await client.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const { page } = await openConsole({ at: "#/", apiKey })
  const lists = await holdAnswers(page, /\/v1\/webhooks$/, "GET")
  await page.evaluate(`location.hash = "#/hooks/webhooks"`)
  await expect.poll(lists.arrived).toBe(1)
  await page.getByRole("button", { name: "New webhook…" }).click()
  const form = page.getByRole("dialog", { name: "New webhook" })
  await form.getByLabel("Address").fill(`${shared.apiUrl}/hook`)
  await form.getByRole("button", { name: "Create" }).click()
  const webhook = page.getByRole("listitem", { name: `${shared.apiUrl}/hook` })
  await webhook.waitFor()
  await lists.release(0)
  expect(await webhook.count()).toBe(1)
})

it("a prompt that was withdrawn elsewhere before its sender received the answer is not listed as queued", async () => {
  const script = scriptName("late")
  await api.set(script, [textAnswer("Done.", { hold: {} })])
  const id = await client.createSession()
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const prompts = await holdAnswers(page, /\/query$/, "POST")
  await prompt(page).fill("the one behind")
  await page.keyboard.press("Enter")
  await queue(page).getByText("the one behind").waitFor()
  await expect.poll(prompts.arrived).toBe(1)
  const { data } = await client.json<{ data: ReadonlyArray<{ turn_id: string; status: string }> }>(
    "GET",
    `/v1/sessions/${id}/turns`,
  )
  const queued = data.find(({ status }) => status === "queued")?.turn_id
  const request = { subtype: "cancel_async_message", message_uuid: queued }
  const payload = { type: "control_request", request_id: crypto.randomUUID(), request }
  await client.json("POST", `/v1/sessions/${id}/events`, { json: { events: [{ payload }] } })
  await queue(page).waitFor({ state: "detached" })
  await prompts.release(0)
  expect(await queue(page).count()).toBe(0)
  await api.release(`${script}#0`)
})

it("a prompt that the stream reports before its sender received the answer is shown once", async () => {
  const script = scriptName("late")
  await api.set(script, [textAnswer("Done.")])
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const prompts = await holdAnswers(page, /\/query$/, "POST")
  await prompt(page).fill(promptFor(script))
  await page.keyboard.press("Enter")
  await messages(page).getByText("Done.").waitFor()
  await page.getByRole("region", { name: "Prompts that are not accepted yet" }).waitFor({ state: "detached" })
  await prompts.release(0)
  expect(await messages(page).getByRole("group", { name: "Prompt" }).count()).toBe(1)
})
