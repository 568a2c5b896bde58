// Each screen at a phone's width: nothing is wider than it, and touch targets are large enough.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

const LONG = "/workspace/a/deep/folder/with-a-file-of-a-name-that-no-phone-is-wide-enough-for.txt"
const ANSWER = `# Wide\n\n| ${"Column | ".repeat(12)}\n| ${"--- | ".repeat(12)}\n| ${"value | ".repeat(12)}\n
\`\`\`ts\n${"const wide = 1; ".repeat(20)}\n\`\`\`\n\n${"https://example.com/".padEnd(200, "long")}\n`

const session = async (): Promise<string> => {
  const script = scriptName("phone")
  const calls = [
    call("Write", { file_path: LONG, content: `${"wide ".repeat(60)}\n` }),
    call("Bash", { command: LONG }),
  ]
  await new ApiLog(shared.apiUrl).set(script, [{ content: calls }, textAnswer(ANSWER)])
  const id = await client.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
  await client.query(id, promptFor(script))
  return id
}

/** Elements that are wider than the page, and targets that are too small for a finger; the checks run in the page. */
const LOOK = `(() => {
  const shown = [...document.querySelectorAll("button, .button, select, summary, nav a")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ box: element.getBoundingClientRect(), name: element.ariaLabel ?? element.textContent }))
  const small = shown.filter(({ box }) => box.width > 1 && (box.width < 24 || box.height < 24))
  const { scrollWidth } = document.documentElement
  const main = document.querySelector("main")
  return {
    wide: Math.max(scrollWidth - innerWidth, main.scrollWidth - main.clientWidth, 0),
    small: small.map(({ box, name }) => name + " " + box.width + "x" + box.height),
  }
})()`

/** Each location with something that only its screen has. */
const PLACES = [
  ["#/sessions/ID", ".messages .table"],
  ["#/sessions/ID/files", "[role=tree]"],
  ["#/sessions/ID/time", ".past-conversation .table"],
  ["#/sessions/ID/events", ".event-filters"],
  ["#/sessions/ID/costs", ".money .charts"],
  ["#/costs", ".money-head"],
  ["#/recordings", ".recordings h1"],
  ["#/tenants", ".tenants h1"],
  ["#/", ".new-session h1"],
] as const

const READY = `document.querySelector("main .loading, main [aria-busy=true]") === null`

it("fits each screen into 390 px, with targets of at least 24 px", async () => {
  const id = await session()
  const { page } = await openConsole({ width: 390, height: 844 })
  const found: Array<unknown> = []
  for (const [place, part] of PLACES) {
    await page.evaluate(`location.hash = ${JSON.stringify(place.replace("ID", id))}`)
    await page.locator(part).first().waitFor()
    await expect.poll(() => page.evaluate(READY)).toBe(true)
    found.push({ place, look: await page.evaluate(LOOK) })
  }
  const file = { name: LONG.slice(LONG.lastIndexOf("/") + 1), mimeType: "text/plain", buffer: Buffer.from("x") }
  await page.getByLabel("Files to attach").setInputFiles([file])
  await page.getByRole("button", { name: "Remove" }).waitFor()
  found.push({ place: "an attachment", look: await page.evaluate(LOOK) })
  await page.getByRole("button", { name: "Sessions" }).click()
  await page.getByRole("link", { name: "Docs" }).waitFor()
  found.push({ place: "the sidebar", look: await page.evaluate(LOOK) })
  expect(found).toEqual(found.map((one) => ({ ...(one as object), look: { wide: 0, small: [] } })))
})

it("keeps the composer visible on a phone in landscape, below an ask that is longer than the screen", async () => {
  const script = scriptName("sideways")
  const options = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
  const questions = [{ question: "Which?", header: "Pick", options, multiSelect: false }]
  await new ApiLog(shared.apiUrl).set(script, [{ content: [call("AskUserQuestion", { questions })] }])
  const id = await client.createSession({})
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(script) }, status: 202 })
  const { page } = await openConsole({ width: 667, height: 375, at: `#/sessions/${id}` })
  await page.getByRole("article", { name: "A question for you" }).waitFor()
  const { y, height } = (await page.getByRole("button", { name: "Send next" }).boundingBox()) ?? { y: 0, height: 0 }
  expect(y).toBeGreaterThan(0)
  expect(y + height).toBeLessThanOrEqual(375)
  await page.getByRole("button", { name: "Decline to answer" }).scrollIntoViewIfNeeded()
  const decline = (await page.getByRole("button", { name: "Decline to answer" }).boundingBox()) ?? { y: 0, height: 0 }
  expect(decline.y + decline.height).toBeLessThanOrEqual(y)
})

it("breaks long words in questions and todos, and keeps the button of code in one line", async () => {
  const script = scriptName("words")
  const word = "word".repeat(60)
  const todos = [{ content: word, status: "pending", activeForm: word }]
  const options = [word, "Other"].map((label) => ({ label, description: "." }))
  const questions = [{ question: "Which?", header: "Pick", options, multiSelect: false }]
  await new ApiLog(shared.apiUrl).set(script, [
    { content: [text(`~~~${word}\ncode\n~~~`), call("TodoWrite", { todos })] },
    { content: [call("AskUserQuestion", { questions })] },
  ])
  const id = await client.createSession({})
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ width: 320, height: 640, at: `#/sessions/${id}` })
  const rest = (area: string) =>
    page.locator(area).evaluate(({ scrollWidth, clientWidth }) => Math.max(scrollWidth - clientWidth, 0))
  await page.getByRole("radio", { name: word }).waitFor()
  expect(await rest(".asks")).toBe(0)
  const copy = page.getByRole("button", { name: "Copy the code" })
  expect((await copy.boundingBox())?.height).toBeLessThan(50)
  await page.evaluate(`location.hash = "#/sessions/${id}/time"`)
  await page.locator(".past-todos li").waitFor()
  expect(await rest(".past-facts")).toBe(0)
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await page.getByRole("tab", { name: "Todos" }).click()
  await page.locator(".todo").waitFor()
  // A long list is scrolled by keyboard.
  await page.keyboard.press("Tab")
  expect(await page.evaluate("document.activeElement.className")).toBe("todos-panel")
  expect(await rest(".todos-panel")).toBe(0)
})

