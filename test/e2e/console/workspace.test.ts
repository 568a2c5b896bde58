// The screen "Files" in a browser: the operations of a person on the workspace.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { downloaded, openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

const makeSession = async (): Promise<string> => {
  const json = { title: "Workspace", options: { permissionMode: "bypassPermissions" } }
  return ((await client.json("POST", "/v1/sessions", { json, status: 201 })) as { readonly id: string }).id
}

const urlOf = (id: string, path: string) => `${shared.url}/v1/sessions/${id}/files${path}`
const headers = { authorization: `Bearer ${shared.key}` }

const write = async (id: string, path: string, body: string): Promise<void> => {
  const response = await fetch(urlOf(id, path), { method: "PUT", headers, body })
  expect(response.ok).toBe(true)
}

const read = async (id: string, path: string): Promise<string | null> => {
  const response = await fetch(urlOf(id, path), { headers })
  const text = await response.text()
  return response.ok ? text : null
}

const prompt = (id: string, text: string) =>
  client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: text }, status: 200 })

const row = (page: Page, name: string) => page.getByRole("treeitem").filter({ hasText: name })

it("a file that changes while it is edited is a conflict, and the edited version is kept when chosen", async () => {
  const id = await makeSession()
  await write(id, "/workspace/src/main.ts", "const one = 1\r\n")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const tree = page.getByRole("tree", { name: "Files" })
  await row(page, "src").waitFor()
  await tree.focus()
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key)
  const editor = page.getByRole("textbox", { name: "/workspace/src/main.ts" })
  await editor.click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type("const two = 2")
  await write(id, "/workspace/src/main.ts", "// theirs\n")
  await page.keyboard.press("Control+s")
  await page.getByRole("button", { name: "Keep mine" }).click()
  await page.getByText("not saved").waitFor({ state: "detached" })
  expect(await read(id, "/workspace/src/main.ts")).toBe("const one = 1\r\nconst two = 2")
})

it.each([
  ["no text", "\u0001\u0000\u0002"],
  ["too large to be edited", "line\n".repeat(300_000)],
])("what is typed stays when the file is replaced by one that is %s, until one is chosen", async (_, theirs) => {
  const id = await makeSession()
  const path = "/workspace/notes.md"
  await write(id, path, "one\n")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  for (const choice of ["Take theirs", "Keep mine"]) {
    await row(page, "notes.md").click()
    const editor = page.getByRole("textbox", { name: path })
    await editor.click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("two")
    await write(id, path, theirs)
    await page.keyboard.press("Control+s")
    const conflict = page.getByRole("alert", { name: "Conflict" })
    await conflict.getByText("no text or too large").waitFor()
    await conflict.getByRole("button", { name: choice }).click()
    await conflict.waitFor({ state: "detached" })
    if (choice === "Take theirs") {
      await page.getByText(/that are no text|a file this large/).waitFor()
      await page.locator(".file-close").click()
      await write(id, path, "one\n")
    }
  }
  await page.getByText("not saved").waitFor({ state: "detached" })
  expect(await read(id, path)).toBe("one\ntwo")
})

it("a large file that changes is shown at the same place, or at its end when it has become shorter", async () => {
  const id = await makeSession()
  const version = (name: string, lines: number) => `A line of the ${name} version.\n`.repeat(lines)
  await write(id, "/workspace/large.txt", version("first", 60_000))
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  // Changes are reported while the page is connected.
  await page.getByText("live", { exact: true }).waitFor()
  await row(page, "large.txt").click()
  const place = page.locator(".file-parts").getByRole("status")
  const editor = page.getByRole("textbox", { name: "/workspace/large.txt" })
  await place.filter({ hasText: "0 B to 256.0 KiB of 1.7 MiB" }).waitFor()
  for (const next of ["256.0 KiB to", "512.0 KiB to", "768.0 KiB to", "1.0 MiB to", "1.3 MiB to"]) {
    await page.getByRole("button", { name: "Next part" }).click()
    await place.filter({ hasText: next }).waitFor()
  }
  const scroller = page.locator(".cm-scroller")
  await scroller.evaluate((element) => element.scrollTo(0, 3000))
  await write(id, "/workspace/large.txt", version("other", 60_000))
  await editor.getByText("A line of the other version.").first().waitFor()
  await expect.poll(() => place.textContent()).toContain("1.3 MiB to 1.5 MiB of 1.7 MiB")
  const distance = () => scroller.evaluate((element) => Math.abs(element.scrollTop - 3000))
  await expect.poll(distance).toBeLessThan(20)
  // The browser asks for the bytes of a part alone, also when it has read the file before.
  await write(id, "/workspace/large.txt", version("third", 38_000))
  await editor.getByText("A line of the third version.").first().waitFor()
  await expect.poll(() => place.textContent()).toContain("1.0 MiB to 1.1 MiB of 1.1 MiB")
})

