// The conversation in a browser: the parts of an answer, streaming, and pages of a long history.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const sessionOf = async (json: object): Promise<string> => {
  const { id } = (await client.json("POST", "/v1/sessions", { json, status: 201 })) as { readonly id: string }
  return id
}

it("shows thinking, a file that is written, Markdown and the actions of a message", async () => {
  const name = scriptName("chat")
  const thinking = { type: "thinking", thinking: "The file first.", signature: "c2lnbmVk" }
  const redacted = { type: "redacted_thinking", data: "AAAA" }
  const write = call("Write", { file_path: "/workspace/a.txt", content: "one\ntwo\n" })
  await api.set(name, [
    { content: [thinking, redacted, write] },
    textAnswer("## Done\n\n- [x] written\n\n```ts\nconst a = 1\n```\n\n<b>no markup</b>"),
  ])
  const id = await sessionOf({ title: "Chat", options: { permissionMode: "bypassPermissions" } })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await page.getByText("live", { exact: true }).waitFor()
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) }, status: 200 })
  await log.getByRole("heading", { name: "Done", exact: true }).waitFor()
  await log.getByText("<b>no markup</b>").waitFor()
  // The highlighter is loaded when code is first shown, and its languages are registered while the page is idle.
  await log.locator(".hljs-keyword", { hasText: "const" }).waitFor()
  await log.getByRole("img", { name: "done" }).waitFor()
  // The badge of its signature is in the header; redacted thinking has none.
  await log.getByRole("button", { name: /^Thinking.* signed$/ }).click()
  await log.getByText("The file first.").waitFor()
  await log.getByRole("button", { name: /Redacted thinking/ }).click()
  await log.getByText("encrypted this part").waitFor()
  await log.getByRole("group", { name: "Changes in /workspace/a.txt" }).getByText("two").waitFor()
  await log.getByRole("button", { name: "Message actions" }).last().click()
  await page.getByRole("menuitem", { name: "Fork from here" }).waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("menuitem").first().waitFor({ state: "detached" })
})

it("shows where a new conversation starts, and the lines of an answer as they were written", async () => {
  const id = await sessionOf({ title: "Cleared" })
  await client.query(id, "/clear")
  await client.query(id, "/cost")
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("Cost:").waitFor()
  // The page may get the answer as an event before it has the messages from D1.
  await log.getByText("The model does not remember what is above.").waitFor()
  const answer = log.getByRole("paragraph").filter({ hasText: "Cost:" })
  expect((await answer.innerText()).split("\n").map((line) => line.split(":")[0])).toEqual(["Cost", "Time", "Lines"])
})

it("a prompt that only has the text of a command has no mark of a new conversation", async () => {
  const question = { ...history(1)[0], message: { role: "user", content: "/clear" } }
  const id = await sessionOf({ title: "Imported", history: [question, ...history(1).slice(1)] })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("/clear", { exact: true }).waitFor()
  await log.getByText("Answer 0.", { exact: true }).waitFor()
  expect(await log.getByText("The model does not remember what is above.").count()).toBe(0)
})

it("a table whose text runs from right to left begins on the right", async () => {
  const name = scriptName("rtl")
  const table = "| العمود | الثاني |\n| --- | --: |\n| واحد | 2 |\n\n> اقتباس"
  await api.set(name, [textAnswer(table)])
  const id = await sessionOf({ title: "Right to left" })
  await client.query(id, promptFor(name))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  const placeOf = async (column: string) => (await log.getByRole("columnheader", { name: column }).boundingBox())!.x
  expect(await placeOf("العمود")).toBeGreaterThan(await placeOf("الثاني"))
  const direction = (element: string) =>
    page.evaluate(`getComputedStyle(document.querySelector("${element}")).direction`)
  expect(await direction(".markdown blockquote")).toBe("rtl")
  expect(await page.evaluate(`getComputedStyle(document.querySelector(".markdown .align-right")).textAlign`)).toBe(
    "right",
  )
})

const ANSWER = {
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}

