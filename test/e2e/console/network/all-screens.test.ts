// Each screen over a server that does not respond, or fails: it shows what is wrong, and reads again when that is requested. A
// key that has expired leads to the sign-in, with the reason.
import type { Locator, Page } from "playwright-core"
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
  const { page } = await openConsole({ hasOwnContext: true, at: "#/none" })
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
const stops = (page: Page) => page.getByRole("button", { name: "Stop waiting" })

/** Clicks each of these buttons. One disappears when its request ends, which may be before the click. */
const clickAll = async (buttons: Locator) => {
  for (const button of await buttons.all()) await button.click({ timeout: 1000 }).catch(() => undefined)
}

/** Requests everything again that has failed, or that was sent while the server was silent. */
const retry = async (page: Page) => {
  await retries(page).first().waitFor()
  await passTimeUntil(page, async () => {
    await clickAll(stops(page))
    await clickAll(retries(page))
    return (await alerts(page).count()) === 0 && !/Loading|connecting/.test(await page.getByRole("main").innerText())
  })
}

it.each(SCREENS)("the screen %s shows that the server is silent or fails, and reads again", async (screen) => {
  const id = await client.createSession()
  const page = await opened()
  const hash = screen.replace("ID", id)
  await page.route(REQUESTS, () => undefined)
  await goTo(page, hash)
  await passTimeUntil(page, async () => {
    // The first silent request may be the one for the list of sessions: the modules of the screen are still loading then.
    await clickAll(stops(page))
    return (await alerts(page).filter({ hasText: "The server does not respond." }).count()) > 0
  })
  await page.unroute(REQUESTS)
  await retry(page)
  await goTo(page, "#/none")
  await page.route(REQUESTS, (route) => route.fulfill(failure(500, "api_error", "Something went wrong.")))
  await goTo(page, hash)
  await passTimeUntil(page, async () => (await alerts(page).filter({ hasText: "Something went wrong." }).count()) > 0)
  await page.unroute(REQUESTS)
  await retry(page)
})

it.each([...SCREENS, "#/"])("the screen %s leads to the sign-in when the key has expired", async (screen) => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/none" })
  await page.getByRole("heading", { name: "Page not found" }).waitFor()
  await page.route(REQUESTS, (route) => route.fulfill(failure(401, "authentication_error", "The key has expired.")))
  await goTo(page, screen.replace("ID", id))
  await page.getByRole("alert").filter({ hasText: "The key has expired." }).waitFor()
  await page.getByRole("textbox", { name: "API key" }).waitFor()
})
