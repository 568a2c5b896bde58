// Asks answered in the console: by keyboard, with a message, with choices, and while another client answers.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { type Ask, PerchClient } from "../../support/server/client.ts"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

const OPTIONS = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const QUESTIONS = [
  { question: "Which?", header: "Pick", options: OPTIONS, multiSelect: false },
  { question: "How many?", header: "Count", options: OPTIONS, multiSelect: true },
]

type Call = ReturnType<typeof call>

/** A session whose turn waits for an answer to this call, or to the first of these, open in the console. */
const waiting = async (use: Call | ReadonlyArray<Call>, options = {}) => {
  const script = scriptName("ask")
  await api.set(script, [{ content: [use].flat() }, textAnswer("All done.")])
  const id = await client.createSession(options)
  const { pending } = await client.json<{ pending: ReadonlyArray<Ask> }>("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: promptFor(script) },
    status: 202,
  })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByRole("region", { name: "Waiting for you" }).waitFor()
  return { id, script, page, request: pending[0]?.request_id ?? "" }
}

const messages = (page: Page) => page.getByRole("log", { name: "Messages" })

const finished = (page: Page) => messages(page).getByText("All done.").waitFor()

/** The call's result as the model read it. */
const resultOf = async (script: string): Promise<string> =>
  JSON.stringify((await api.requests(script)).flatMap(toolResults).map(({ content }) => content))

it("the line numbers of a change are not broken into several lines", async () => {
  const { page } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n".repeat(120) }))
  const ask = page.getByRole("article", { name: "Allow Write?" })
  const lines = ask.locator("td.line:nth-child(2)")
  await ask.getByRole("button", { name: /more of/ }).click()
  await lines.nth(119).waitFor()
  const heights = await Promise.all([0, 11, 119].map(async (index) => (await lines.nth(index).boundingBox())?.height))
  expect(new Set(heights).size).toBe(1)
})

it("a permission is denied by keyboard, with a message that the model reads", async () => {
  const { page, script } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await page.keyboard.press("Alt+A")
  const ask = page.getByRole("article", { name: "Allow Write?" })
  await expect.poll(() => page.evaluate("document.activeElement?.dataset.ask")).toBe("permission")
  await ask.getByRole("button", { name: "Deny with a message…" }).focus()
  await page.keyboard.press("Enter")
  await page.getByLabel("What the model reads instead of a result").fill("Use another name.")
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await finished(page)
  expect(await resultOf(script)).toContain("Use another name.")
})

it("a permission is denied with one click, and the model reads that it was", async () => {
  const { page, script } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await page.getByRole("button", { name: "Deny", exact: true }).click()
  await finished(page)
  expect(await resultOf(script)).toContain("The user rejected this call.")
})

it("a permission is denied without a message, and the turn ends", async () => {
  const { page } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await page.getByRole("button", { name: "Deny with a message…" }).click()
  await page.getByRole("button", { name: "Deny and stop the turn" }).click()
  await messages(page).getByText("The turn was interrupted.").waitFor()
})

it("a permission is allowed with another input, which must be JSON", async () => {
  const { page, id } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await page.getByRole("button", { name: "Edit input…" }).click()
  const editor = page.getByLabel("Input of the call, as JSON")
  await editor.fill("{")
  await page.getByRole("button", { name: "Allow with this input" }).click()
  await page.getByRole("alert").filter({ hasText: "not JSON" }).waitFor()
  await editor.fill(JSON.stringify({ file_path: "/workspace/n.txt", content: "two\n" }))
  await page.getByRole("button", { name: "Allow with this input" }).click()
  await finished(page)
  const file = await fetch(`${shared.url}/v1/sessions/${id}/files/workspace/n.txt`, {
    headers: { authorization: `Bearer ${shared.key}` },
  })
  expect(await file.text()).toBe("two\n")
})

