// Choices in the console: a new session's agents, mode and dropped files; a session's model, mode and commands; files dropped
// on the workspace; the theme.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)
const headers = { authorization: `Bearer ${shared.key}` }

const read = async (id: string, path: string): Promise<string> =>
  (await fetch(`${shared.url}/v1/sessions/${id}/files/workspace/${path}`, { headers })).text()

/** Drops a file with this name and text on an element. */
const drop = async (page: Page, on: string, name: string, content: string): Promise<void> => {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: "text/plain" }))
    return transfer
  })()`)
  await page.dispatchEvent(on, "drop", { dataTransfer })
}

it("a new session accepts a mode, subagents and a dropped file, and shows errors before it is created", async () => {
  const script = scriptName("choices")
  await api.set(script, [{ content: [text("Begun.")] }])
  const { page } = await openConsole({ at: "#/" })
  await page.getByLabel("What should be done?").fill(promptFor(script))
  await drop(page, ".new-session", "dropped.txt", "dropped text")
  await page.getByRole("list", { name: "Attachments" }).getByText("dropped.txt").waitFor()
  await page.getByLabel("Mode", { exact: true }).selectOption("acceptEdits")
  await page.getByText("Title, agents, working directory, limits").click()
  await page.getByLabel("Title", { exact: true }).fill("Chosen title")
  const agents = page.getByLabel("Subagents of this session, as JSON")
  await agents.fill("{")
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("alert").filter({ hasText: /JSON/ }).waitFor()
  await agents.fill(JSON.stringify({ reviewer: { description: "Reviews.", prompt: "You review." } }))
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("heading", { name: "Chosen title" }).waitFor()
  await page.getByRole("log", { name: "Messages" }).getByText("Begun.").waitFor()
  const id = new URL(page.url()).hash.split("/")[2] ?? ""
  expect(await client.json("GET", `/v1/sessions/${id}`, {})).toMatchObject({
    permissionMode: "acceptEdits",
    options: { agents: { reviewer: { description: "Reviews." } } },
  })
  expect(await read(id, "uploads/dropped.txt")).toBe("dropped text")
})

it("the model and the mode are changed during a turn, and apply from the next one on", async () => {
  const [held, next] = [scriptName("held"), scriptName("switched")]
  await api.set(held, [{ content: [text("Held no more.")], hold: {} }])
  const write = call("Write", { file_path: "/workspace/switched.txt", content: "written" })
  await api.set(next, [{ content: [write] }, { content: [text("Written unasked.")] }])
  const id = await client.createSession({ model: "claude-sonnet-4-5" })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const [prompt, log] = [page.getByRole("textbox", { name: "Prompt" }), page.getByRole("log", { name: "Messages" })]
  await prompt.fill(promptFor(held))
  await prompt.press("Enter")
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor()
  const select = page.getByLabel("Model", { exact: true })
  await select.locator("option").nth(1).waitFor({ state: "attached" })
  const values = await select.locator("option").evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""))
  const other = values.find((value) => value !== "claude-sonnet-4-5") ?? ""
  await select.selectOption(other)
  await page.getByLabel("Mode", { exact: true }).selectOption("acceptEdits")
  await expect
    .poll(() => client.json("GET", `/v1/sessions/${id}`, {}))
    .toMatchObject({ model: other, permissionMode: "acceptEdits", state: "running" })
  await api.release(`${held}#0`)
  await log.getByText("Held no more.").waitFor()
  await prompt.fill(promptFor(next))
  await prompt.press("Enter")
  await log.getByText("Written unasked.").waitFor()
  expect(await read(id, "switched.txt")).toBe("written")
  const modelsOf = async (script: string) => (await api.requests(script)).map(({ body }) => body.model)
  expect(await modelsOf(held)).toEqual(["claude-sonnet-4-5"])
  expect(await modelsOf(next)).toEqual([other, other])
})

it("a command of the workspace is completed by its name, and runs with the text typed after it", async () => {
  const script = scriptName("command")
  await api.set(script, [{ content: [text("Commanded.")] }])
  const id = await client.createSession({ settingSources: ["project"] })
  const command = "---\ndescription: Makes what is named\nargument-hint: [what]\n---\n[[script:$1]] make $2"
  await client.putFile(id, "/workspace/.claude/commands/make.md", command)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await page.getByText("live", { exact: true }).waitFor()
  await prompt.pressSequentially("/mak")
  await page.getByRole("option", { name: /make.*Makes what is named/ }).waitFor()
  await prompt.press("Enter")
  expect(await prompt.inputValue()).toBe("/make ")
  await prompt.pressSequentially(`${script} tea`)
  await prompt.press("Enter")
  await page.getByRole("log", { name: "Messages" }).getByText("Commanded.").waitFor()
  const [request] = await api.requests(script)
  expect(JSON.stringify(request?.body.messages)).toContain(`[[script:${script}]] make tea`)
})

it("a file that is dropped on the workspace is uploaded", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("The workspace is empty.").waitFor()
  await drop(page, ".files-panel", "here.txt", "put here")
  await page.getByRole("treeitem").filter({ hasText: "here.txt" }).waitFor()
  expect(await read(id, "here.txt")).toBe("put here")
})

it("the theme is switched and kept, and at phone width the list of sessions opens over the page", async () => {
  const { page } = await openConsole({ at: "#/", width: 390 })
  const search = page.getByLabel("Search sessions")
  await page.getByLabel("What should be done?").waitFor()
  expect(await search.isVisible()).toBe(false)
  await page.getByRole("button", { name: "Sessions", exact: true }).click()
  await search.waitFor()
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
  const light = await background()
  await page.getByLabel("Theme").selectOption("dark")
  await expect.poll(background).not.toBe(light)
  await page.reload()
  await page.getByLabel("What should be done?").waitFor()
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark")
  expect(await background()).not.toBe(light)
})
