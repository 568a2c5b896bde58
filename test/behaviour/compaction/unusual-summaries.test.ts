import { expect, it } from "vitest"
import { loop, payloadsOf, resultOf, textOf } from "../../support/session/loop.ts"
import { call, text, textAnswer } from "../../support/session/scripts.ts"
import { problemsOf } from "../../support/session/session-harness.ts"
import { conversation, FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()
const HOOKS = {
  SubagentStop: {},
  PreToolUse: { continue: false, stopReason: "stop" },
  PostToolBatch: { decision: "block", reason: "no" },
}
const CALL = call("Bash", { command: "echo x" })

/** Compacts a conversation of two turns with this answer to the request for a summary, and sends another prompt. */
const compacted = async (compact: unknown, more: ReadonlyArray<unknown> = []) => {
  const turns = [textAnswer("first"), textAnswer("second"), ...more]
  const made = await conversation(setting, turns, { hooks: HOOKS, compact })
  for (const words of ["one", "two", "/compact"]) await made.say(words)
  const requests = setting.messagesSent(made.script).slice(2)
  const [restarted] = made.session.memory.transcript.messages()
  await made.say("three")
  expect(problemsOf(made.events(), made.ids)).toEqual([])
  const hooks = payloadsOf(made.events(), "hook:fired").flatMap((payload) => {
    const name = String(payload["hook_event_name"])
    const input = payload["input"] as Readonly<Record<string, unknown>>
    const about = input["last_assistant_message"] ?? input["tool_name"] ?? ""
    return name in HOOKS ? [`${name} ${JSON.stringify(about)}`] : []
  })
  // A repeated id would be another delivery of the same callback.
  const callbacks = new Map(made.client.called.map(({ requestId, callbackId }) => [requestId, callbackId]))
  return {
    requests,
    start: textOf(restarted),
    hooks,
    callbacks: [...callbacks.values()],
    result: resultOf(made.events()),
  }
}

it.each(["max_tokens", "model_context_window_exceeded"])("an answer that ends with %s is continued", async (reason) => {
  const begun = { ...textAnswer("<summary>SUMMARY is cut "), stop_reason: reason }
  const made = await compacted(begun, [textAnswer("here</summary>")])
  expect(made.requests.map((messages) => messages.map(textOf).slice(-2))).toEqual([
    ["second", expect.stringContaining("detailed summary")],
    ["<summary>SUMMARY is cut ", expect.stringContaining("Continue exactly where it was cut off")],
  ])
  expect(made.start).toContain("SUMMARY is cut here")
  expect(made.hooks).toEqual(['SubagentStop "here</summary>"'])
})

it("what follows a complete summary is dropped", async () => {
  const whole = { ...summaryNaming("after-whole"), stop_reason: "max_tokens" }
  setting.scripted([textAnswer("third")], "after-whole")
  const made = await compacted(whole, [textAnswer("and more")])
  expect(made.start).toContain("SUMMARY")
  expect(made.start).not.toContain("and more")
})

it("a summary whose continuation fails is used as far as it goes", async () => {
  const begun = { ...textAnswer("<summary>SUMMARY is cut"), stop_reason: "max_tokens" }
  const refused = { error: { status: 400, type: "invalid_request_error", message: "prompt is too long" } }
  expect((await compacted(begun, [refused])).start).toContain("SUMMARY is cut")
})

it("the hooks of calls in an answer are called, and what they decide has no effect", async () => {
  const made = await compacted({ content: [text("<summary>SUMMARY</summary>"), CALL] })
  expect(made.start).toContain("SUMMARY")
  expect(made.hooks).toEqual(['PreToolUse "Bash"', 'PostToolBatch ""'])
  expect(made.result).toMatchObject({ is_error: false, terminal_reason: "completed" })
})

it("an answer of calls alone is requested again; hooks of a call whose id is repeated are called again", async () => {
  const made = await compacted({ content: [CALL] })
  expect(made.requests).toHaveLength(2)
  expect(made.hooks).toEqual(['PreToolUse "Bash"', 'PostToolBatch ""', 'PreToolUse "Bash"', 'PostToolBatch ""'])
  expect(made.callbacks).toEqual(["PreToolUse", "PostToolBatch", "PreToolUse", "PostToolBatch"])
  expect(made.result).toMatchObject({ is_error: false, terminal_reason: "completed" })
})

it("SubagentStop hooks get the last text of an answer", async () => {
  const made = await compacted({ content: [text("<analysis>a</analysis>"), text("<summary>SUMMARY</summary>")] })
  expect(made.hooks).toEqual(['SubagentStop "<summary>SUMMARY</summary>"'])
})

it.each(["manual", "auto"])("warnings about hooks come before the outcome of a compaction: %s", async (trigger) => {
  const failing = { SessionStart: { continue: "maybe" }, PostCompact: { continue: "maybe" } }
  const options = { hooks: failing, ...(trigger === "auto" ? { options: SMALL_WINDOW } : {}) }
  const made = await conversation(setting, [textAnswer("first"), textAnswer("second", FULL)], options)
  for (const words of ["one", "two", trigger === "auto" ? "three" : "/compact"]) await made.say(words)
  const names = made.events().map(({ name }) => name)
  const shown = names.slice(names.indexOf("sdk:system/status")).filter((name) => /^sdk:system.(?!session)/.test(name))
  const expected = ["status", "informational", "informational", "status", "init", "compact_boundary"]
  expect(shown).toEqual(
    expected.filter((name) => trigger === "manual" || name !== "init").map((name) => `sdk:system/${name}`),
  )
})
