// A server that does not respond, in a browser: the page shows that it waits, and the user can stop that and try again.
import http from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { expect, inject, it, onTestFinished } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))

/** Leaves requests to this path without a response until the returned function is called; `sent` counts them. */
const silence = async (page: Page, path: RegExp, method = "GET") => {
  let isSilent = true
  const counter = { sent: 0, end: () => void (isSilent = false) }
  await page.route(path, (route) => {
    if (!isSilent || route.request().method() !== method) return route.fallback()
    counter.sent += 1
    return undefined
  })
  return counter
}

const notice = (page: Page) => page.getByText("The server has not responded for ten seconds or more.")
const stopWaiting = (page: Page) => page.getByRole("button", { name: "Stop waiting" })

it.each([
  // One request for each day.
  ["#/costs", /\/v1\/costs\?/, 7, "The costs"],
  ["#/recordings", /\/v1\/recordings\?/, 1, "The recordings"],
  ["#/hooks/webhooks", /\/v1\/webhooks$/, 1, "The webhooks"],
] as const)(
  "the page %s shows that the server is silent, and reads again after that was stopped",
  async (at, path, requests, name) => {
    const { page } = await openConsole({ hasOwnContext: true, at: "#/" })
    await page.getByRole("main").waitFor()
    const silent = await silence(page, path)
    await page.clock.install()
    await page.evaluate(`location.hash = ${JSON.stringify(at)}`)
    await expect.poll(() => silent.sent).toBe(requests)
    await page.clock.runFor(10_000)
    await notice(page).waitFor()
    await stopWaiting(page).click()
    const alert = page.getByRole("alert").filter({ hasText: `${name} could not be read. The server does not respond.` })
    await alert.waitFor()
    await notice(page).waitFor({ state: "detached" })
    await page.clock.runFor(5000)
    expect(silent.sent).toBe(requests)
    silent.end()
    await alert.getByRole("button", { name: "Try again" }).click()
    await alert.waitFor({ state: "detached" })
  },
)

/** A proxy of the server that begins the body of a response to `path` and never ends it; `sent` has those requests. */
const hangingBody = async (path: string) => {
  const sent: Array<string> = []
  const server = http.createServer((request, response) => {
    if (request.url === path) {
      sent.push(`${request.method} ${path}`)
      response.writeHead(200, { "content-type": "application/json" }).write('{"data":[')
      return
    }
    const { method, headers } = request
    const target = new URL(request.url ?? "/", inject("shared").url)
    const upstream = http.request(target.href, { method: method ?? "GET", headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    // When either end breaks, the other breaks too.
    upstream.on("error", () => response.destroy())
    response.on("close", () => upstream.destroy())
    request.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, sent }
}

it("a response that stops in its middle is reported; stopped, its error is shown and it is not requested again", async () => {
  const { url, sent } = await hangingBody("/v1/webhooks")
  const { page } = await openConsole({ hasOwnContext: true, url, at: "#/" })
  await page.getByRole("main").waitFor()
  await page.clock.install()
  await page.evaluate(`location.hash = "#/hooks/webhooks"`)
  await expect.poll(() => sent.length).toBe(1)
  const text = "The webhooks could not be read. The server does not respond."
  const alert = page.getByRole("alert").filter({ hasText: text })
  // The silence begins when the page has received what there is of the body. Until then, others of its requests may be silent.
  await expect
    .poll(async () => {
      await page.clock.runFor(10_000)
      // The button disappears when the last silent request ends, which may be before the click.
      for (const button of await stopWaiting(page).all()) await button.click({ timeout: 1000 }).catch(() => undefined)
      return alert.count()
    })
    .toBe(1)
  await notice(page).waitFor({ state: "detached" })
  await page.clock.runFor(30_000)
  expect(sent).toEqual(["GET /v1/webhooks"])
})

it("a dialog shows that the server is silent; its fields and the focus stay in it when that is stopped", async () => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  const { page } = await openConsole({ hasOwnContext: true, at: `#/sessions/${id}/time` })
  const silent = await silence(page, /\/fork$/, "POST")
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByLabel("Title").fill("A title to keep")
  await page.clock.install()
  await page.keyboard.press("Enter")
  await expect.poll(() => silent.sent).toBe(1)
  await page.clock.runFor(10_000)
  const dialog = page.getByRole("dialog", { name: "Fork from here" })
  await dialog.getByText("The server has not responded for ten seconds or more.").waitFor()
  await dialog.getByRole("button", { name: "Stop waiting" }).focus()
  await page.keyboard.press("Enter")
  await dialog.getByRole("alert").filter({ hasText: "The server does not respond." }).waitFor()
  await page.clock.runFor(100)
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true)
  expect(await page.getByLabel("Title").inputValue()).toBe("A title to keep")
  silent.end()
  await dialog.getByRole("button", { name: "Fork", exact: true }).click()
  await page.getByRole("heading", { name: "A title to keep" }).waitFor()
})

it("the sign-in shows that the server is silent", async () => {
  const { page } = await openConsole({ hasOwnContext: true, apiKey: null })
  const silent = await silence(page, /\/v1\/sessions\?/)
  await page.getByLabel("API key").fill(inject("shared").key)
  await page.clock.install()
  await page.keyboard.press("Enter")
  await expect.poll(() => silent.sent).toBe(1)
  await page.clock.runFor(10_000)
  await stopWaiting(page).click()
  await page.getByRole("alert").filter({ hasText: "The server does not respond." }).waitFor()
  expect(await page.getByLabel("API key").inputValue()).toBe(inject("shared").key)
})

it("the page shows how long the server asks to wait", async () => {
  const { page } = await openConsole({ hasOwnContext: true, at: "#/", width: 390 })
  await page.getByRole("main").waitFor()
  const error = { type: "rate_limit_error", message: "Too many requests." }
  await page.route(/\/v1\/recordings\?/, (route) =>
    route.fulfill({ status: 429, headers: { "retry-after": "40" }, json: { type: "error", error } }),
  )
  await page.clock.install()
  await page.evaluate(`location.hash = "#/recordings"`)
  await page.getByText("The server asks to wait for 40 seconds. Then the page tries again.").waitFor()
  await page.unroute(/\/v1\/recordings\?/)
  await page.clock.runFor(40_000)
  await page.getByText("The server asks to wait").waitFor({ state: "detached" })
  await page.getByText("Loading…").waitFor({ state: "detached" })
})