it("Enter begins a line on the keyboard of a touch screen, where the button sends", async () => {
  const script = scriptName("lines")
  await new ApiLog(shared.apiUrl).set(script, [textAnswer("Read both.")])
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}`, width: 390, height: 844, isTouch: true })
  const write = async (name: string) => {
    const field = page.getByRole("textbox", { name })
    await field.tap()
    await field.pressSequentially("one")
    await field.press("Enter")
    await field.pressSequentially(promptFor(script))
    expect(await field.inputValue()).toBe(`one\n${promptFor(script)}`)
  }
  await write("Prompt")
  await page.getByRole("button", { name: "Send", exact: true }).tap()
  await page.getByText("Read both.", { exact: true }).waitFor()
  await page.goto(`${shared.url}/#/`)
  await write("What should be done?")
  await page.getByRole("button", { name: "Start", exact: true }).tap()
  await page.getByText("Read both.", { exact: true }).waitFor()
})

it("at phone width the focus goes into the sidebar with it, and back, so that it is never covered", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}`, width: 390 })
  const opener = page.getByRole("button", { name: "Sessions", exact: true })
  const sidebar = page.getByRole("complementary", { name: "Sessions" })
  const isInside = () => sidebar.evaluate((element) => element.contains(element.ownerDocument.activeElement))
  const isBack = () => opener.evaluate((element) => element === element.ownerDocument.activeElement)
  await page.getByText("live", { exact: true }).waitFor()
  await opener.press("Enter")
  await expect.poll(isInside).toBe(true)
  await page.keyboard.press("Escape")
  await sidebar.waitFor({ state: "hidden" })
  await expect.poll(isBack).toBe(true)
  await opener.press("Enter")
  await expect.poll(isInside).toBe(true)
  await page.getByRole("button", { name: "Close", exact: true }).press("Enter")
  await sidebar.waitFor({ state: "hidden" })
  await expect.poll(isBack).toBe(true)
  // Behind its last control the focus is in the page, which is shown again.
  await opener.press("Enter")
  await expect.poll(isInside).toBe(true)
  await page.getByRole("button", { name: "Sign out" }).press("Tab")
  await sidebar.waitFor({ state: "hidden" })
})

it("scrolls to the panel that a button of an ask opens, on a low screen", async () => {
  const script = scriptName("low")
  await new ApiLog(shared.apiUrl).set(script, [
    { content: [call("Bash", { command: "touch a", description: "Touch" })] },
  ])
  const id = await client.createSession({})
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ width: 320, height: 480, at: `#/sessions/${id}` })
  const asks = page.getByRole("region", { name: "Waiting for you" })
  for (const name of ["Edit input…", "Always…", "Deny with a message…"]) {
    await page.getByRole("button", { name }).click()
    const panel = page.locator(".ask-panel")
    const shown = async () => {
      const { y, height } = (await asks.boundingBox())!
      return y + height - (await panel.boundingBox())!.y
    }
    await expect.poll(shown).toBeGreaterThan(24)
  }
})

it("shows numbers whole at 320 px, and the costs scroll with the button of the sidebar", async () => {
  const id = await session()
  const { page } = await openConsole({ width: 320, height: 640, at: `#/sessions/${id}/files` })
  await page.getByRole("tab", { name: "Context" }).click()
  await page.locator(".numbers td").first().waitFor()
  const broken = `[...document.querySelectorAll(".numbers td, .numbers thead th + th")].filter((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getClientRects().length > 1
  }).map(({ textContent }) => textContent)`
  expect(await page.evaluate(broken)).toEqual([])
  await page.evaluate(`location.hash = "#/costs"`)
  // Parts of the page that are read later move the table.
  const toggleEnd = async () => {
    await page.getByRole("table", { name: "By day (UTC)" }).scrollIntoViewIfNeeded()
    const toggle = await page.getByRole("button", { name: "Sessions" }).boundingBox()
    return toggle!.y + toggle!.height
  }
  await expect.poll(toggleEnd).toBeLessThanOrEqual(0)
})

it("shows when each event and hook event was, also at 320 px", async () => {
  const id = await client.createSession({})
  await client.query(id, "Say hello")
  const { page } = await openConsole({ at: `#/sessions/${id}/events`, width: 320 })
  const row = page.getByRole("main").getByRole("listitem").first()
  await row.getByText(/^\d\d:\d\d:\d\d\.\d{3}$/).waitFor()
  const inD1 = () => client.json<{ data: ReadonlyArray<object> }>("GET", `/v1/hook-events?session=${id}&limit=1`)
  await expect.poll(async () => (await inD1()).data.length, { timeout: 20_000 }).toBe(1)
  await page.getByRole("link", { name: "Hook events of this session" }).click()
  await row.getByText(/^\w{3} \d+, \d\d:\d\d:\d\d$/).waitFor()
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320)
})
