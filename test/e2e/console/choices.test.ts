// Choices in the console: a new session's agents, mode and dropped files; a session's model, mode and commands; files dropped
// on the workspace; the theme.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { expect, inject, it, onTestFinished } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

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

/** Drags files and folders of this machine over an element and drops them there, as a person does. */
const dropReal = async (page: Page, on: string, files: ReadonlyArray<string>): Promise<void> => {
  const { x, y, width, height } = (await page.locator(on).boundingBox())!
  const devtools = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await devtools.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 4, data })
}

it("a new session accepts a mode, subagents and a dropped file, and shows errors before it is created", async () => {
  const script = scriptName("choices")
  await api.set(script, [textAnswer("Begun.")])
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
  await api.set(next, [{ content: [write] }, textAnswer("Written unasked.")])
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
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" })
  await prompt.fill(promptFor(next))
  await prompt.press("Enter")
  await log.getByText("Written unasked.").waitFor()
  expect(await read(id, "switched.txt")).toBe("written")
  const modelsOf = async (script: string) => (await api.requests(script)).map(({ body }) => body.model)
  expect(await modelsOf(held)).toEqual(["claude-sonnet-4-5"])
  expect(await modelsOf(next)).toEqual([other, other])
})

it("a model and a mode that are chosen elsewhere are shown, also while no turn runs", async () => {
  const id = await client.createSession({ model: "claude-sonnet-4-5" })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const chosen = (name: string) => page.getByRole("combobox", { name, exact: true }).inputValue()
  await expect.poll(() => chosen("Mode")).toBe("default")
  const json = { model: "claude-haiku-4-5", permissionMode: "acceptEdits" }
  await client.json("PATCH", `/v1/sessions/${id}`, { json })
  await expect.poll(() => chosen("Mode")).toBe("acceptEdits")
  await expect.poll(() => chosen("Model")).toBe("claude-haiku-4-5")
})

it("a plan that is accepted shows the mode in which its turn continues", async () => {
  const script = scriptName("plan")
  const plan = { content: [call("ExitPlanMode", { plan: "1. Go" })] }
  await api.set(script, [plan, { content: [text("On it.")], hold: {} }])
  const id = await client.createSession({ permissionMode: "plan" })
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByLabel("Go on with").selectOption("acceptEdits")
  await page.getByRole("button", { name: "Accept the plan" }).click()
  const mode = page.getByRole("combobox", { name: "Mode", exact: true })
  await expect.poll(() => mode.inputValue()).toBe("acceptEdits")
  await api.release(`${script}#1`)
})

it("a command of the workspace is completed by its name, and runs with the text typed after it", async () => {
  const script = scriptName("command")
  await api.set(script, [textAnswer("Commanded.")])
  const id = await client.createSession({ settingSources: ["project"] })
  const command = "---\ndescription: Makes what is named\nargument-hint: [what]\n---\n[[script:$1]] make $2"
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await page.getByText("live", { exact: true }).waitFor()
  // The list never becomes too old: it is read again because files have changed.
  await page.evaluate("{ const now = Date.now(); Date.now = () => now }")
  const listed = page.waitForResponse(/\/commands$/)
  await prompt.pressSequentially("/mak")
  await listed
  const option = page.getByRole("option", { name: /make.*Makes what is named/ })
  await client.putFile(id, "/workspace/.claude/commands/make.md", command)
  const typed = async () => {
    await prompt.fill("")
    await prompt.pressSequentially("/mak")
    return option.count()
  }
  await expect.poll(typed).toBe(1)
  await prompt.press("Enter")
  await expect.poll(() => prompt.inputValue()).toBe("/make ")
  await prompt.pressSequentially(`${script} tea`)
  await prompt.press("Enter")
  await page.getByRole("log", { name: "Messages" }).getByText("Commanded.").waitFor()
  const [request] = await api.requests(script)
  expect(JSON.stringify(request?.body.messages)).toContain(`[[script:${script}]] make tea`)
})

it("a file that is dropped on the conversation is attached, and one that nothing takes does not replace the page", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  await drop(page, ".messages", "dropped.txt", "dropped text")
  await page.getByRole("list", { name: "Attachments" }).getByText("dropped.txt").waitFor()
  expect(await page.getByRole("list", { name: "Attachments" }).getByRole("listitem").count()).toBe(1)
  const isTaken = (on: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["x"], "x.txt"))
      const event = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true })
      return !document.querySelector(${JSON.stringify(on)}).dispatchEvent(event)
    })()`)
  for (const place of [".sidebar", ".session-header", ".composer", ".messages"]) expect(await isTaken(place)).toBe(true)
})

it("an image is pasted as an attachment, and cells of a table as their text", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  /** Pastes a picture together with these texts; returns whether the page took the files in place of the texts. */
  const paste = (texts: Readonly<Record<string, string>>) =>
    page.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(["x"], "image.png", { type: "image/png" }))
      for (const [type, text] of Object.entries(${JSON.stringify(texts)})) clipboardData.setData(type, text)
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
      return !document.querySelector("#prompt").dispatchEvent(event)
    })()`)
  expect(await paste({ "text/plain": "a\tb", "text/html": "<table><tr><td>a<td>b</table>" })).toBe(false)
  expect(await page.getByRole("list", { name: "Attachments" }).count()).toBe(0)
  expect(await paste({ "text/html": "<img src=x>" })).toBe(true)
  expect(await paste({ "text/plain": "image.png" })).toBe(true)
  await expect.poll(() => page.getByRole("list", { name: "Attachments" }).getByRole("listitem").count()).toBe(2)
})

it("a file that is dropped on the workspace is uploaded", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("The workspace is empty.").waitFor()
  await drop(page, ".files-panel", "here.txt", "put here")
  await page.getByRole("treeitem").filter({ hasText: "here.txt" }).waitFor()
  await expect.poll(() => read(id, "here.txt")).toBe("put here")
})

it("a folder is uploaded to the workspace with its files, and a prompt refuses it", async () => {
  const id = await client.createSession({})
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-dropped-"))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.mkdirSync(path.join(folder, "inner"))
  for (const name of ["one.txt", "inner/two.txt"]) fs.writeFileSync(path.join(folder, name), name)
  const files = ["one.txt", "inner"].map((name) => path.join(folder, name))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  await dropReal(page, ".chat", files)
  const attached = page.getByRole("list", { name: "Attachments" }).getByRole("listitem")
  await attached.filter({ hasText: "one.txt" }).waitFor()
  await page.getByText("A folder can't be attached to a prompt.", { exact: false }).waitFor()
  expect(await attached.count()).toBe(1)
  await page.getByRole("link", { name: "Files", exact: true }).click()
  await page.getByText("The workspace is empty.").waitFor()
  await dropReal(page, ".files-panel", files)
  await page.getByRole("treeitem", { name: "inner" }).waitFor()
  await page.getByRole("treeitem", { name: "one.txt" }).waitFor()
  await expect.poll(() => read(id, "inner/two.txt")).toBe("inner/two.txt")
  expect(await read(id, "one.txt")).toBe("one.txt")
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