it("names of files show characters that turn them around by their names, wherever they are shown", async () => {
  const id = await makeSession()
  const path = "/workspace/photo\u202Egpj.sh"
  const script = scriptName("turned")
  await new ApiLog(shared.apiUrl).set(script, [
    { content: [call("Write", { file_path: path, content: "x\n" })] },
    textAnswer("Done."),
  ])
  await prompt(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const shown = "photo⟨U+202E⟩gpj.sh"
  const isPlain = async () => expect(await page.locator("main").innerText()).not.toContain("\u202E")
  await row(page, shown).click()
  await page.getByRole("heading", { name: shown }).waitFor()
  await isPlain()
  await page.getByRole("tab", { name: "Changes" }).click()
  await page.getByText(`/workspace/${shown}`).waitFor()
  await isPlain()
  await page.getByRole("link", { name: "Time", exact: true }).click()
  await page.getByRole("region", { name: "Files at this place" }).getByText(`/workspace/${shown}`).waitFor()
  await isPlain()
  await page.getByRole("link", { name: "Chat", exact: true }).click()
  await page.getByRole("button", { name: "1 file changed in this turn" }).click()
  await page.getByRole("log").getByText(`/workspace/${shown}`, { exact: true }).last().waitFor()
})

it("lists a file that is created while the open file is read again", async () => {
  const id = await makeSession()
  await write(id, "/workspace/a.txt", "one")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await row(page, "a.txt").click()
  await page.getByRole("textbox", { name: "/workspace/a.txt" }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  const gate = Promise.withResolvers<void>()
  let reads = 0
  await page.route(/\/workspace\/a\.txt$/, async (route) => {
    reads += 1
    await gate.promise
    return route.continue()
  })
  await write(id, "/workspace/a.txt", "two")
  await expect.poll(() => reads).toBe(1)
  await page.getByRole("button", { name: "New" }).click()
  await page.getByRole("menuitem", { name: "New file" }).click()
  await page.getByLabel("Name in /workspace").fill("b.txt")
  await page.keyboard.press("Enter")
  await expect.poll(() => read(id, "/workspace/b.txt")).toBe("")
  await page.getByRole("textbox", { name: "/workspace/b.txt" }).waitFor()
  gate.resolve()
  await row(page, "b.txt").waitFor()
})

it("uploads files, creates a folder, downloads a file and all of them, and deletes a file after a confirmation", async () => {
  const id = await makeSession()
  await write(id, "/workspace/picture.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await row(page, "picture.svg").click()
  await page.getByRole("img", { name: "picture.svg" }).waitFor()
  const files = ["a <b>.txt", "b.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) }))
  const choose = (name: string) => page.getByRole("menuitem", { name }).click()
  await page.getByRole("button", { name: "Upload", exact: true }).click()
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), choose("Files…")])
  await chooser.setFiles(files)
  await page.getByText("2 of 2 uploaded").waitFor()
  await row(page, "a <b>.txt").waitFor()
  expect(await read(id, "/workspace/a%20%3Cb%3E.txt")).toBe("a <b>.txt")
  await page.getByRole("button", { name: "New", exact: true }).click()
  await choose("New folder…")
  await page.getByRole("textbox", { name: "Name in /workspace" }).fill("empty")
  await page.keyboard.press("Enter")
  await row(page, "empty").waitFor()
  const archive = await downloaded(page, () => page.getByRole("button", { name: "Download all" }).click())
  expect(archive.name).toBe("Workspace.tar.gz")
  await row(page, "a <b>.txt").click()
  const opened = page.getByRole("region", { name: "File /workspace/a <b>.txt" })
  const file = await downloaded(page, () => opened.getByRole("button", { name: "Download" }).click())
  expect([file.name.endsWith(".txt"), file.bytes.toString()]).toEqual([true, "a <b>.txt"])
  await row(page, "b.txt").last().click()
  await page.getByRole("region", { name: "File /workspace/b.txt" }).getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  expect(await read(id, "/workspace/b.txt")).toBeNull()
  // Uploading the downloaded archive restores the file.
  const again = { name: archive.name, mimeType: "application/gzip", buffer: archive.bytes }
  await page.getByRole("button", { name: "Upload", exact: true }).click()
  const [brought] = await Promise.all([page.waitForEvent("filechooser"), choose("An archive")])
  await brought.setFiles(again)
  await expect.poll(() => read(id, "/workspace/b.txt")).toBe("b.txt")
})

it("compares a checkpoint with now, and rewinds the files to it", async () => {
  const id = await makeSession()
  await write(id, "/workspace/notes.txt", "before\n")
  await prompt(id, "Say hello")
  await write(id, "/workspace/notes.txt", "after\n")
  const { page } = await openConsole({ at: `#/sessions/${id}/files`, width: 390 })
  await page.getByRole("tab", { name: "Changes" }).click()
  await page.getByText("1 file, +1 −1").waitFor()
  await page.locator("summary").filter({ hasText: "/workspace/notes.txt" }).click()
  await page.getByRole("cell", { name: "after" }).waitFor()
  await page.getByRole("button", { name: "Rewind files…" }).click()
  await page.getByText("1 file would change").waitFor()
  await page.getByRole("button", { name: "Rewind", exact: true }).click()
  await page.getByText("0 files").waitFor()
  expect(await read(id, "/workspace/notes.txt")).toBe("before\n")
  await page.getByRole("tab", { name: "Changes" }).focus()
  for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key)
  await page.getByRole("meter", { name: "Context window" }).waitFor()
  const kinds = page.getByRole("table", { name: "By kind" })
  await kinds.getByRole("row", { name: /^Tools [\d,]+ [\d.]+%$/ }).waitFor()
  await page.getByText(/^Tools: \d+, [\d,]+ tokens$/).click()
  await page.getByRole("row", { name: /^Bash [\d,]+$/ }).waitFor()
})

