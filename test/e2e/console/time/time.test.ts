// The screen "Time" in a browser: the past is viewed, continued from and restored.
import { expect, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../../support/browser/console-page.ts"
import { eventually } from "../../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../../support/session/scripts.ts"
import { api, perch, RECORD } from "../../recordings/recorded.ts"

const FIRST = "It has one word."
const SECOND = "Nothing else."

/** A recorded session of two turns; the first has an answer that continues after a call. */
const twoTurns = async (): Promise<string> => {
  const [first, second] = [scriptName("time"), scriptName("time")]
  const write = call("Write", { file_path: "/workspace/a.txt", content: "one" })
  await api.set(first, [{ content: [text("I write."), write] }, textAnswer(FIRST)])
  await api.set(second, [textAnswer(SECOND)])
  const id = await perch.createSession(RECORD)
  await perch.query(id, promptFor(first))
  await perch.query(id, promptFor(second))
  return id
}

const log = (page: Page) => page.getByRole("log", { name: "Messages" })

const showFirstTurn = async (page: Page): Promise<void> => {
  await log(page).getByText(SECOND).waitFor()
  await page.getByText(/turn 2 of 2/).waitFor()
  // One event before the second turn starts, the first one is complete.
  const scrubber = page.getByLabel("Place in the log")
  await scrubber.press("PageDown")
  await scrubber.press("ArrowLeft")
  await page.getByText(/turn 1 of 2/).waitFor()
  await page.getByRole("region", { name: "Conversation as it was" }).getByText(FIRST).waitFor()
  await log(page).getByText(SECOND).waitFor({ state: "detached" })
}

it("shows the conversation of a turn, forks the session there, and undoes a revert to it", async () => {
  const id = await twoTurns()
  const { page } = await openConsole({ at: `#/sessions/${id}/time` })
  await showFirstTurn(page)
  await page.getByRole("button", { name: "Revert to here" }).click()
  const dialog = page.getByRole("dialog", { name: "Revert to here" })
  await dialog.getByText("2 messages (1 prompt)").waitFor()
  await dialog.getByRole("button", { name: "Revert", exact: true }).click()
  await page.getByText("The conversation was reverted").waitFor()
  await page.getByRole("button", { name: "Undo the revert" }).click()
  await page.getByText("The conversation was reverted").waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByLabel("Title").fill("A copy")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "A copy" }).waitFor()
  await log(page).getByText(FIRST).waitFor()
  expect(await log(page).getByText(SECOND).count()).toBe(0)
})

it("the preview of a revert within a running step has the files that the revert restores", async () => {
  const script = scriptName("time")
  const write = (name: string) => call("Write", { file_path: `/workspace/${name}.txt`, content: name })
  await api.set(script, [
    { content: [text("First."), write("a")] },
    { content: [text("Then."), write("b")] },
    textAnswer("Done."),
  ])
  const id = await perch.createSession({ permissionMode: "acceptEdits" })
  await perch.query(id, promptFor(script))
  const { events } = await perch.json<{ events: ReadonlyArray<{ seq: number }> }>(
    "GET",
    `/v1/sessions/${id}/events?name=sdk:user`,
  )
  // Right after the result of the first call, before the step's files are known.
  const { page } = await openConsole({ at: `#/sessions/${id}/time/${events[0]!.seq}` })
  await page.getByRole("region", { name: "Conversation as it was" }).getByText("First.").waitFor()
  await page.getByRole("button", { name: "Revert to here" }).click()
  const dialog = page.getByRole("dialog", { name: "Revert to here" })
  await dialog.getByText("2 messages (0 prompts) would leave the conversation, beginning with “Then.”").waitFor()
  await expect.poll(() => dialog.getByRole("listitem").allInnerTexts()).toEqual(["/workspace/b.txt goes away"])
  await dialog.getByRole("button", { name: "Revert", exact: true }).click()
  await page.getByText("The conversation was reverted").waitFor()
  const { files } = await perch.json<{ files: ReadonlyArray<{ path: string }> }>("GET", `/v1/sessions/${id}/files`)
  expect(files.map(({ path }) => path)).toEqual(["/workspace/a.txt"])
})