it("the rule that `always` would save is shown, and saved for the session", async () => {
  const { page, id } = await waiting(call("Bash", { command: "touch a.txt" }))
  await page.getByRole("button", { name: "Always…" }).click()
  await page.getByText(/^bash: touch/).waitFor()
  await page.getByRole("button", { name: "Always in this session" }).click()
  await finished(page)
  const { saved } = await client.json<{ saved: ReadonlyArray<unknown> }>(
    "GET",
    `/v1/sessions/${id}/permissions/saved`,
    {},
  )
  expect(saved).toMatchObject([{ permission: "bash", scope: "session" }])
})

it("several questions are answered with a choice, several choices and a free text", async () => {
  const { page, script } = await waiting(call("AskUserQuestion", { questions: QUESTIONS }))
  const [one, many] = [page.getByRole("group", { name: /Which\?/ }), page.getByRole("group", { name: /How many\?/ })]
  await one.getByText("Red", { exact: true }).click()
  await page.getByRole("button", { name: "Answer all" }).click()
  await page.getByRole("alert").filter({ hasText: "How many?" }).waitFor()
  await many.getByText("Blue", { exact: true }).click()
  await many.getByLabel("Another answer to: How many?").fill("Green")
  await page.getByRole("button", { name: "Answer all" }).click()
  await finished(page)
  expect(await resultOf(script)).toContain("Blue, Green")
})

it("a plan is shown as Markdown and sent back with what is missing", async () => {
  const { page, script } = await waiting(call("ExitPlanMode", { plan: "# The steps\n\n1. Write" }), {
    permissionMode: "plan",
  })
  await page.getByRole("group", { name: "The plan" }).getByRole("heading", { name: "The steps" }).waitFor()
  await page.getByLabel("What is missing or wrong").fill("Add tests.")
  await page.getByRole("button", { name: "Keep planning" }).click()
  await finished(page)
  expect(await resultOf(script)).toContain("Add tests.")
})

it("an ask that another client answers disappears with a note", async () => {
  const { page, id, request } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await client.answer(id, request, { behavior: "allow" }, 200)
  const note = page.getByText("“Allow Write?” was settled elsewhere. Dismiss", { exact: true })
  await note.waitFor()
  await finished(page)
  await page.getByRole("main").getByText("idle", { exact: true }).waitFor()
  await note.waitFor()
  await client.query(id, "Say hello")
  await note.waitFor({ state: "detached" })
})

it("only the last asks that another client answers leave a note", async () => {
  const writes = [1, 2, 3, 4, 5].map((n) => call("Write", { file_path: `/workspace/${n}.txt`, content: "one\n" }))
  const { page, id } = await waiting(writes)
  for (const { input } of writes) {
    const name = String(input["file_path"])
    await page.getByRole("article", { name: "Allow Write?" }).getByText(name).first().waitFor()
    const ask = (await client.asks(id)).find((one) => one.input["file_path"] === name)
    await client.answer(id, ask!.request_id, { behavior: "allow" }, 200)
  }
  await finished(page)
  await expect.poll(() => page.locator(".ask-note").count()).toBe(3)
})

it("asks of a turn that is stopped here disappear without a note, and the prompt gets the focus", async () => {
  const { page } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await messages(page).getByText("The turn was interrupted.").waitFor()
  await page.getByRole("article", { name: "Allow Write?" }).waitFor({ state: "detached" })
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("prompt")
  expect(await page.getByText("settled elsewhere").count()).toBe(0)
})

it("an answer that another client's answer has overtaken leaves a note, also when the stream reports that one first", async () => {
  const { page, id, request } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  const ask = page.getByRole("article", { name: "Allow Write?" })
  await page.route("**/permissions/*", async (route) => {
    const json = { behavior: "allow" }
    await client.json("POST", `/v1/sessions/${id}/permissions/${request}`, { json, status: 200 })
    await ask.waitFor({ state: "detached" })
    await route.continue()
  })
  await page.getByRole("button", { name: "Deny", exact: true }).click()
  await page.getByText("“Allow Write?” was settled elsewhere.").first().waitFor()
  await finished(page)
})

