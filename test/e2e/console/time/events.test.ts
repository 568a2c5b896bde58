// The screen "Events" in a browser, over a log of any length: the server's pages and stream are replaced with generated ones.
import type { Page, Route } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))
const LAST = 20_000
const LIVE = 130
/** Events of a page: more than the server's, so that a long list is loaded with a few clicks. */
const PAGE = 450
const NAME = "session:changed"

const event = (seq: number) => ({ seq, name: NAME, uuid: `uuid-${seq}`, turn: null, at: seq, payload: { seq } })

const signal = (seq: number): string =>
  `id: ${seq}\ndata: ${JSON.stringify({ id: `uuid-${seq}`, name: NAME, payload: { seq }, timestamp: new Date(seq).toISOString() })}\n\n`

/** Answers for a log of `LAST` events, and `count` further ones once `live` has settled. Counts the streams that were opened. */
const serveLongLog = async (page: Page, live: Promise<void>, count = LIVE) => {
  const opened: Array<string> = []
  await page.route(/\/events\?/, (route) => {
    const query = new URL(route.request().url()).searchParams
    if (query.get("name") === "turn:queued")
      return route.fulfill({ json: { events: [], has_more: false, next_after: null, last_seq: LAST } })
    const after = Number(query.get("after") ?? LAST + LIVE + 1)
    const newest = Math.min(after - 1, opened.length > 1 ? LAST + count : LAST)
    const events = Array.from({ length: Math.min(PAGE, newest) }, (_, index) => event(newest - index))
    const next_after = events.at(-1)?.seq ?? null
    return route.fulfill({ json: { events, has_more: true, next_after, last_seq: newest } })
  })
  await page.route(/\/events\/stream\?.*format=signal/, async (route) => {
    opened.push(route.request().url())
    if (opened.length > 1) return route.abort()
    await live
    const body = Array.from({ length: count }, (_, index) => signal(LAST + 1 + index)).join("")
    return route.fulfill({ contentType: "text/event-stream", body })
  })
}

/** The seq of each event that is shown, in the order of the list. */
const shown = async (page: Page): Promise<ReadonlyArray<number>> =>
  ((await page.locator(".event-seq").allTextContents()) as ReadonlyArray<string>).map(Number)

const downFrom = (seq: number, length: number) => Array.from({ length }, (_, index) => seq - index)

const loadOlder = async (page: Page, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    const before = (await shown(page)).at(-1)!
    await page.getByRole("button", { name: "Older events" }).press("Enter")
    await expect.poll(async () => (await shown(page)).at(-1)).toBe(before - PAGE)
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Older events")
  }
}

it("live events replace the oldest ones of a long list, and pages continue from there", async () => {
  const { page } = await openConsole()
  const live = Promise.withResolvers<void>()
  await serveLongLog(page, live.promise)
  await page.evaluate(`location.hash = "#/sessions/${await client.createSession()}/events"`)
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, PAGE))
  await loadOlder(page, 1)
  expect(await shown(page)).toEqual(downFrom(LAST, 900))
  live.resolve()
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST + LIVE, 1000))
  expect(await page.getByRole("button", { name: "Newest events" }).count()).toBe(0)
  await loadOlder(page, 1)
  expect(await shown(page)).toEqual(downFrom(LAST + LIVE - PAGE, 1000))
})

it("a page that could not be read is read at a retry, and the events that are shown stay", async () => {
  const { page } = await openConsole()
  await serveLongLog(page, new Promise(() => {}))
  await page.evaluate(`location.hash = "#/sessions/${await client.createSession()}/events"`)
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, PAGE))
  const older = /\/events\?.*after=/
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  const fail = (route: Route) => route.fulfill({ status: 403, json })
  await page.route(older, fail)
  await page.getByRole("button", { name: "Older events" }).press("Enter")
  const alert = page.getByRole("alert").filter({ hasText: "Not for now." })
  await alert.waitFor()
  await page.unroute(older, fail)
  await alert.getByRole("button", { name: "Try again" }).click()
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, 2 * PAGE))
})

it("a list that was read back beyond its bound is no longer followed, and returns to the newest events", async () => {
  const { page } = await openConsole()
  const live = Promise.withResolvers<void>()
  await serveLongLog(page, live.promise)
  await page.evaluate(`location.hash = "#/sessions/${await client.createSession()}/events"`)
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, PAGE))
  const filters = page.getByRole("search")
  await loadOlder(page, 2)
  expect(await shown(page)).toEqual(downFrom(LAST - 3 * PAGE + 1000, 1000))
  await filters.getByText("1,000 shown").waitFor()
  await expect.poll(() => filters.getByText("live").count()).toBe(0)
  await page.getByText("At most 1,000 events are shown at once.").waitFor()
  await page.getByRole("button", { name: "Newest events" }).click()
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, PAGE))
  await expect.poll(() => page.getByRole("button", { name: "Newest events" }).count()).toBe(0)
  live.resolve()
})

/** The number of elements whose style the browser computes while `act` runs. */
const styledElements = async (page: Page, act: () => Promise<void>): Promise<number> => {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ["devtools.timeline"] })
  await act()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as Trace // the browser's own shape
  const updates = traceEvents.filter(({ name }) => name === "UpdateLayoutTree")
  return updates.reduce((sum, { args }) => sum + (args.elementCount ?? 0), 0)
}

interface Trace {
  readonly traceEvents: ReadonlyArray<{ readonly name: string; readonly args: { readonly elementCount?: number } }>
}

it("a live event costs the same however many events are shown", async () => {
  const { page } = await openConsole()
  const live = Promise.withResolvers<void>()
  await serveLongLog(page, live.promise, 1)
  await page.evaluate(`location.hash = "#/sessions/${await client.createSession()}/events"`)
  await expect.poll(() => shown(page)).toEqual(downFrom(LAST, PAGE))
  await loadOlder(page, 1)
  const nextFrame = () => page.evaluate<void>("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  // On a busy machine, the rows that were loaded last may still be waiting for their layout.
  await expect.poll(() => styledElements(page, nextFrame)).toBe(0)
  const styled = await styledElements(page, async () => {
    live.resolve()
    await page.getByText("901 shown").waitFor()
    await nextFrame()
  })
  expect(styled).toBeGreaterThan(0)
  // A busy browser may style a block of rows late, which it had skipped before; the list as a whole has thousands of elements.
  const all = await page.evaluate<number>("document.querySelectorAll('main *').length")
  expect(styled).toBeLessThan(all / 4)
})

it.each(["events", "time"])("the screen %s reads the turns once when it is opened", async (screen) => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  const { page } = await openConsole()
  const read: Array<string | null> = []
  const begun = Promise.withResolvers<void>()
  await page.route(/\/events\?.*name=turn/, (route) => {
    read.push(new URL(route.request().url()).searchParams.get("after"))
    begun.resolve()
    return route.fallback()
  })
  // The session is still loading when the screen is opened.
  await page.route(/\/messages\?/, async (route) => {
    await begun.promise
    return route.fallback()
  })
  await page.evaluate(`location.hash = "#/sessions/${id}/${screen}"`)
  await page.getByText("live", { exact: true }).first().waitFor()
  await page
    .getByText(screen === "time" ? "turn 1 of 1" : "1. Say hello")
    .first()
    .waitFor({ state: "attached" })
  expect(read).toEqual(["0"])
})
