// Where a reader of the conversation is: one at its end stays there, and one who has scrolled up keeps the same text at the same
// place, while the window, the composer or what is above changes its size.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const paragraphs = (count: number, turn: number): string =>
  Array.from({ length: count }, (_, n) => `Paragraph ${turn}.${n}. ${"Some words that wrap. ".repeat(8 + n)}`).join(
    "\n\n",
  )

/** The answers are higher than the window, in each of its widths. */
const opened = async (): Promise<Page> => {
  const id = await client.createSession()
  for (let turn = 0; turn < 3; turn += 1) {
    const script = scriptName("place")
    await api.set(script, [textAnswer(paragraphs(20, turn))])
    await client.query(id, promptFor(script))
  }
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await messages(page).getByText("Paragraph 2.19.").waitFor()
  await expect.poll(() => below(page)).toBe(0)
  return page
}

const messages = (page: Page) => page.getByRole("log", { name: "Messages" })

const below = (page: Page): Promise<number> =>
  messages(page).evaluate(({ scrollHeight, clientHeight, scrollTop }) =>
    Math.round(scrollHeight - clientHeight - scrollTop),
  )

const scrollBy = (page: Page, pixels: number) => messages(page).evaluate((list, by) => list.scrollBy(0, by), pixels)

/** The first paragraph that begins in the visible part, and its distance from the top. */
const placeOf = (page: Page): Promise<readonly [text: string, top: number]> =>
  page.evaluate(`(() => {
    const { top } = document.querySelector("[role=log]").getBoundingClientRect()
    const place = (one) => one.getBoundingClientRect().top - top
    const first = [...document.querySelectorAll("[role=log] .markdown p")].find((one) => place(one) >= 0)
    return [first.textContent.split(" ", 2).join(" "), Math.round(place(first))]
  })()`)

const topOf = async (page: Page, text: string): Promise<number> =>
  (await messages(page).getByText(text).boundingBox())!.y - (await messages(page).boundingBox())!.y

it("a reader in the middle of an answer keeps the same text at the same place in windows of other widths", async () => {
  const page = await opened()
  await scrollBy(page, -900)
  await page.getByRole("button", { name: "Latest" }).waitFor()
  await scrollBy(page, -40)
  const [text, top] = await placeOf(page)
  expect(text).toMatch(/^Paragraph 2\.[3-9]\.|^Paragraph 2\.1/)
  for (const width of [700, 420, 1000, 390, 1280]) {
    const before = (await messages(page).boundingBox())!.width
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => (await messages(page).boundingBox())!.width).not.toBe(before)
    await expect.poll(async () => Math.abs((await topOf(page, text)) - top)).toBeLessThanOrEqual(2)
  }
})

it("a reader at the end of a long answer stays there when the composer grows and the window becomes lower", async () => {
  const page = await opened()
  // Back at the end.
  await scrollBy(page, -500)
  await page.getByRole("button", { name: "Latest" }).waitFor()
  await scrollBy(page, 1000)
  await page.getByRole("button", { name: "Latest" }).waitFor({ state: "detached" })
  const heightOf = async () => (await messages(page).boundingBox())!.height
  const high = await heightOf()
  // By about as much as the line about a running turn takes.
  await page.setViewportSize({ width: 1280, height: 870 })
  await expect.poll(heightOf).toBeLessThan(high)
  await expect.poll(() => below(page)).toBe(0)
  await page.getByRole("textbox", { name: "Prompt" }).fill("a\nb\nc\nd\ne\nf\n")
  await expect.poll(heightOf).toBeLessThan(high)
  await expect.poll(() => below(page)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 500 })
  await expect.poll(heightOf).toBeLessThan(high - 300)
  await expect.poll(() => below(page)).toBe(0)
})
