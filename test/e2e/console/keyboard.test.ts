// The console by keyboard alone, from sign-in to sign-out: what Tab reaches, and the shortcuts.
// Invariant: the test never clicks and never focuses anything itself; `tabTo` presses Tab until the element has the focus.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const OPTIONS = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const QUESTIONS = [{ question: "Which?", header: "Pick", options: OPTIONS, multiSelect: false }]
const PATH = "/workspace/notes.txt"

/** The focused element: its role or tag, and its name. */
const FOCUSED = `(() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  const text = (of) => (of?.textContent ?? "").trim().replace(/\\s+/g, " ")
  const role = element.getAttribute("role") ?? element.localName
  return role + " " + (element.getAttribute("aria-label") ?? (text(element.labels?.[0]) || text(element)))
})()`

const focused = async (page: Page): Promise<string> => String(await page.evaluate(FOCUSED))

/** Presses Tab, or Shift+Tab, until an element that matches the pattern has the focus. */
const tabTo = async (page: Page, wanted: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> => {
  const seen: Array<string> = []
  while (seen.length < 120) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (wanted.test(now)) return
    seen.push(now.slice(0, 40))
  }
  expect.fail(`${key} does not reach ${String(wanted)}. It went to: ${seen.join(" | ")}`)
}

const press = async (page: Page, ...keys: ReadonlyArray<string>): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

const go = async (page: Page, link: RegExp): Promise<void> => {
  await tabTo(page, link, "Shift+Tab")
  await press(page, "Enter")
}

/** The session's script: it writes a file, which needs an ask, asks a question, and reads the file. */
const flow = async (): Promise<string> => {
  const script = scriptName("keyboard")
  await api.set(script, [
    { content: [call("Write", { file_path: PATH, content: "one\n" })] },
    { content: [call("AskUserQuestion", { questions: QUESTIONS })] },
    { content: [call("Read", { file_path: PATH })] },
    textAnswer("All done."),
  ])
  return script
}

it("the whole flow works by keyboard alone", async () => {
  const script = await flow()
  const held = scriptName("held")
  await api.set(held, [{ content: [text("Never shown.")], hold: {} }])
  const { page } = await openConsole({ apiKey: null })
  const log = page.getByRole("log", { name: "Messages" })
  const focus = (wanted: RegExp) => expect.poll(() => focused(page)).toMatch(wanted)

  await page.getByLabel("API key").waitFor()
  await focus(/^input API key/)
  await page.keyboard.type(shared.key)
  await press(page, "Enter")
  // At first the page itself has the focus, with all its text.
  await focus(/^textarea What should be done/)
  await page.keyboard.type(promptFor(script))
  await press(page, "Enter")

  await page.getByRole("article", { name: "Allow Write?" }).waitFor()
  await press(page, "Alt+A")
  await focus(/^article/)
  await tabTo(page, /^button Allow once/)
  await press(page, "Enter")
  const question = page.getByRole("group", { name: /Which\?/ })
  await question.waitFor()
  await press(page, "Alt+A")
  await focus(/^article/)
  await tabTo(page, /^input Red/)
  await press(page, " ")
  await tabTo(page, /^button Answer/)
  await press(page, "Enter")
  await log.getByText("All done.").waitFor()
  expect(JSON.stringify((await api.requests(script)).flatMap(toolResults))).toContain("Red")

  // The answer returned the focus to the prompt.
  await focus(/^textarea Prompt/)
  const stop = page.getByRole("button", { name: "Stop", exact: true })
  // The turn ends after its text is shown: until then, the button is that of the first turn.
  await stop.waitFor({ state: "detached" })
  await page.keyboard.type(promptFor(held))
  await press(page, "Enter")
  await stop.waitFor()
  await press(page, "Escape")
  await stop.waitFor({ state: "detached" })

  await tabTo(page, /Message actions/, "Shift+Tab")
  await press(page, "Enter")
  await focus(/^menuitem Copy the text/)
  await press(page, "ArrowDown")
  await focus(/^menuitem Copy as JSON/)
  await press(page, "Escape")
  await focus(/Message actions/)
  await tabTo(page, /^button .*Read/, "Shift+Tab")
  await press(page, "Enter")
  await log.locator(".tool", { hasText: "Read" }).locator(".fold-body").waitFor()

  await go(page, /^a Files/)
  await page.getByRole("treeitem").filter({ hasText: "notes.txt" }).waitFor()
  await tabTo(page, /^tree Files/)
  await press(page, "End", "Enter")
  await page.getByRole("textbox", { name: PATH }).waitFor()
  await tabTo(page, /^textbox .*notes\.txt/)
  await press(page, "Control+End")
  await page.keyboard.type("two")
  await page.getByText("not saved").waitFor()
  await press(page, "Control+S")
  await page.getByText("not saved").waitFor({ state: "detached" })
  const session = new URL(page.url()).hash.split("/")[2] ?? ""
  const file = await fetch(`${shared.url}/v1/sessions/${session}/files${PATH}`, {
    headers: { authorization: `Bearer ${shared.key}` },
  })
  expect(await file.text()).toBe("one\ntwo")

  // Escape lets Shift+Tab leave the editor, in which Tab indents.
  await press(page, "Escape")
  await go(page, /^a Time/)
  await page.getByRole("slider", { name: "Place in the log" }).waitFor()
  await tabTo(page, /Place in the log/)
  await press(page, "ArrowLeft")
  await page.getByRole("slider", { name: "Place in the log" }).and(page.locator("[aria-valuetext^='Event']")).waitFor()
  await press(page, "Home")
  await page.locator("[aria-valuetext^='Event 1 of']").waitFor()

  await go(page, /^a Events/)
  await page.locator(".event-row").first().waitFor()
  await tabTo(page, /^input Name or pattern/)
  await page.keyboard.type("turn:*")
  await page.locator(".event-row").filter({ hasNotText: "turn:" }).first().waitFor({ state: "detached" })
  await page.locator(".event-row").filter({ hasText: "turn:" }).first().waitFor()
  await tabTo(page, /^button .*turn:/)
  await press(page, "Enter")
  await page.getByRole("link", { name: "Show in Time" }).waitFor()

  await go(page, /^button Sign out/)
  await page.getByLabel("API key").waitFor()
  expect(await page.evaluate("sessionStorage.length")).toBe(0)
})