it("the preview of a revert to between parallel calls counts the answer that is removed with them", async () => {
  const script = scriptName("parallel")
  const ids = ["1", "2"].map((name) => call("Write", { file_path: `/workspace/${name}.txt`, content: name }))
  await api.set(script, [{ content: ids }, textAnswer("Done.")])
  const id = await perch.createSession()
  await perch.submit(id, promptFor(script))
  // The first call asks, so that it has no result when the second one arrives.
  const pieces = await eventually(async () => {
    const events = (await perch.events(id)).filter(({ name }) => name === "sdk:assistant")
    return events.length === 2 ? events : undefined
  })
  for (const { id: callId } of ids) {
    const asked = () => perch.asks(id).then((asks) => asks.find(({ tool_use_id }) => tool_use_id === callId))
    await perch.answer(id, (await eventually(asked)).request_id, { behavior: "allow" })
  }
  await perch.eventsUntilResults(id, 1)
  const { page } = await openConsole({ at: `#/sessions/${id}/time/${pieces[0]!.seq}` })
  await page.getByRole("region", { name: "Conversation as it was" }).getByText("1.txt").first().waitFor()
  await page.getByRole("button", { name: "Revert to here" }).click()
  const dialog = page.getByRole("dialog", { name: "Revert to here" })
  await dialog.getByText(/^2 messages \(0 prompts\) would leave the conversation/).waitFor()
  await dialog.getByRole("button", { name: "Revert", exact: true }).click()
  await page.getByText("The conversation was reverted").waitFor()
  const { messages } = await perch.json<{ messages: ReadonlyArray<object> }>("GET", `/v1/sessions/${id}/messages`)
  expect(messages.length).toBe(1)
})

it("forks after the complete answer that continues after a call", async () => {
  const id = await twoTurns()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const answer = log(page).getByRole("article").filter({ hasText: "I write." })
  await answer.getByRole("button", { name: "Message actions" }).click()
  await page.getByRole("menuitem", { name: "Fork from here" }).click()
  const title = await page.locator(".session-header h1").innerText()
  expect(await page.getByLabel("Title").inputValue()).toBe(`Fork of ${title}`)
  await page.getByLabel("Title").fill("Behind the call")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Behind the call" }).waitFor()
  await log(page).getByRole("group", { name: "Changes in /workspace/a.txt" }).waitFor()
})

it("forks and reverts at a place within a subagent's run concern the conversation, not the subagent's messages", async () => {
  const [inner, first, second] = [scriptName("time"), scriptName("time"), scriptName("time")]
  const agent = call("Agent", { description: "Look", prompt: promptFor(inner), subagent_type: "general-purpose" })
  await api.set(inner, [textAnswer("The subagent's answer.")])
  await api.set(first, [{ content: [text("I ask."), agent] }, textAnswer(FIRST)])
  await api.set(second, [textAnswer(SECOND)])
  const id = await perch.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
  await perch.query(id, promptFor(first))
  await perch.query(id, promptFor(second))
  const { events } = await perch.json<{
    events: ReadonlyArray<{ seq: number; name: string; parent_tool_use_id: string | null }>
  }>("GET", `/v1/sessions/${id}/events?name=sdk:user`)
  const prompt = events.find(({ parent_tool_use_id: parent }) => parent !== null)
  const { page } = await openConsole({ at: `#/sessions/${id}/time/${prompt!.seq}` })
  await page.getByRole("region", { name: "Conversation as it was" }).getByText("I ask.").waitFor()
  await page.getByRole("button", { name: "Revert to here" }).click()
  const dialog = page.getByRole("dialog", { name: "Revert to here" })
  await dialog.getByText(`3 messages (1 prompt) would leave the conversation, beginning with “${FIRST}”`).waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByLabel("Title").fill("Within the call")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Within the call" }).waitFor()
  await log(page).getByText("I ask.").waitFor()
  expect(await log(page).getByText(FIRST).count()).toBe(0)
})