it("lists the agent's tasks and todos as it changes them, and counts the context again for another model and after a revert", async () => {
  const script = scriptName("tasks")
  const todos = [{ content: "Look around", status: "completed", activeForm: "Looking around" }]
  const task = { subject: "Write it down", description: "In notes.txt", activeForm: "Writing it down" }
  const api = new ApiLog(shared.apiUrl)
  await api.set(script, [
    { content: [call("TodoWrite", { todos }), call("TaskCreate", task)] },
    { content: [call("TaskUpdate", { taskId: "1", status: "completed" })], hold: {} },
    textAnswer("Done."),
  ])
  const id = await makeSession()
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByRole("tab", { name: "Todos" }).click()
  await page.getByText("The agent has no todos or tasks.").waitFor()
  await client.submit(id, promptFor(script))
  await page.getByText("1 of 2 done").waitFor()
  await page.getByRole("listitem").filter({ hasText: "Write it down" }).getByText("pending").waitFor()
  await api.release(`${script}#1`)
  await page.getByText("2 of 2 done").waitFor()
  await page.getByRole("listitem").filter({ hasText: "Write it down" }).getByText("done").waitFor()
  // The last answer of the turn comes after the task. A turn that runs can't be reverted.
  await page.locator(".session-header").getByText("idle", { exact: true }).waitFor()
  await page.getByRole("tab", { name: "Context" }).click()
  const counted = page.locator(".context-panel").getByRole("status").filter({ hasText: " tokens " })
  await counted.waitFor()
  const model = "claude-haiku-4-5"
  expect(await counted.getByText(model).count()).toBe(0)
  await client.json("PATCH", `/v1/sessions/${id}`, { json: { model } })
  await counted.getByText(model).waitFor()
  const { messages } = await client.json<{ messages: ReadonlyArray<{ info: { id: string } }> }>(
    "GET",
    `/v1/sessions/${id}/messages?format=parts`,
  )
  const again = page.waitForResponse(/\/context$/)
  await client.json("POST", `/v1/sessions/${id}/revert`, { json: { messageID: messages[0]?.info.id } })
  expect((await again).status()).toBe(200)
})

