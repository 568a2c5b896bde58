// `/compact` and `/clear`: what clients and hooks receive, what the next request contains, and what stays in the history.
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { expect, it } from "vitest"
import { BYPASS, hooksOf, loop, namesOf, payloadsOf, resultOf, textOf, until } from "../../support/session/loop.ts"
import { problemsOf } from "../../support/session/session-harness.ts"
import { lifecycleOf, user } from "../prompts/busy-sessions.ts"
import { conversation, summaryNaming } from "./compactions.ts"

const setting = loop()
const TWO = [textAnswer("first answer"), textAnswer("second answer")]

it("a conversation is compacted, and continues from the summary and the last answer", async () => {
  const { say, events, ids, script, behind } = await conversation(setting, TWO)
  await say("one")
  await say("two")
  const turn = await say("/compact mind the names")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  const own = events().filter((event) => event.turn === turn)
  const messages = namesOf(own).filter((name) => name.startsWith("sdk:") && !name.endsWith("state_changed"))
  expect(messages).toEqual([
    "sdk:system/status",
    "sdk:system/status",
    "sdk:system/init",
    "sdk:system/compact_boundary",
    "sdk:user",
    "sdk:user",
    "sdk:result/success",
  ])
  expect(hooksOf(own)).toEqual(["PreCompact", "SubagentStop", "SessionStart", "PostCompact"])
  const asked = setting.messagesSent(script).at(-1) ?? []
  expect(asked.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"])
  expect(textOf(asked.at(-1))).toContain("mind the names")
  const next = setting.messagesSent(behind)[0] ?? []
  expect(next.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  expect(textOf(next[0])).toContain("SUMMARY")
  expect(textOf(next[0])).not.toContain("thoughts")
  expect(next.slice(1).map(textOf)).toEqual(["second answer", "three"])
  expect(payloadsOf(events(), "sdk:assistant")).toHaveLength(3)
})

it("after a single exchange, a prompt that was not sent to the model follows the summary", async () => {
  const { say, events, ids, script, behind, client, idle } = await conversation(setting, TWO)
  await say("one")
  client.send(user("only context", { shouldQuery: false }))
  await until(() => namesOf(events()).filter((name) => name.startsWith("sdk:result")).length === 2)
  await idle()
  await say("/compact")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  const asked = setting.messagesSent(script).at(-1) ?? []
  expect(asked.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  expect(textOf(asked.at(-1))).not.toContain("only context")
  const next = setting.messagesSent(behind)[0] ?? []
  expect(next.map(({ role }) => role)).toEqual(["user"])
  expect(next[0]?.content.slice(1)).toMatchObject([{ text: "only context" }, { text: "three" }])
})

it("the command's output names the hooks whose messages it contains", async () => {
  const hooks = { PreCompact: { systemMessage: "a word before" }, PostCompact: { systemMessage: "a word after" } }
  const { say, events } = await conversation(setting, TWO, { hooks })
  await say("one")
  await say("two")
  const turn = await say("/compact")
  const shown = payloadsOf(
    events().filter((event) => event.turn === turn),
    "sdk:user",
  )
  expect(shown.at(-1)?.["message"]).toMatchObject({
    content:
      "<local-command-stdout>Compacted\nPreCompact: a word before\nPostCompact: a word after</local-command-stdout>",
  })
})

it("messages of SubagentStop hooks about the summary are not sent to clients", async () => {
  const hooks = { SubagentStop: { systemMessage: "summarized" } }
  const { say, events } = await conversation(setting, TWO, { hooks })
  for (const words of ["one", "two", "/compact"]) await say(words)
  expect(hooksOf(events())).toContain("SubagentStop")
  expect(payloadsOf(events(), "sdk:system/informational")).toEqual([])
})

it("during a compaction the session is running, and a prompt with a uuid is reported as started", async () => {
  const { say, events, client, idle } = await conversation(setting, TWO)
  await say("one")
  await say("two")
  const uuid = crypto.randomUUID()
  client.send(user("/compact", { uuid }))
  await until(() => lifecycleOf(events(), uuid).includes("completed"))
  await idle()
  const own = events().filter(({ turn }) => turn === uuid)
  const order = own.flatMap(({ name, payload }) =>
    "state" in payload ? [payload.state] : name === "sdk:system/status" ? [payload["status"] ?? "done"] : [],
  )
  expect(order).toEqual(["queued", "running", "started", "compacting", "done", "completed", "idle"])
})

it("a summary is paid for, and does not count as one of its turn's own requests", async () => {
  const { say, events } = await conversation(setting, TWO)
  await say("one")
  await say("two")
  const turn = await say("/compact")
  const result = payloadsOf(events(), "sdk:result/success").at(-1)
  expect(result).toMatchObject({ num_turns: 0, result: "", local_command: "compact", usage: { input_tokens: 0 } })
  const calls = events().filter(({ name }) => name === "call:finished")
  const own = calls.filter((event) => event.turn === turn)
  expect(own.map(({ payload }) => payload)).toMatchObject([{ purpose: "compaction", usage: { input_tokens: 100 } }])
  const usd = calls.reduce((sum, { payload }) => sum + ((payload as { usd: number }).usd ?? 0), 0)
  expect(result?.["total_cost_usd"]).toBeCloseTo(usd, 12)
})

it("a session that is restarted continues from the summary", async () => {
  const { say, harness, behind } = await conversation(setting, TWO)
  await say("one")
  await say("two")
  await say("/compact")
  harness.crash()
  const again = harness.boot()
  expect(again.session.memory.transcript.messages().map(textOf)).toEqual([
    expect.stringContaining(`SUMMARY [[script:${behind}]]`),
    "second answer",
  ])
})

it.each([
  [
    "with its own message",
    [{ decision: "block", reason: "not now", systemMessage: "later, please" }],
    "later, please",
    " later, please",
  ],
  [
    "not with that of another hook",
    [{ systemMessage: "another" }, { decision: "block", reason: "not now" }],
    "not now",
    "",
  ],
] as const)("a hook can prevent a compaction %s", async (_, answers, error, shown) => {
  const { say, events } = await conversation(setting, TWO, { hooks: { PreCompact: [...answers] } })
  await say("one")
  await say("/compact")
  const text = "A PreCompact hook has stopped the compaction."
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_error: `${text} ${error}` })
  expect(resultOf(events())).toMatchObject({ result: `${text}${shown}` })
})

it("a hook can prevent a compaction", async () => {
  const hooks = { PreCompact: () => ({ decision: "block", reason: "not now" }) }
  const { say, events, script } = await conversation(setting, TWO, { hooks })
  await say("one")
  await say("/compact")
  await say("two")
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({
    compact_result: "failed",
    compact_error: expect.stringContaining("not now"),
  })
  expect(setting.messagesSent(script)).toHaveLength(2)
  expect(setting.messagesSent(script)[1]?.map(textOf).at(-1)).toBe("two")
})

it.each([
  ["an error", { error: { status: 400, type: "invalid_request_error", message: "bad" } }, 2],
  ["an empty answer", { content: [] }, 2],
  ["a refusal", { ...textAnswer("I can't help with that."), stop_reason: "refusal" }, 1],
])("%s in the place of a summary leaves the conversation as it is", async (_, compact, requests) => {
  const { say, events, ids, script } = await conversation(setting, TWO, { compact })
  await say("one")
  await say("two")
  await say("/compact")
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ status: null, compact_result: "failed" })
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  const sent = setting.messagesSent(script)
  expect(sent).toHaveLength(3 + requests)
  expect(sent.at(-1)?.map(textOf)[1]).toBe("first answer")
})

