// Reads without which a page is usable, in a browser: when one fails, the page names what is missing, and reads it at a retry.
import type { Page, Route } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))

interface Failure {
  readonly answer: Parameters<Route["fulfill"]>[0]
  /** The console's sentence about it. */
  readonly text: string
}

const error = { type: "invalid_request_error", message: "Not for now." }
const REFUSED: Failure = { answer: { status: 400, json: { type: "error", error } }, text: error.message }
/** What a proxy may send in the place of the server. */
const NOT_PERCH: Failure = {
  answer: { status: 200, contentType: "text/html", body: "<h1>Accept the terms</h1>" },
  text: `${inject("shared").url} did not answer as a Perch server does.`,
}

/** Opens the place while requests to `path` fail; they succeed at the retry of what could not be read. */
const readAtRetry = async (page: Page, path: RegExp, place: string, unread: string, failure = REFUSED) => {
  const { answer, text } = failure
  await page.route(path, (route) => route.fulfill(answer))
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
  const alert = page.getByRole("alert").filter({ hasText: `${unread} could not be read. ${text}` })
  await alert.waitFor()
  await page.unroute(path)
  await alert.getByRole("button", { name: "Try again" }).click()
  await alert.waitFor({ state: "detached" })
}

const blank = async () => {
  const { page } = await openConsole({ at: "#/recordings" })
  await page.getByRole("main").waitFor()
  return page
}

it("the models are read at a retry", async () => {
  const id = await client.createSession()
  await readAtRetry(await blank(), /\/v1\/models$/, `#/sessions/${id}`, "The models")
})

it.each([
  ["an error", REFUSED],
  ["a page of a proxy", NOT_PERCH],
] as const)("the limits of the tenant are read at a retry after %s", async (_, failure) => {
  const page = await blank()
  await readAtRetry(page, /\/limits$/, "#/costs", "The limits of the tenant", failure)
  await page.getByRole("region", { name: "Limits of the tenant" }).waitFor()
})

it("the outcome of the last turn is read at a retry", async () => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  await readAtRetry(await blank(), /\/turns\?limit=10$/, `#/sessions/${id}`, "The outcome of the last turn")
})

it("the meter of the context is read at a retry, on a narrow screen too", async () => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  const { page } = await openConsole({ at: "#/recordings", width: 390 })
  await page.getByRole("main").waitFor()
  await readAtRetry(page, /\/context$/, `#/sessions/${id}`, "The context")
  await page.getByRole("meter", { name: /^Context: [\d.]+K? of [\d.]+[KM] tokens$/ }).waitFor()
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
})

it.each([
  [/\/v1\/sessions\/[^/]+$/, "The session"],
  [/\/permissions$/, "The asks"],
] as const)("the head of a session names what could not be read: %s", async (path, unread) => {
  const id = await client.createSession()
  await readAtRetry(await blank(), path, `#/sessions/${id}`, unread)
})
