// What the chat shows while it is incomplete: an answer and the input of a call as they stream, and the todos as the agent
// writes them.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

const FREE = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }

/** A session whose turn follows these steps, open in the console. */
const running = async (name: string, ...turns: ReadonlyArray<unknown>) => {
  const script = scriptName(name)
  await api.set(script, turns)
  const id = await client.createSession(FREE)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await client.submit(id, promptFor(script))
  return { id, page, script, log: page.getByRole("log", { name: "Messages" }) }
}

it("an answer is Markdown while it streams", async () => {
  const answer = text("## Early\n\nThe first words, and then the rest of them.")
  const { page, log, script } = await running("streams", { content: [answer], chunk: 24, pause: { after: 4 } })
  await log.getByRole("heading", { name: "Early" }).waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor()
  expect(await log.getByText("the rest of them").count()).toBe(0)
  await api.release(`${script}#0`)
  await log.getByText("The first words, and then the rest of them.").waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" })
})

it("a long list is one list again when it has ended, however it was divided while it streamed", async () => {
  const items = Array.from({ length: 400 }, (_, n) => `${n === 0 ? "" : "  "}- Item ${n} with some words in it.\n`)
  const answer = text(items.join(""))
  const { page, log, script } = await running("divided", { content: [answer], chunk: 500, pause: { after: 29 } })
  await log.getByText("Item 300 with").waitFor()
  await api.release(`${script}#0`)
  await log.getByText("Item 399 with").waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" })
  await expect.poll(() => log.locator(".markdown > ul").count()).toBe(1)
  expect(await log.locator(".markdown li").count()).toBe(400)
})

it("the browser skips what is far away in a long answer while it streams, at its own height", async () => {
  const part = (n: number) => `## Part ${n}\n\n${"Some words. ".repeat(20)}\n\n- one\n- two\n\n`
  const answer = text(`${Array.from({ length: 300 }, (_, n) => part(n)).join("")}The end.`)
  const { page, log, script } = await running("skipped", { content: [answer], chunk: 1000, pause: { after: 72 } })
  await log.getByText("Part 225", { exact: true }).waitFor()
  const visible = "(section) => section.checkVisibility({ contentVisibilityAuto: true })"
  const sections = `[...document.querySelectorAll(".markdown > h4")]`
  const isFirstVisible = () => page.evaluate(`(${visible})(${sections}[0])`)
  await expect.poll(isFirstVisible).toBe(false)
  await api.release(`${script}#0`)
  await log.getByText("The end.").waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" })
  await expect.poll(() => page.evaluate(`${sections}.filter(${visible}).length`)).toBeLessThan(50)
  // The height of a section that was never visible is an estimate: much of the answer may arrive between two frames.
  await page.evaluate(`(async () => {
    for (const section of document.querySelectorAll(".markdown")) {
      section.scrollIntoView()
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }
  })()`)
  const heights = `[...document.querySelectorAll(".markdown")].map((section) => Math.round(section.getBoundingClientRect().height))`
  const skipped = await page.evaluate(heights)
  const whole = `document.querySelectorAll(".markdown").forEach((section) => (section.style.contentVisibility = "visible"))`
  expect(await page.evaluate(`${whole}; ${heights}`)).toEqual(skipped)
  expect(await page.evaluate(`${sections}.length`)).toBe(300)
})

it("shows what a turn waits for: the model, and the next attempt of a request that failed", async () => {
  const busy = { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after": "60" } }
  const { page, log } = await running("waits", { content: [text("Never shown.")], hold: {} })
  // What is announced to screen readers has the same text, somewhat later.
  const working = page.locator(".activity", { hasText: "Working…" })
  await working.waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await working.waitFor({ state: "detached" })

  const script = scriptName("retries")
  await api.set(script, [[{ error: busy }]])
  await page.getByRole("textbox", { name: "Prompt" }).fill(promptFor(script))
  await page.keyboard.press("Enter")
  const line = page.locator(".activity", { hasText: "The request is sent again" })
  await expect.poll(() => line.textContent()).toMatch(/overloaded.* in [1-6]?\d s$/)
  await page.reload()
  await line.waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await line.waitFor({ state: "detached" })
  await log.getByText("Interrupted", { exact: false }).last().waitFor()
})

it("the input of a call is shown as it streams, and its state changes when it has run", async () => {
  const write = call("Write", { file_path: "/workspace/long.txt", content: "early text and late text" })
  const { log, script } = await running(
    "input",
    { content: [write], chunk: 50, pause: { after: 4 } },
    textAnswer("Written."),
  )
  const card = log.locator(".tool")
  await card.filter({ hasText: "long.txt" }).waitFor()
  await api.release(`${script}#0`)
  await log.getByText("Written.").waitFor()
  await log.getByRole("group", { name: "Changes in /workspace/long.txt" }).getByText("late text").waitFor()
  await expect.poll(() => card.getAttribute("class")).toContain("completed")
})

it("a script's output is shown while it runs, and the call ends when it is stopped", async () => {
  const bash = call("Bash", { command: "for n in 1 2; do echo line $n; done; sleep 100; echo late" })
  const { page, log } = await running("printed", { content: [bash] })
  const card = log.locator(".tool")
  await card.locator(".tool-printed", { hasText: "line 2" }).waitFor()
  await card.getByRole("button").first().click()
  const output = log.getByRole("group", { name: "Output so far" })
  await output.waitFor()
  await expect.poll(() => output.textContent()).toBe("line 1\nline 2\n")
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await expect.poll(() => card.getAttribute("class")).toContain("interrupted")
  await output.waitFor({ state: "detached" })
})

it("a reading call that waits is shown as running", async () => {
  const { page, log } = await running("sleeps", { content: [call("Bash", { command: "sleep 100" })] })
  const card = log.locator(".tool.running")
  await card.filter({ hasText: "running" }).waitFor()
  await card.locator(".tool-time", { hasText: /\d s/ }).waitFor()
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await log.locator(".tool.interrupted").waitFor()
})

it("todos are shown in the call's card and in the workspace", async () => {
  const todos = [
    { content: "Look around", status: "completed", activeForm: "Looking around" },
    { content: "Write it down", status: "in_progress", activeForm: "Writing it down" },
  ]
  const { page, log } = await running("todos", { content: [call("TodoWrite", { todos })] }, textAnswer("Planned."))
  await log.getByText("Planned.").waitFor()
  await log.getByRole("listitem").filter({ hasText: "Write it down" }).waitFor()
  await page.getByRole("link", { name: "Files", exact: true }).click()
  await page.getByRole("tab", { name: "Todos" }).click()
  await page.getByText("1 of 2 done").waitFor()
  await page.getByText("Writing it down").waitFor()
})

it("files that a step has written are listed while the turn goes on", async () => {
  const script = scriptName("files")
  const write = call("Write", { file_path: "/workspace/early.txt", content: "early" })
  await api.set(script, [{ content: [write] }, { content: [text("Never shown.")], hold: {} }])
  const id = await client.createSession(FREE)
  await client.request("PUT", `/v1/sessions/${id}/files/workspace/before.txt`, { body: "before" })
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("live", { exact: true }).waitFor()
  await page.getByRole("treeitem", { name: "before.txt" }).waitFor()
  await client.submit(id, promptFor(script))
  await page.getByRole("treeitem", { name: "early.txt" }).waitFor()
  await page.getByText("running", { exact: true }).first().waitFor()
  await client.json("POST", `/v1/sessions/${id}/interrupt`)
})