const history = (count: number) =>
  Array.from({ length: count }, (_, n) => [
    { type: "user", uuid: crypto.randomUUID(), message: { role: "user", content: `Question ${n}.` } },
    {
      type: "assistant",
      uuid: crypto.randomUUID(),
      message: { ...ANSWER, id: `msg_${n}`, content: [text(`Answer ${n}.`)] },
    },
  ])
    .flat()
    .map((message) => ({ ...message, session_id: "", parent_tool_use_id: null }))

it("opens a long history at its end, and loads older messages when the reader scrolls there", async () => {
  const id = await sessionOf({ title: "Long", history: history(120) })
  const { page } = await openConsole()
  const log = page.getByRole("log", { name: "Messages" })
  // Of everything that is loaded with a session, the messages arrive last: they are shown at once, scrolled to the end.
  const others = Promise.all([page.waitForResponse(/\/permissions$/), page.waitForResponse(/\/todos$/)])
  let pages = 0
  await page.route(`**/v1/sessions/${id}/messages**`, async (route) => {
    pages += 1
    await others
    await route.continue()
  })
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  await log.getByText("Answer 119.", { exact: true }).waitFor()
  expect(pages).toBe(1)
  expect(await log.getByRole("article").count()).toBeLessThan(60)
  await log.focus()
  await page.keyboard.press("k")
  const focused = () => page.evaluate(`document.activeElement?.closest("article")?.textContent`)
  await expect.poll(focused).toContain("Answer 119.")
  await page.keyboard.press("k")
  await expect.poll(focused).toContain("Question 119.")
  const first = log.getByText("Question 0.", { exact: true })
  await expect
    .poll(
      async () => {
        await log.evaluate((element) => element.scrollTo(0, 0))
        return first.count()
      },
      { timeout: 30_000 },
    )
    .toBe(1)
  await page.getByRole("button", { name: "Latest" }).click()
  await log.getByText("Answer 119.", { exact: true }).waitFor()
  await page.unrouteAll()
  await page.reload()
  await log.getByText("Answer 119.", { exact: true }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  // A revert to a message that is older than the loaded ones.
  const oldest = `/v1/sessions/${id}/messages?format=parts&limit=3`
  const { messages } = await client.json<{ messages: ReadonlyArray<{ info: { id: string } }> }>("GET", oldest)
  await client.json("POST", `/v1/sessions/${id}/revert`, { json: { messageID: messages[2]?.info.id } })
  await log.getByText("Answer 0.", { exact: true }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  await client.json("POST", `/v1/sessions/${id}/unrevert`, { json: {} })
  await log.getByText("Answer 119.", { exact: true }).waitFor()
  expect(await page.getByRole("alert").count()).toBe(0)
})

it("shows what a turn added between the reads of a conversation and of its session", async () => {
  const [first, second] = [scriptName("before"), scriptName("between")]
  await api.set(first, [textAnswer("The answer before.")])
  await api.set(second, [textAnswer("The answer between.")])
  const id = await sessionOf({ title: "Between" })
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(first) }, status: 200 })
  const { page } = await openConsole()
  const paged = page.waitForResponse((response) => response.url().includes(`/v1/sessions/${id}/messages`))
  let held = true
  await page.route(`**/v1/sessions/${id}`, async (route) => {
    if (held) {
      held = false
      await paged
      await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(second) }, status: 200 })
    }
    await route.continue()
  })
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("The answer before.", { exact: true }).waitFor()
  await log.getByText("The answer between.", { exact: true }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  expect(await log.getByText("The answer between.", { exact: true }).count()).toBe(1)
})

it("shows the beginning of very long code at once, and all of it at a click", async () => {
  const lines = Array.from({ length: 9000 }, (_, index) => `const value${index} = compute(${index}, "some text");`)
  const script = scriptName("code")
  await api.set(script, [
    { content: [text(`Here:\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\`\n\nThe end.`)], chunk: 50_000 },
  ])
  const id = await sessionOf({ title: "Code" })
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(script) }, status: 200 })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const code = page.getByRole("log", { name: "Messages" }).locator("pre").filter({ hasText: "value0" })
  const shown = async () => (await code.innerText()).split("\n").length
  await code.waitFor()
  expect(await shown()).toBeLessThan(1000)
  await page.getByRole("button", { name: /^Show all of .* \(9,000 lines\)$/ }).press("Enter")
  await expect.poll(shown).toBe(9000)
  // The button has disappeared: the keyboard goes on from the code.
  await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("PRE")
})

