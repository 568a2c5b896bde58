// axe over each screen, in light and dark, at the width of a desktop and of a phone: it finds nothing. Every kind of ask, expanded
// sections and dialogs are screens too; so are the sign-in and the pages of the documentation. No screen is wider than the page,
// each control that has the focus of the keyboard shows it, and the browser reports no error.
import fs from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { type ConsoleOptions, openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** Creates a session and runs a turn whose first answer has this content; the turn ends, or waits for an ask. */
const session = async (options: object, ...content: ReadonlyArray<object>): Promise<string> => {
  const name = scriptName("axe")
  const table = "| | a |\n| - | - |\n| 1 | 2 |\n\n"
  await api.set(name, [{ content }, textAnswer(`${table}${table}All **done**.`)])
  const json = { title: "For axe", options }
  const { id } = (await client.json("POST", "/v1/sessions", { json, status: 201 })) as { readonly id: string }
  await client.request("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) } })
  return id
}

const CHOICES = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const QUESTION = { question: "Which colour?", header: "Colour", options: CHOICES, multiSelect: false }
const PICK = { name: "pick", description: "Picks.", inputSchema: { type: "object", properties: {} } }
const FREE = { permissionMode: "bypassPermissions" }

const worked = session(
  FREE,
  { type: "thinking", thinking: "Two files.", signature: "c2ln" },
  call("Write", { file_path: "/workspace/notes.txt", content: "hello\n" }),
  call("Write", { file_path: "/workspace/notes.txt", content: "hello again\n" }),
  call("Bash", { command: "cat missing.txt" }),
  call("TodoWrite", { todos: [{ content: "Write", status: "in_progress", activeForm: "Writing" }] }),
)
const asking = Promise.all([
  session({}, call("Write", { file_path: "/workspace/a.txt", content: "a\n" })),
  session({}, call("AskUserQuestion", { questions: [QUESTION, { ...QUESTION, question: "All?", multiSelect: true }] })),
  session({ permissionMode: "plan" }, call("ExitPlanMode", { plan: "# Plan\n\n1. Read\n" })),
  session({ ...FREE, clientTools: [PICK] }, call("pick", {})),
])

const PAGES = ["#/", "#/costs", "#/recordings", "#/tenants", "#/hooks", "#/hooks/dead", "#/hooks/webhooks", "#/none"]
const SCREENS = ["chat", "files", "time", "events", "costs"]
const DOCS = ["/docs", "/docs/integrations", "/docs/sessions", "/docs/api", "/docs/formats/parts"]
/** Rules that depend on colours; the others have the same result in both schemes. */
const COLOURS = { runOnly: ["color-contrast", "link-in-text-block"] }

const violationsOf = async (page: Page, place: string, options: object): Promise<ReadonlyArray<string>> => {
  // It stays in the page from screen to screen.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE)
  const run = `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...options })}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as ReadonlyArray<Violation>
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${place}: ${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  )
}

/** The controls of the page that do not show that they have the focus of the keyboard, and what is wider than the page. */
const UNSEEN = `(() => {
  const looks = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    return (outlineStyle === "none" ? "" : outlineWidth) + boxShadow
  }
  const focusable = "a[href], button, input, select, textarea, summary, [tabindex='0'], [contenteditable=true]"
  const found = [...document.querySelectorAll(focusable)].filter((element) => {
    if (element.disabled || !element.checkVisibility({ visibilityProperty: true })) return false
    document.activeElement.blur()
    const before = looks(element)
    element.focus()
    return document.activeElement !== element || looks(element) === before
  })
  const { scrollWidth } = document.documentElement
  return [
    ...found.map((element) => "the focus is not visible: " + element.outerHTML.slice(0, 200)),
    ...(scrollWidth > innerWidth ? ["wider than the page: " + scrollWidth] : []),
  ]
})()`

const unseenIn = async (page: Page, place: string): Promise<ReadonlyArray<string>> => {
  // After a key, the browser shows the focus, as for a user of the keyboard.
  await page.keyboard.press("Tab")
  const found = (await page.evaluate(UNSEEN)) as ReadonlyArray<string>
  return found.map((line) => `${place}: ${line}`)
}

/** Calls `check` in light and then in dark; there, only rules about colours can have another result. */
const inBothSchemes = async (
  page: Page,
  check: (axeOptions: object) => Promise<ReadonlyArray<string>>,
): Promise<ReadonlyArray<string>> => {
  const light = await check({})
  await page.emulateMedia({ colorScheme: "dark" })
  const dark = await check(COLOURS)
  await page.emulateMedia({ colorScheme: "light" })
  return [...light, ...dark.map((line) => `dark: ${line}`)]
}

/** axe changes the page in ways that its policy forbids. */
const open = async (look: ConsoleOptions) => (await openConsole({ ...look, bypassesPolicy: true })).page

const goTo = async (page: Page, hash: string) => {
  // Resolves after the console's own listener, which is older: the screen before has no part of the page any more.
  await page.evaluate(`new Promise((resolve) => {
    if (location.hash === ${JSON.stringify(hash)}) return resolve()
    addEventListener("hashchange", () => resolve(), { once: true })
    location.hash = ${JSON.stringify(hash)}
  })`)
  const isShown = `document.querySelector("main .loading, main [aria-busy=true]") === null`
  await expect.poll(() => page.evaluate(isShown)).toBe(true)
}

it.each([1280, 390])("finds nothing in light and dark, at %i px", async (width) => {
  const [id, asks] = await Promise.all([worked, asking])
  const page = await open({ width, at: "#/" })
  await page.getByRole("main").waitFor()
  const found: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error") found.push(`${page.url()}: ${message.text()}`)
  })
  const check = async (place: string) =>
    found.push(...(await inBothSchemes(page, (options) => violationsOf(page, place, options))))
  for (const hash of [...SCREENS.map((screen) => `#/sessions/${id}/${screen}`), ...PAGES]) {
    await goTo(page, hash)
    await check(hash)
    found.push(...(await inBothSchemes(page, () => unseenIn(page, hash))))
  }
  for (const ask of asks) {
    await goTo(page, `#/sessions/${ask}/chat`)
    const card = page.getByRole("region", { name: "Waiting for you" }).getByRole("article")
    await card.waitFor()
    await check((await card.getAttribute("aria-label")) ?? ask)
  }
  await goTo(page, `#/sessions/${id}/chat`)
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("All done.").waitFor()
  const folds = log.locator("button[aria-expanded=false]:not([aria-haspopup])")
  while ((await folds.count()) > 0) await folds.first().click()
  await check("what is folded out")
  await goTo(page, `#/sessions/${id}/time`)
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByRole("dialog").waitFor()
  await check("a dialog")
  expect(found).toEqual([])
})

it("finds nothing outside of the console, in light and dark", async () => {
  const page = await open({ apiKey: null })
  await page.getByRole("textbox", { name: "API key" }).waitFor()
  const check = (place: string) => inBothSchemes(page, (options) => violationsOf(page, place, options))
  const found = [...(await check("sign-in"))]
  for (const path of DOCS) {
    await page.goto(`${shared.url}${path}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    found.push(...(await check(path)))
  }
  expect(found).toEqual([])
})