it("shows why the turns of a session can't be read, and reads them after a retry", async () => {
  const id = await perch.createSession({})
  await perch.query(id, "Say hello")
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const marks = /\/events\?.*name=turn/
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  await page.route(marks, (route) => route.fulfill({ status: 403, json }))
  const alert = page.getByRole("alert").filter({ hasText: "The turns could not be read. Not for now." })
  await page.getByRole("link", { name: "Time", exact: true }).click()
  await alert.waitFor()
  await page.getByRole("link", { name: "Events", exact: true }).click()
  // Only then, the alert is that of this screen, which reads the turns on its own.
  await page.getByRole("search").waitFor()
  await alert.waitFor()
  const turns = page.getByRole("search").getByRole("combobox", { name: "Turn" }).locator("option")
  await expect.poll(() => turns.count()).toBe(1)
  await page.unroute(marks)
  await alert.getByRole("button", { name: "Try again" }).click()
  await alert.waitFor({ state: "detached" })
  await expect.poll(() => turns.count()).toBe(2)
})

it("a revert by another client is shown with its files, and so is its undoing", async () => {
  const [first, second] = [scriptName("time"), scriptName("time")]
  const write = call("Write", { file_path: "/workspace/a.txt", content: "one" })
  await api.set(first, [textAnswer(FIRST)])
  await api.set(second, [{ content: [write] }, textAnswer(SECOND)])
  const id = await perch.createSession({ permissionMode: "acceptEdits" })
  await perch.query(id, promptFor(first))
  await perch.query(id, promptFor(second))
  const { messages } = await perch.json<{ messages: ReadonlyArray<{ info: { id: string; role: string } }> }>(
    "GET",
    `/v1/sessions/${id}/messages?format=parts`,
  )
  const messageID = messages.filter(({ info }) => info.role === "user")[1]!.info.id
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const file = page.getByRole("treeitem", { name: "a.txt" })
  await file.waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  await perch.json("POST", `/v1/sessions/${id}/revert`, { json: { messageID, rewindFiles: true } })
  await page.getByText("The conversation was reverted, and its files were put back").waitFor()
  await file.waitFor({ state: "detached" })
  await perch.json("POST", `/v1/sessions/${id}/unrevert`, { json: {} })
  await page.getByText("The conversation was reverted").waitFor({ state: "detached" })
  await file.waitFor()
})

it("a checkpoint has the name of its prompt, also if that is older than the loaded messages", async () => {
  const id = await perch.createSession({})
  for (const text of ["Say the first thing", ...Array<string>(26).fill("/cost"), "Say the last thing"])
    await perch.query(id, text)
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByRole("tab", { name: "Changes" }).click()
  const options = page.getByLabel("From before").getByRole("option")
  await expect.poll(() => options.first().textContent()).toBe("1. Say the first thing")
  await expect.poll(() => options.last().textContent()).toMatch(/^\d+\. Say the last thing$/)
})

it("shows todos, of now and of a place, only when they were read", async () => {
  const id = await perch.createSession()
  await perch.query(id, "Say hello")
  const { page } = await openConsole({ at: "#/" })
  const facts = page.getByRole("complementary", { name: "Facts of this place" })
  for (const place of ["", "/1"]) {
    const read = Promise.withResolvers<void>()
    await page.route(/\/todos(\?|$)/, async (route) => {
      await read.promise
      await route.continue()
    })
    await page.evaluate(`location.hash = "#/costs"`)
    await page.evaluate(`location.hash = "#/sessions/${id}/time${place}"`)
    const todos = facts.getByRole("heading", { name: "Todos" }).locator("+ *")
    await expect.poll(() => todos.innerText()).toBe("…")
    read.resolve()
    await expect.poll(() => todos.innerText()).toBe("None.")
    await page.unroute(/\/todos(\?|$)/)
  }
})

it("a session that can't be recorded shows why, also by keyboard", async () => {
  const id = await perch.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}/time` })
  const record = page.getByRole("button", { name: "Make a recording" })
  // Playwright's `click()` waits until a button is enabled. `press()` does not, and a disabled button ignores the key.
  await expect.poll(() => record.isEnabled()).toBe(true)
  await record.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Make a recording" })
  await dialog.getByText("This session can’t be recorded.").waitFor()
  await dialog.getByRole("button", { name: "Close" }).press("Enter")
  await dialog.waitFor({ state: "detached" })
})