it("edits of a file are kept while other screens are shown, and the browser asks before the page is left", async () => {
  const id = await makeSession()
  const other = await makeSession()
  await write(id, "/workspace/notes.md", "one\n")
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const mayLeave = () => page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
  await row(page, "notes.md").click()
  const editor = page.getByRole("textbox", { name: "/workspace/notes.md" })
  await editor.click()
  await expect.poll(mayLeave).toBe(true)
  await page.keyboard.press("Control+End")
  await page.keyboard.type("two")
  await page.getByText("not saved").waitFor()
  await page.getByRole("link", { name: "Chat", exact: true }).click()
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  await expect.poll(mayLeave).toBe(false)
  await page.evaluate(`location.hash = "#/sessions/${other}/files"`)
  await page.getByText("The workspace is empty.", { exact: false }).waitFor()
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await page.getByText("not saved").waitFor()
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("not saved").waitFor({ state: "detached" })
  expect(await read(id, "/workspace/notes.md")).toBe("one\ntwo")
  await expect.poll(mayLeave).toBe(true)
  await editor.click()
  await page.keyboard.type("three")
  await page.getByText("not saved").waitFor()
  await page.getByRole("button", { name: "Sign out" }).click()
  const question = page
    .getByRole("dialog", { name: "Sign out?" })
    .filter({ hasText: "edited files that are not saved" })
  await question.getByRole("button", { name: "Sign out" }).click()
  await page.getByLabel("API key").waitFor()
  await expect.poll(mayLeave).toBe(true)
})

it("a file that could not be uploaded is listed when its screen is shown again, and can be retried", async () => {
  const id = await makeSession()
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const url = "**/files/workspace/data.csv"
  const error = { type: "api_error", message: "The upload failed." }
  await page.route(url, (route) => route.fulfill({ status: 400, json: { type: "error", error } }))
  await page.getByText("The workspace is empty.", { exact: false }).waitFor()
  await page
    .getByLabel("Files to upload")
    .setInputFiles([{ name: "data.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n") }])
  await page.getByText("The upload failed.").waitFor()
  await page.getByRole("link", { name: "Chat", exact: true }).click()
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  await page.getByRole("link", { name: "Files", exact: true }).click()
  await page.getByText("The upload failed.").waitFor()
  await page.unroute(url)
  await page.getByRole("button", { name: "Try failed again" }).click()
  await row(page, "data.csv").waitFor()
  expect(await read(id, "/workspace/data.csv")).toBe("a,b\n")
})

it("files that another client writes and removes are shown at once, and when the page gets the focus again", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("The workspace is empty.", { exact: false }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  const path = `/v1/sessions/${id}/files/workspace/outside.txt`
  const file = row(page, "outside.txt")
  await client.request("PUT", path, { body: "first" })
  await file.click()
  const editor = page.getByRole("textbox", { name: "/workspace/outside.txt" })
  await expect.poll(() => editor.innerText()).toBe("first")
  await client.request("PUT", path, { body: "second" })
  await expect.poll(() => editor.innerText()).toBe("second")
  await client.request("DELETE", path)
  await page.getByText("This file is not in the workspace any more.").waitFor()
  await file.waitFor({ state: "detached" })
  // Without the stream, the page reads the list when it gets the focus.
  await page.route("**/events/stream*", (route) => route.abort())
  await page.reload()
  await page.getByText("The workspace is empty.", { exact: false }).waitFor()
  await client.request("PUT", path, { body: "third" })
  await page.evaluate(`dispatchEvent(new Event("focus"))`)
  await file.waitFor()
})