it("an empty conversation is not compacted", async () => {
  const { say, events, ids } = await conversation(setting, TWO)
  await say("/compact")
  expect(ids).toHaveLength(1)
  expect(payloadsOf(events(), "sdk:assistant")).toMatchObject([
    { message: { content: [{ text: "Error: No messages to compact" }] } },
  ])
  expect(payloadsOf(events(), "sdk:result/success")[0]).toMatchObject({ result: "" })
})

it.each([false, true])(
  "the cost of a session includes what was before /clear, also after a restart (rested: %s)",
  async (rested) => {
    const { say, session, outbox, harness } = await conversation(setting, [textAnswer("first answer")])
    await say("one")
    const before = session.info().total_cost_usd
    await say("/clear")
    if (rested) await outbox.flush()
    await say(`[[script:${setting.scripted([textAnswer("fresh answer")])}]] anew`)
    const { total_cost_usd: usd, turns } = session.info()
    expect(before).toBeGreaterThan(0)
    expect(usd).toBeCloseTo(2 * before, 9)
    harness.crash()
    const again = harness.boot().session
    expect(again.info()).toMatchObject({ total_cost_usd: usd, turns })
    expect(turns).toBe(3)
  },
)

it("a conversation that is cleared starts empty, and its history stays", async () => {
  const { say, events, ids, script } = await conversation(setting, [textAnswer("first answer")])
  await say("one")
  const turn = await say("/clear")
  const fresh = setting.scripted([textAnswer("fresh answer")])
  await say(`[[script:${fresh}]] anew`)
  expect(problemsOf(events(), ids)).toEqual([])
  const own = events().filter((event) => event.turn === turn)
  expect(hooksOf(own)).toEqual(["SessionEnd", "SessionStart"])
  expect(namesOf(own)).toContain("sdk:conversation_reset")
  const results = payloadsOf(events(), "sdk:result/success")
  expect(results[1]).toMatchObject({ local_command: "clear", total_cost_usd: 0, modelUsage: {} })
  expect(results[2]?.["total_cost_usd"]).toBe(results[0]?.["total_cost_usd"])
  expect(setting.messagesSent(script)).toHaveLength(1)
  expect(setting.messagesSent(fresh)[0]?.map(textOf)).toEqual([`[[script:${fresh}]] anew`])
  expect(payloadsOf(events(), "sdk:assistant")).toHaveLength(2)
})

