// In the chat: a subagent's activity below its call, images of a prompt and of a tool, and an API error with a way to continue.
import { expect, inject, it } from "vitest"
import { PNG } from "../../mcp/calculator.ts"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

const scripted = (...turns: ReadonlyArray<unknown>): Promise<string> => api.add("agents", turns)

const FREE = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }

it("shows a subagent's messages and report below its call", async () => {
  const write = call("Write", { file_path: "/workspace/part.txt", content: "a part\n" })
  const sub = await scripted({ content: [text("I begin."), write] }, textAnswer("The report."))
  const task = {
    description: "write a part",
    subagent_type: "writer",
    prompt: promptFor(sub),
    run_in_background: false,
  }
  const main = await scripted({ content: [call("Agent", task)] }, textAnswer("All parts are there."))
  const agents = { writer: { description: "Writes.", prompt: "You write." } }
  const id = await client.createSession({ ...FREE, agents })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await page.getByText("live", { exact: true }).waitFor()
  await client.query(id, promptFor(main))
  await log.getByText("All parts are there.").waitFor()
  const card = log.getByRole("button", { name: /write a part/ })
  await card.click()
  await log.getByText("The report.").waitFor()
  await log.getByRole("button", { name: /messages of the subagent/ }).click()
  await log.getByText("I begin.").waitFor()
  await log.getByRole("group", { name: "Changes in /workspace/part.txt" }).getByText("a part").waitFor()
})

it("shows the messages of a subagent in the background while it works, and after a reload", async () => {
  const write = call("Write", { file_path: "/workspace/behind.txt", content: "from behind\n" })
  const sub = scriptName("behind")
  const turns = [{ content: [text("I begin behind."), write] }, { content: [text("Done behind.")], hold: {} }]
  await api.set(sub, turns)
  const task = {
    description: "write behind",
    subagent_type: "writer",
    prompt: promptFor(sub),
    run_in_background: true,
  }
  const answers = [text("It works behind."), text("It has ended.")].map((answer) => ({ content: [answer] }))
  const main = await scripted({ content: [call("Agent", task)] }, ...answers)
  const agents = { writer: { description: "Writes.", prompt: "You write." } }
  const id = await client.createSession({ ...FREE, agents })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await page.getByRole("textbox", { name: "Prompt" }).fill(promptFor(main))
  await page.keyboard.press("Enter")
  const open = async (card: RegExp) => {
    await log.getByRole("button", { name: card }).click()
    await log.getByRole("button", { name: "Messages of the subagent" }).click()
    await log.getByText("I begin behind.").waitFor()
    await log.getByRole("group", { name: "Changes in /workspace/behind.txt" }).getByText("from behind").waitFor()
  }
  await log.getByText("It works behind.").waitFor()
  await open(/Agent write behind.*started in the background/)
  await api.release(`${sub}#1`)
  await log.getByText("Done behind.").first().waitFor()
  await log.getByText("It has ended.").waitFor()
  await page.reload()
  await log.getByText("It works behind.").waitFor()
  await open(/Agent write behind.*done in the background/)
  await log.getByText("Done behind.").first().waitFor()
})

it("shows the images of a prompt and of a file that was read, from their bytes", async () => {
  const script = await scripted({ content: [call("Read", { file_path: "/workspace/dot.png" })] }, textAnswer("Seen."))
  const id = await client.createSession(FREE)
  const headers = { authorization: `Bearer ${shared.key}` }
  const url = `${shared.url}/v1/sessions/${id}/files/workspace/dot.png`
  const stored = await fetch(url, { method: "PUT", headers, body: Buffer.from(PNG, "base64") })
  expect(stored.ok).toBe(true)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  await page.getByRole("textbox", { name: "Prompt" }).fill(promptFor(script))
  const image = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") }
  await page.getByLabel("Files to attach").setInputFiles([image])
  await page.getByRole("button", { name: "Send", exact: true }).click()
  await log.getByText("Seen.").waitFor()
  const loaded = `[...document.querySelectorAll("[role=log] img")].filter((image) => image.naturalWidth === 1).length`
  await expect.poll(() => page.evaluate(loaded)).toBe(2)
  expect(
    await log.locator("img").evaluateAll((all) => all.map((image) => image.getAttribute("src")?.slice(0, 15))),
  ).toEqual(["data:image/png;", "data:image/png;"])
})

it("shows the error of a model request, and accepts the next prompt", async () => {
  const error = { status: 400, type: "invalid_request_error", message: "This prompt is refused." }
  const failing = await scripted({ content: [], error })
  const next = await scripted(textAnswer("Here again."))
  const id = await client.createSession(FREE)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await prompt.fill(promptFor(failing))
  await prompt.press("Enter")
  await log.getByText("This prompt is refused.").first().waitFor()
  await prompt.fill(promptFor(next))
  await prompt.press("Enter")
  await log.getByText("Here again.").waitFor()
})

it("shows why messages and files can't be read, and reads them after a retry", async () => {
  const id = await client.createSession(FREE)
  await client.query(id, promptFor(await scripted(textAnswer("Once more."))))
  const { page } = await openConsole({ apiKey: null })
  const refusal = JSON.stringify({
    type: "error",
    error: { type: "invalid_request_error", message: "Not now, says the test." },
  })
  const answer = { status: 400, contentType: "application/json", body: refusal }
  const paths = [`**/v1/sessions/${id}/messages**`, `**/v1/sessions/${id}/files**`]
  for (const path of paths) await page.route(path, (route) => route.fulfill(answer))
  await page.getByLabel("API key").fill(shared.key)
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "New session" }).waitFor()
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  const alert = page.getByRole("alert").filter({ hasText: "Not now, says the test." })
  await alert.waitFor()
  await page.unroute(paths[0] ?? "")
  await alert.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("log", { name: "Messages" }).getByText("Once more.").waitFor()
  await page.getByRole("link", { name: "Files", exact: true }).click()
  await alert.waitFor()
  await page.unroute(paths[1] ?? "")
  await alert.getByRole("button", { name: "Try again" }).click()
  await page.getByText("The workspace is empty.").waitFor()
  // An unknown session: the reason is shown, and no prompt that could not be sent.
  await page.evaluate(`location.hash = "#/sessions/${crypto.randomUUID()}"`)
  await page.getByRole("alert").filter({ hasText: "There is no such session." }).waitFor()
  expect(await page.getByRole("textbox", { name: "Prompt" }).count()).toBe(0)
})
