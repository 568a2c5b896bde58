// What a person chooses: a new session's agents, mode and dropped files; a session's model; files dropped on the workspace; the theme.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

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

it("a new session takes a mode, subagents and a dropped file, and shows what is wrong before it is made", async () => {
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

it("the model of a session is switched where prompts are written", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const select = page.getByLabel("Model", { exact: true })
  await select.locator("option").nth(1).waitFor({ state: "attached" })
  const current = await select.inputValue()
  const values = await select.locator("option").evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""))
  const other = values.find((value) => value !== current) ?? ""
  await select.selectOption(other)
  await expect
    .poll(async () => (await client.json<{ model: string }>("GET", `/v1/sessions/${id}`, {})).model)
    .toBe(other)
})

it("a file that is dropped on the workspace is uploaded", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("The workspace is empty.").waitFor()
  await drop(page, ".files-panel", "here.txt", "put here")
  await page.getByRole("treeitem").filter({ hasText: "here.txt" }).waitFor()
  expect(await read(id, "here.txt")).toBe("put here")
})

it("the theme is switched and kept, and at phone width the sessions open over the page", async () => {
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
