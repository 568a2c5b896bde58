// Calls that a PreToolUse hook defers, and the prompts of clients that follow.
import { describe, expect, it } from "vitest"
import { user } from "../prompts/busy-sessions.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { DONE, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, start, scripted, messagesSent } = loop()

const write = (file = "n.txt") => call("Write", { file_path: `/workspace/${file}`, content: "x" })
const defers = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } }

const deferred = async () => {
  const use = write()
  const started = await start([{ content: [use] }, DONE], { PreToolUse: defers })
  await started.idle()
  const script = scripted([textAnswer("Hello.")])
  return { ...started, use, next: user(promptFor(script)), asked: () => messagesSent(script) }
}

const reasonsOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:result/success").map((result) => result["terminal_reason"])

describe("a deferred call, when a client of the control protocol sends the next prompt", () => {
  it("is not resumed if the client was connected as the hook deferred it: it gets an error as its result", async () => {
    const { use, next, asked, client, events, idle, workspace } = await deferred()
    client.send(next)
    await idle()
    expect(reasonsOf(events())).toEqual(["tool_deferred", "completed"])
    expect(client.called).toHaveLength(1)
    expect(asked()[0]?.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: use.id, is_error: true },
      { type: "text" },
    ])
    expect(workspace.exists("/workspace/n.txt")).toBe(false)
  })

  it("is resumed first if the client has connected since", async () => {
    const { next, events, harness, idle } = await deferred()
    harness.connect().send(next)
    await idle()
    expect(reasonsOf(events())).toEqual(["tool_deferred", "tool_deferred", "completed"])
  })
})

it("a deferred call is not resumed by a prompt that waits behind its turn", async () => {
  const script = scripted([textAnswer("Hello.")])
  const opened = await connected({
    PreToolUse: async () => {
      opened.client.send(user(promptFor(script)))
      await until(() => opened.session.inbox.open.length === 2)
      return defers
    },
  })
  prompt(opened.session, promptFor(scripted([{ content: [write()] }, DONE])))
  await opened.idle()
  expect(reasonsOf(eventsOf(opened.log))).toEqual(["tool_deferred", "completed"])
  expect(opened.client.called).toHaveLength(1)
})

it("of several deferred calls, the result names the last", async () => {
  const [first, last] = [write("a"), write("b")]
  const { idle, result } = await start([{ content: [first, last] }, DONE], { PreToolUse: defers })
  await idle()
  expect(result()).toMatchObject({ deferred_tool_use: { id: last.id } })
})