it("an ask that the stream reports as answered before this page's answer has returned leaves no note", async () => {
  const { page } = await waiting(call("Write", { file_path: "/workspace/n.txt", content: "one\n" }))
  const answered = Promise.withResolvers<void>()
  await page.route("**/permissions/*", async (route) => {
    const response = await route.fetch()
    await answered.promise
    await route.fulfill({ response })
  })
  await page.getByRole("button", { name: "Allow once" }).click()
  await finished(page)
  await page.getByRole("article", { name: "Allow Write?" }).waitFor({ state: "detached" })
  expect(await page.getByText("settled elsewhere").count()).toBe(0)
  answered.resolve()
})

it("text and choices in an ask are kept while other screens are shown, and cleared for the next ask", async () => {
  const script = scriptName("ask")
  const asking = (question: string) => call("AskUserQuestion", { questions: [{ ...QUESTIONS[0], question }] })
  await api.set(script, [{ content: [asking("First?")] }, { content: [asking("Second?")] }, textAnswer("All done.")])
  const id = await client.createSession({})
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(script) }, status: 202 })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByLabel("Another answer to: First?").fill("Green")
  await page.getByRole("link", { name: "Costs", exact: true }).first().click()
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByLabel("What should be done?").waitFor()
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  expect(await page.getByLabel("Another answer to: First?").inputValue()).toBe("Green")
  await page.getByRole("button", { name: "Answer", exact: true }).click()
  expect(await page.getByLabel("Another answer to: Second?").inputValue()).toBe("")
  await page.getByText("Blue", { exact: true }).click()
  await page.getByRole("button", { name: "Answer", exact: true }).click()
  await finished(page)
  expect(await resultOf(script)).toContain("Green")
})

it("characters that are invisible or change the text direction are shown by name, and are kept by an edit", async () => {
  const input = { file_path: "/workspace/photo\u202Egpj.sh", content: "if (ok\u202E) {\n" }
  const { page, id } = await waiting(call("Write", input))
  const ask = page.getByRole("article", { name: "Allow Write?" })
  await ask.getByText("/workspace/photo⟨U+202E⟩gpj.sh").waitFor()
  await ask.getByText("if (ok⟨U+202E⟩) {").waitFor()
  await ask.getByRole("button", { name: "Edit input…" }).click()
  expect(await ask.getByLabel("Input of the call, as JSON").inputValue()).toContain("photo\\u202Egpj.sh")
  await ask.getByRole("button", { name: "Allow with this input" }).click()
  await finished(page)
  const { files } = await client.json<{ files: ReadonlyArray<{ path: string }> }>("GET", `/v1/sessions/${id}/files`, {})
  expect(files.map(({ path }) => path)).toContain(input.file_path)
})

it("questions and plans show such characters by their names, and an answer keeps them", async () => {
  const options = ["keep\u202Eeteled", "stop"].map((label) => ({ label, description: `${label}.` }))
  const questions = [{ question: "Really\u202E?", header: "Sure", options, multiSelect: false }]
  const { page, script } = await waiting(call("AskUserQuestion", { questions }))
  const ask = page.getByRole("article", { name: "A question for you" })
  await ask.getByText("Really⟨U+202E⟩?").waitFor()
  await ask.getByText("keep⟨U+202E⟩eteled", { exact: true }).click()
  await ask.getByRole("button", { name: "Answer", exact: true }).click()
  await finished(page)
  expect(await resultOf(script)).toContain("keep\u202Eeteled")
  const planned = await waiting(call("ExitPlanMode", { plan: "a\u202Eb" }), { permissionMode: "plan" })
  await planned.page.getByRole("article", { name: "A plan to approve" }).getByText("a⟨U+202E⟩b").waitFor()
})