it("shows the beginning of a very long answer at once, more of it at each click, and copies all of it", async () => {
  const answer = Array.from({ length: 3000 }, (_, index) => `Paragraph **${index}** of a long answer.`).join("\n\n")
  const message = { ...ANSWER, id: "msg_long", content: [text(answer)] }
  const assistant = { type: "assistant", uuid: crypto.randomUUID(), session_id: "", parent_tool_use_id: null, message }
  const [question] = history(1)
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join("\n")
  const prompt = { ...question, message: { role: "user", content: lines } }
  const id = await sessionOf({ title: "Long answer", history: [prompt, assistant] })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  const more = log.getByRole("button", { name: /^Show more of .* \(5,999 lines\)$/ })
  const paragraphs = log.locator(".markdown p", { hasText: "of a long answer" })
  await more.waitFor()
  expect(await paragraphs.count()).toBeLessThan(1100)
  // All of both is printed.
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  await log.getByText("Line 59.").waitFor()
  await expect.poll(() => paragraphs.count()).toBe(3000)
  await page.evaluate("dispatchEvent(new Event('afterprint'))")
  await more.waitFor()
  await page.evaluate("navigator.clipboard.writeText = async (text) => { document.copied = text }")
  await log.getByRole("button", { name: "Message actions" }).last().click()
  await page.getByRole("menuitem", { name: "Copy the text" }).click()
  await expect.poll(() => page.evaluate("document.copied")).toBe(answer)
  await more.press("Enter")
  await more.waitFor({ state: "detached" })
  await expect.poll(() => paragraphs.count()).toBe(3000)
  await expect.poll(() => page.evaluate("document.activeElement?.className")).toBe("markdown-text")
})

it("prints the whole conversation that is loaded, dark on white, also in the dark theme", async () => {
  const id = await sessionOf({ title: "Printed", history: history(40) })
  const { page } = await openConsole({ at: `#/sessions/${id}`, colorScheme: "dark" })
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByText("Answer 39.", { exact: true }).waitFor()
  await page.emulateMedia({ media: "print", colorScheme: "dark" })
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  // A page of them is loaded at first.
  await expect.poll(() => log.getByRole("article").count()).toBeGreaterThanOrEqual(50)
  await log.getByText("Answer 15.", { exact: true }).waitFor()
  // Chromium updates rows that it had already painted in the dark theme with its next frames.
  await expect
    .poll(() => page.evaluate("getComputedStyle(document.querySelector('.markdown p')).color"))
    .toBe("rgb(0, 0, 0)")
  const area = await log.evaluate((element) => [element.clientHeight, element.scrollHeight])
  expect(area[0]).toBe(area[1])
  expect(await page.getByRole("textbox", { name: "Prompt" }).isVisible()).toBe(false)
  await page.evaluate("dispatchEvent(new Event('afterprint'))")
  await page.emulateMedia({ media: "screen" })
  await expect.poll(() => log.getByRole("article").count()).toBeLessThan(50)
})

it("shows that a turn was interrupted once, whether it had an answer or not", async () => {
  const [none, some, queued] = [scriptName("none"), scriptName("some"), scriptName("queued")]
  await api.set(none, [textAnswer("Late.", { hold: {} })])
  await api.set(some, [{ content: [call("Bash", { command: "sleep 60" })] }, textAnswer("Never.")])
  await api.set(queued, [textAnswer("After it.")])
  const id = await sessionOf({ title: "Interrupted", options: { permissionMode: "bypassPermissions" } })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  const stop = page.getByRole("button", { name: "Stop", exact: true })
  const shown = () => log.getByText("The turn was interrupted.").count()
  await client.submit(id, promptFor(none))
  await stop.click()
  await expect.poll(shown).toBe(1)
  await client.submit(id, promptFor(some))
  await log.locator(".tool.running").waitFor()
  await client.submit(id, promptFor(queued))
  await stop.click()
  await log.getByText("After it.").waitFor()
  await log.getByText("Added for the model: [Request interrupted by user for tool use]").waitFor()
  await expect.poll(shown).toBe(2)
  await page.reload()
  await expect.poll(shown).toBe(2)
  await api.release(`${none}#0`)
})
