// A turn of more messages than the page keeps, of a server whose messages and stream are simulated: what is visible stays where
// it is, and everything can be reached.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))
const PAGE = 50
const AT_FIRST = 120
const LAST = 2400

const idOf = (number: number) => `msg_${`${number}`.padStart(12, "0")}`
const infoOf = (number: number) => ({
  id: idOf(number),
  role: "assistant",
  time: { created: number, completed: number },
})
const partOf = (number: number) => ({
  id: `prt_${number}`,
  messageID: idOf(number),
  type: "text",
  text: `Message number ${number}.`,
  time: { start: number, end: number },
})

/** Answers with the messages up to `AT_FIRST`; after `grow`, the stream sends the rest. */
const simulate = async (page: Page) => {
  const { promise: grown, resolve: grow } = Promise.withResolvers<void>()
  const seen = { last: AT_FIRST }
  await page.route(/\/messages\?/, (route) => {
    const query = new URL(route.request().url()).searchParams
    const after = query.get("after")
    const step = query.get("order") === "asc" ? 1 : -1
    const first = (after === null ? seen.last + 1 : Number(after.slice(4))) + step
    const numbers = Array.from({ length: PAGE }, (_, index) => first + index * step).filter(
      (number) => number >= 1 && number <= seen.last,
    )
    const end = numbers.at(-1) ?? first
    const has_more = step === 1 ? end < seen.last : end > 1
    const messages = numbers.map((number) => ({ info: infoOf(number), parts: [partOf(number)] }))
    return route.fulfill({
      json: { messages, has_more, next_cursor: has_more ? idOf(end) : null, last_seq: seen.last },
    })
  })
  await page.route(/\/events\/stream\?/, async (route) => {
    await grown
    seen.last = LAST
    const after = Number(new URL(route.request().url()).searchParams.get("after"))
    const frames = Array.from({ length: Math.max(0, LAST - Math.max(after, AT_FIRST)) }, (_, index) => {
      const number = LAST - (Math.max(0, LAST - Math.max(after, AT_FIRST)) - index) + 1
      const info = { id: "evt", type: "message.updated", properties: { info: infoOf(number) } }
      const part = { id: "evt", type: "message.part.updated", properties: { part: partOf(number) } }
      return `data: ${JSON.stringify(info)}\n\nid: ${number}\ndata: ${JSON.stringify(part)}\n\n`
    })
    return route.fulfill({ headers: { "content-type": "text/event-stream" }, body: frames.join("") })
  })
  return grow
}

const messages = (page: Page) => page.getByRole("log", { name: "Messages" })

/** The first message in the visible area, and its distance from the top. */
const FIRST_VISIBLE = `(() => {
  const list = document.querySelector("[role=log]")
  const { top } = list.getBoundingClientRect()
  const row = [...list.querySelectorAll("[data-message]")].find((one) => one.getBoundingClientRect().bottom > top)
  return row.dataset.message + " " + Math.round(row.getBoundingClientRect().top - top)
})()`
const TO_BOTTOM = `(() => { const list = document.querySelector("[role=log]"); list.scrollTop = list.scrollHeight })()`
const FRAMES = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"

/** The first visible message, once nothing moves it: rows are measured and filled in later tasks. */
const firstVisible = async (page: Page): Promise<unknown> => {
  const seen: Array<unknown> = []
  const isSettled = async () => {
    seen.push(await page.evaluate(`${FRAMES}.then(() => ${FIRST_VISIBLE})`))
    return new Set(seen.slice(-10)).size === 1 && seen.length >= 10
  }
  await expect.poll(isSettled).toBe(true)
  return seen.at(-1)
}

const opened = async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/" })
  await page.getByRole("main").waitFor()
  const grow = await simulate(page)
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  await messages(page).getByText(`Message number ${AT_FIRST}.`).waitFor()
  return { page, grow }
}

it("a reader who has scrolled up stays there while a very long turn runs, reads on in order, and reaches its end", async () => {
  const { page, grow } = await opened()
  await messages(page).hover()
  await page.mouse.wheel(0, -600)
  const latest = page.getByRole("button", { name: /Latest|new messages/ })
  await latest.waitFor()
  const before = await firstVisible(page)
  grow()
  await latest.filter({ hasText: "new message" }).waitFor()
  expect(await firstVisible(page)).toBe(before)
  // The end of what was loaded: the messages that follow are appended below it.
  await page.evaluate(TO_BOTTOM)
  let end = 0
  // The list has the rows of the new place after the event of the scrolling, which the browser sends with a later frame.
  const readEnd = async () => {
    const texts = await messages(page)
      .getByText(/Message number/)
      .allInnerTexts()
    end = Number(/\d+/.exec(texts.at(-1) ?? "")?.[0])
    return end
  }
  await expect.poll(readEnd).toBeGreaterThan(AT_FIRST)
  // On a busy machine the rows that follow are there before the end is read, and too far below it to be rendered.
  const isNextShown = async () => {
    await messages(page).getByText(`Message number ${end}.`).scrollIntoViewIfNeeded()
    return messages(page)
      .getByText(`Message number ${end + 1}.`)
      .isVisible()
  }
  await expect.poll(isNextShown).toBe(true)
  await messages(page).getByText(`Message number ${end}.`).waitFor()
  expect(await messages(page).getByText(`Message number ${LAST}.`).count()).toBe(0)
  await latest.click()
  await messages(page).getByText(`Message number ${LAST}.`).waitFor()
  await latest.waitFor({ state: "detached" })
})

it("a reader at the end sees the newest message of a very long turn, and can read all earlier ones", async () => {
  const { page, grow } = await opened()
  grow()
  await messages(page).getByText(`Message number ${LAST}.`).waitFor()
  await messages(page).hover()
  await page.mouse.wheel(0, -600)
  await page.getByRole("button", { name: "Latest" }).waitFor()
  // 500 messages are kept: the pages before them are read when their place is near the visible area.
  let reads = 0
  page.on("request", (request) => {
    if (/\/messages\?.*order=desc.*after=/.test(request.url())) reads += 1
  })
  const readAtTop = async () => {
    await page.evaluate(`document.querySelector("[role=log]").scrollTop = 0`)
    await page.evaluate(FRAMES)
    return reads
  }
  await expect.poll(readAtTop).toBeGreaterThan(0)
})
