// The settings of a display, in a browser: forced colours, reduced motion, and a window as low as at a zoom of 400 %.
import type { Locator, Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const styleOf = (element: Locator, name: string): Promise<string | undefined> =>
  element.evaluate(
    (node, property) => node.ownerDocument.defaultView?.getComputedStyle(node).getPropertyValue(property),
    name,
  )
const backgroundOf = (element: Locator) => styleOf(element, "background-color")
const borderOf = (element: Locator) => styleOf(element, "border-bottom-color")

const heightOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.height ?? 0

const animationsOf = (page: Page): Promise<number> =>
  page.evaluate(`document.getAnimations().filter(({ playState }) => playState === "running").length`)

it("what is selected differs from the rest with forced colours", async () => {
  const id = await client.createSession()
  await client.request("PUT", `/v1/sessions/${id}/files/workspace/a.txt`, { body: "a" })
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.emulateMedia({ forcedColors: "active" })
  const screens = page.getByRole("navigation", { name: "Screens of the session" })
  expect(await borderOf(screens.getByRole("link", { name: "Files" }))).not.toBe(
    await borderOf(screens.getByRole("link", { name: "Chat" })),
  )
  expect(await backgroundOf(page.getByRole("tab", { name: "Files" }))).not.toBe(
    await backgroundOf(page.getByRole("tab", { name: "Changes" })),
  )
  const file = page.getByRole("treeitem", { name: "a.txt" })
  const before = await backgroundOf(file)
  await file.click()
  await expect.poll(() => backgroundOf(file)).not.toBe(before)
})

it("nothing moves with reduced motion while a tool runs", async () => {
  const [script, inner] = [scriptName("still"), scriptName("still")]
  await api.set(inner, [{ content: [text("Inner.")], hold: {} }])
  const agent = call("Agent", { description: "Look", prompt: promptFor(inner), subagent_type: "general-purpose" })
  await api.set(script, [{ content: [agent] }, textAnswer("Done.")])
  const id = await client.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await client.submit(id, promptFor(script))
  await page.locator(".tool.running").waitFor()
  await expect.poll(() => animationsOf(page)).toBe(0)
  await page.emulateMedia({ reducedMotion: "no-preference" })
  await expect.poll(() => animationsOf(page)).toBeGreaterThan(0)
  await api.release(`${inner}#0`)
  await page.locator(".tool.running").waitFor({ state: "detached" })
})

it("a list changes its height immediately with reduced motion", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("No messages yet.").waitFor()
  const change = `(() => {
    const rows = document.querySelector(".virtual-rows")
    const heights = () => [rows.style.height, getComputedStyle(rows).height]
    const before = heights()
    rows.style.height = "1234px"
    return [before, heights()]
  })()`
  expect(await page.evaluate(change)).toEqual([
    ["0px", "0px"],
    ["1234px", "1234px"],
  ])
})

it("the conversation and an ask keep their room in a low window", async () => {
  const script = scriptName("low")
  await api.set(script, [
    { content: [text("A\n\n".repeat(40)), call("Bash", { command: "touch a" })] },
    textAnswer("Done."),
  ])
  const id = await client.createSession()
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}`, width: 320, height: 256 })
  const asks = page.getByRole("region", { name: "Waiting for you" })
  await asks.waitFor()
  // The asks and the messages are read at the same time.
  await page.getByRole("log", { name: "Messages" }).getByText("A", { exact: true }).last().waitFor()
  await expect.poll(() => heightOf(page.getByRole("log", { name: "Messages" }))).toBeGreaterThan(150)
  await expect.poll(() => asks.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  await asks.getByRole("button", { name: "Deny", exact: true }).click()
  await asks.waitFor({ state: "detached" })
})

it("the wheel scrolls the messages also over the button that scrolls to the newest one", async () => {
  const id = await client.createSession()
  const script = scriptName("wheel")
  await api.set(script, [textAnswer("Line\n\n".repeat(60))])
  await client.query(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}`, height: 600 })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("Line").last().waitFor()
  const rest = () =>
    log.evaluate(({ scrollTop, scrollHeight, clientHeight }) => Math.round(scrollHeight - clientHeight - scrollTop))
  await expect.poll(rest).toBeLessThan(48)
  await log.evaluate((element) => element.scrollBy(0, -400))
  const latest = page.getByRole("button", { name: "Latest" })
  await latest.click()
  await expect.poll(rest).toBe(0)
  // The mouse is not moved: the button appears under it.
  await page.mouse.wheel(0, -200)
  await latest.waitFor()
  await expect.poll(rest).toBe(200)
  await page.mouse.wheel(0, -200)
  await expect.poll(rest).toBe(400)
  await page.mouse.wheel(0, 300)
  await expect.poll(rest).toBe(100)
})