it("a message of a SessionStart hook is not sent when the conversation is cleared, and its context reaches the model", async () => {
  const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext: "the context of the start" }
  const hooks = { SessionStart: { systemMessage: "a word at the start", hookSpecificOutput } }
  const { say, events, script } = await conversation(setting, TWO, { hooks })
  await say("one")
  await say("/clear")
  await say(`${promptFor(script)} anew`)
  expect(payloadsOf(events(), "sdk:system/informational")).toEqual([])
  expect(JSON.stringify(setting.messagesSent(script).at(-1))).toContain("the context of the start")
})

it("a summary that the model refuses to write is reported as a failed request", async () => {
  const compact = { ...textAnswer("I can't help with that."), stop_reason: "refusal" }
  const { say, events } = await conversation(setting, TWO, { compact })
  await say("one")
  await say("two")
  await say("/compact")
  expect(
    payloadsOf(events(), "hook:fired").filter((payload) => payload["hook_event_name"] === "StopFailure"),
  ).toMatchObject([
    { input: { error: "invalid_request", last_assistant_message: expect.stringContaining("safety checks") } },
  ])
  expect(payloadsOf(events(), "sdk:result/success").at(-1)).toMatchObject({
    result: expect.stringContaining("safety checks stopped the summary"),
  })
})

it("a summary whose stream fails is requested without streaming", async () => {
  const { say, events, script, behind } = await conversation(setting, TWO, {
    compact: { ...summaryNaming("whole"), mid_error: { after: 4, type: "overloaded_error", message: "Overloaded" } },
  })
  setting.scripted([textAnswer("after the whole summary")], "whole")
  await say("one")
  await say("two")
  await say("/compact")
  expect(setting.messagesSent(script)).toHaveLength(4)
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_result: "success" })
  expect(payloadsOf(events(), "sdk:system/api_retry")).toEqual([])
  await say("three")
  expect(setting.messagesSent(behind)).toEqual([])
  expect(payloadsOf(events(), "sdk:result/success").at(-1)).toMatchObject({ result: "after the whole summary" })
})

it("a summary is retried as often as `max_retries` allows, without `api_retry`", async () => {
  const compact = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } }
  const { say, events, script } = await conversation(setting, TWO, { compact, options: { ...BYPASS, max_retries: 1 } })
  await say("one")
  await say("two")
  await say("/compact")
  expect(setting.messagesSent(script)).toHaveLength(4)
  expect(payloadsOf(events(), "sdk:system/api_retry")).toEqual([])
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_result: "failed" })
})

it("a summary is requested from the fallback model while the session's own is overloaded", async () => {
  const compact = [
    { error: { status: 500, type: "api_error", message: "down" } },
    textAnswer("<summary>SUMMARY of the other</summary>"),
  ]
  const options = { ...BYPASS, model: "claude-sonnet-4-5", fallbackModel: "claude-opus-4-6" }
  const { say, events, script } = await conversation(setting, TWO, { compact, options })
  await say("one")
  await say("two")
  await say("/compact")
  const sent = setting.api.log.filter((entry) => entry.script === script && entry.kind === "compact")
  expect(sent.map(({ body }) => body.model)).toEqual(["claude-sonnet-4-5", "claude-opus-4-6"])
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_result: "success" })
  expect(payloadsOf(events(), "call:finished").at(-1)).toMatchObject({
    model: "claude-opus-4-6",
    purpose: "compaction",
  })
})

it.each([
  ["/compact", "a summary"],
  ["/clear", "a new beginning"],
  ["/cost", "an answer of the session"],
])("what a prompt has before %s is part of the prompt behind %s", async (command) => {
  const { client, idle, session, script, behind, say, harness } = await conversation(setting, [
    ...TWO,
    textAnswer("third"),
  ])
  await say("one")
  await say("two")
  const content = [
    { type: "text", text: "mind this" },
    { type: "text", text: command },
  ]
  client.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" })
  await until(() => session.inbox.head() !== undefined)
  await idle()
  const last = () => session.memory.transcript.messages().at(-1)
  expect(last()).toMatchObject({ role: "user", content: [{ type: "text", text: "mind this" }] })
  await say(command === "/clear" ? `[[script:${behind}]] three` : "three")
  const next = setting
    .messagesSent(command === "/cost" ? script : behind)
    .at(-1)
    ?.at(-1)
  expect(textOf(next)).toMatch(/^mind this\n[\s\S]*three$/)
  harness.crash()
  expect(harness.boot().session.memory.transcript.messages().map(textOf).join("\n")).toContain("mind this")
})

it("a SessionStart hook that does not answer in time is reported, and the conversation continues without it", async () => {
  const never = () => new Promise<Record<string, unknown>>(() => {})
  const { say, events, client } = await conversation(setting, TWO, { hooks: { SessionStart: never } })
  await client.initialize({ hooks: { SessionStart: [{ hookCallbackIds: ["SessionStart"], timeout: 0.05 }] } })
  await say("one")
  await say("/compact")
  const [late] = payloadsOf(events(), "sdk:system/informational")
  expect(late?.["content"]).toBe(
    "SessionStart:compact says: a hook did not respond in time, so the session continues without it.",
  )
  await say("/clear")
  expect(payloadsOf(events(), "sdk:system/informational")).toHaveLength(1)
})
