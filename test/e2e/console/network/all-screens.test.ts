// Each screen over a server that does not respond, or fails: it shows what is wrong, and reads again when that is requested. A
// key that has expired leads to the sign-in, with the reason.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))

const SCREENS = [
  ...["chat", "files", "time", "events", "costs"].map((screen) => `#/sessions/ID/${screen}`),
  "#/costs",
  "#/tenants",
  "#/recordings",
  "#/hooks",
  "#/hooks/dead",
  "#/hooks/webhooks",
]
const REQUESTS = /\/v1\//

const failure = (status: number, type: string, message: string) => ({
  status,
  json: { type: "error", error: { type, message } },
})

/** A page of its own, which has no requests, and whose timers run when the test moves them. */
const opened = async (): Promise<Page> => {
  const { page } = await openConsole({ at: "#/none" })
  await page.getByRole("heading", { name: "Page not found" }).waitFor()
  await page.clock.install()
  return page
}

const goTo = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`)

/** Moves the timers until `isReached`. */
const passTimeUntil = (page: Page, isReached: () => Promise<boolean>) =>
  expect
    .poll(async () => {
      await page.clock.runFor(1000)
      return isReached()
    })
    .toBe(true)

const alerts = (page: Page) => page.getByRole("main").getByRole("alert")
const retries = (page: Page) => page.getByRole("main").getByRole("button", { name: "Try again" })

/** Requests everything again that has failed. */
const retry = async (page: Page) => {
  await retries(page).first().waitFor()
  await passTimeUntil(page, async () => {
    // A button disappears when its request succeeds, which may be before the click.
    for (const button of await retries(page).all()) await button.click({ timeout: 1000 }).catch(() => undefined)
    return (await alerts(page).count()) === 0
  })
  await passTimeUntil(page, async () => !/Loading|connecting/.test(await page.getByRole("main").innerText()))
}

it.each(SCREENS)("the screen %s shows that the server is silent or fails, and reads again", async (screen) => {
  const id = await client.createSession()
  const page = await opened()
  const hash = screen.replace("ID", id)
  await page.route(REQUESTS, () => undefined)
  await goTo(page, hash)
  const stop = page.getByRole("button", { name: "Stop waiting" })
  await passTimeUntil(page, async () => (await stop.count()) > 0)
  const silent = alerts(page).filter({ hasText: "The server does not respond." })
  await passTimeUntil(page, async () => {
    // What was loaded later has sent its request later.
    for (const button of await stop.all()) await button.click()
    return (await silent.count()) > 0
  })
  await page.unroute(REQUESTS)
  await retry(page)
  await goTo(page, "#/none")
  await page.route(REQUESTS, (route) => route.fulfill(failure(500, "api_error", "Something went wrong.")))
  await goTo(page, hash)
  await passTimeUntil(page, async () => (await alerts(page).count()) > 0)
  await alerts(page).filter({ hasText: "Something went wrong." }).first().waitFor()
  await page.unroute(REQUESTS)
  await retry(page)
})

it.each([...SCREENS, "#/"])("the screen %s leads to the sign-in when the key has expired", async (screen) => {
  const id = await client.createSession()
  const page = await opened()
  await page.route(REQUESTS, (route) => route.fulfill(failure(401, "authentication_error", "The key has expired.")))
  await goTo(page, screen.replace("ID", id))
  await page.getByRole("alert").filter({ hasText: "The key has expired." }).waitFor()
  await page.getByRole("textbox", { name: "API key" }).waitFor()
})