it("the button that scrolls to the newest message covers nothing that takes the focus", async () => {
  const script = scriptName("covered")
  await api.set(script, [textAnswer("Line\n\n".repeat(12))])
  const id = await client.createSession()
  for (let prompt = 0; prompt < 4; prompt += 1) await client.query(id, `${promptFor(script)} ${prompt}`)
  const { page } = await openConsole({ at: `#/sessions/${id}`, width: 390, height: 700 })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("Line").last().waitFor()
  await log.evaluate((element) => element.scrollTo(0, 0))
  const toEnd = page.locator(".to-end")
  await toEnd.waitFor()
  const actions = log.locator('[data-index="3"]').getByRole("button", { name: "Message actions" })
  const { y: under } = (await toEnd.boundingBox())!
  const yOf = async () => (await actions.boundingBox())!.y
  // Rows that are measured when they are first shown move it again.
  const scrolled = async () => {
    await log.evaluate((element, by) => element.scrollBy(0, by), (await yOf()) - under - 4)
    return yOf()
  }
  await expect.poll(scrolled).toBeCloseTo(under + 4, -1)
  await actions.focus()
  await expect
    .poll(async () => {
      const box = (await actions.boundingBox())!
      return box.y + box.height
    })
    .toBeLessThanOrEqual(under)
})

it("the menu of a compaction's mark overlaps neither its text nor its lines", async () => {
  const script = scriptName("mark")
  await api.set(script, { turns: [textAnswer("One.")], compact: textAnswer("A summary.") })
  const id = await client.createSession()
  await client.query(id, promptFor(script))
  await client.query(id, "/compact")
  const { page } = await openConsole({ at: `#/sessions/${id}`, width: 390 })
  const row = page.getByRole("article").filter({ has: page.locator(".mark") })
  const mark = await row.locator(".mark").boundingBox()
  const menu = await row.getByRole("button", { name: "Message actions" }).boundingBox()
  expect(menu!.x).toBeGreaterThanOrEqual(mark!.x + mark!.width)
})

/** Scrolls the messages up to the first one. Returns by how many pixels rows moved beyond what was scrolled, if more than 2. */
const movesAt = (pixels: number) => `(async () => {
  const list = document.querySelector("[role=log]")
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const top = (row) => row.getBoundingClientRect().top
  const moves = []
  while (list.scrollTop > 0) {
    const row = [...list.querySelectorAll(".virtual-row")].find((row) => row.firstChild !== null && top(row) >= top(list))
    const [before, step] = [row && top(row), Math.min(${pixels}, list.scrollTop)]
    list.scrollTop -= step
    for (let frames = 0; frames < 4; frames++) await frame()
    if (row?.isConnected && Math.abs(top(row) - before - step) > 2) moves.push(Math.round(top(row) - before - step))
  }
  return moves
})()`

it("in a narrower window, the messages stay at their end, and rows keep their places when they are scrolled up", async () => {
  const id = await client.createSession()
  for (let turn = 0; turn < 12; turn += 1) {
    const script = scriptName("heights")
    await api.set(script, [textAnswer(`Answer ${turn}. ${"Some words that wrap. ".repeat(60 + 20 * turn)}`)])
    await client.query(id, promptFor(script))
  }
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("Answer 11.").waitFor()
  await expect.poll(() => log.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0)
  // The heights of all rows are remembered.
  await page.evaluate(movesAt(400))
  await log.getByText("Answer 0.").waitFor()
  await log.press("End")
  await log.getByText("Answer 11.").waitFor()
  const below = () =>
    page.evaluate(`(({ scrollHeight, clientHeight, scrollTop }) =>
    Math.round(scrollHeight - clientHeight - scrollTop))(document.querySelector("[role=log]"))`)
  await expect.poll(below).toBe(0)
  // The list stays at its end after the event of the scrolling, which the browser sends with a later frame.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
  const wide = (await log.boundingBox())!.width
  await page.setViewportSize({ width: 420, height: 900 })
  await expect.poll(async () => (await log.locator(".virtual-row").last().boundingBox())!.width).toBeLessThan(wide)
  await expect.poll(below).toBe(0)
  expect(await page.evaluate(movesAt(240))).toEqual([])
})
