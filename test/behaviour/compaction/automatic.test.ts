// Conversations that are compacted automatically: before a prompt, between two steps, and when the API refuses one.
import { expect, it } from "vitest"
import { BYPASS, loop, payloadsOf, resultOf, textOf } from "../../support/session/loop.ts"
import { eventsOf, problemsOf } from "../../support/session/session-harness.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { user } from "../prompts/busy-sessions.ts"
import { conversation, FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()
const TOO_LONG = { error: { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens" } }
const NO_SUMMARY = { error: { status: 400, type: "invalid_request_error", message: "no" } }
const LISTS = { content: [call("Glob", { pattern: "*.txt" })] }

it("before a prompt that would not fit", async () => {
  const turns = [textAnswer("first answer"), textAnswer("second answer", FULL)]
  const { say, events, ids, script, behind } = await conversation(setting, turns, { options: SMALL_WINDOW })
  await say("one")
  await say("two")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  expect(payloadsOf(events(), "sdk:system/compact_boundary")).toMatchObject([
    { compact_metadata: { trigger: "auto", pre_tokens: expect.any(Number) } },
  ])
  expect(setting.messagesSent(script)).toHaveLength(3)
  expect(setting.messagesSent(behind)[0]?.map(textOf).slice(1)).toEqual(["second answer", "three"])
  expect(resultOf(events())).toMatchObject({ result: "after the summary", num_turns: 2, usage: { input_tokens: 100 } })
})

it("after its PreCompact hooks have answered, clients are sent that it runs", async () => {
  const before: Array<unknown> = []
  const hook = () => {
    before.push(payloadsOf(opened.events(), "sdk:system/status"))
    return { decision: "block", reason: "not now" }
  }
  const turns = [textAnswer("first answer"), textAnswer("second answer", FULL), textAnswer("third answer")]
  const opened = await conversation(setting, turns, { options: SMALL_WINDOW, hooks: { PreCompact: hook } })
  await opened.say("one")
  await opened.say("two")
  await opened.say("three")
  expect(before).toEqual([[]])
  expect(payloadsOf(opened.events(), "sdk:system/status")).toMatchObject([
    { status: "compacting", compact_output_chars: 0 },
    { status: null },
  ])
})

it.each([
  [
    "succeeds",
    undefined,
    ["sdk:system/status", "sdk:user", "sdk:system/compact_boundary", "sdk:user", "sdk:assistant"],
  ],
  ["fails", NO_SUMMARY, ["sdk:system/status", "sdk:user", "sdk:assistant"]],
])("the prompt that would not fit is echoed once its compaction %s", async (_, compact, expected) => {
  const turns = [textAnswer("first answer"), textAnswer("second answer", FULL), textAnswer("third answer")]
  const options = { ...SMALL_WINDOW, replay_user_messages: true }
  const { say, events } = await conversation(setting, turns, { options, compact })
  await say("one")
  await say("two")
  await say("three")
  const since = events().slice(events().findLastIndex(({ name }) => name === "sdk:system/init") + 1)
  const messages = since
    .map(({ name }) => name)
    .filter((name) => /^sdk:(user|assistant|system.(status|comp))/.test(name))
  expect(messages).toEqual(["sdk:system/status", ...expected])
  expect(payloadsOf(since, "sdk:user").filter(({ isReplay }) => isReplay === true)).toMatchObject([
    { message: { content: "three" } },
  ])
})

it("between two steps of a turn, keeping the last calls", async () => {
  const turns = [textAnswer("first answer"), LISTS, { ...LISTS, ...FULL }]
  const { say, events, ids, behind } = await conversation(setting, turns, { options: SMALL_WINDOW })
  await say("one")
  await say("two")
  expect(problemsOf(events(), ids)).toEqual([])
  const next = setting.messagesSent(behind)[0] ?? []
  expect(next.map(({ content }) => content.map(({ type }) => type))).toEqual([["text"], ["tool_use"], ["tool_result"]])
  expect(resultOf(events())).toMatchObject({ result: "after the summary", terminal_reason: "completed" })
})

it("a hook's context after a result does not make the last calls part of the summary", async () => {
  const context = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "a context" } }
  const turns = [LISTS, { ...LISTS, ...FULL }]
  const hooks = { PostToolUse: () => context }
  const { say, script } = await conversation(setting, turns, { options: SMALL_WINDOW, hooks })
  await say("one")
  const summarized = setting.messagesSent(script)[2] ?? []
  expect(summarized.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
})

it("a prompt that arrived during the calls before makes the last calls part of the summary", async () => {
  let sent = false
  const hook = () => {
    if (!sent) opened.client.send(user("another thing"))
    sent = true
    return {}
  }
  const hooks = { PreToolUse: hook }
  const opened = await conversation(setting, [LISTS, { ...LISTS, ...FULL }], { options: SMALL_WINDOW, hooks })
  await opened.say("one")
  const summarized = setting.messagesSent(opened.script)[2] ?? []
  expect(textOf(summarized[2]!)).toContain("another thing")
  expect(summarized.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"])
})

it.each([
  ["before a prompt", [textAnswer("first answer"), textAnswer("second answer", FULL)], 3, 1, 0],
  ["between two steps", [textAnswer("first answer"), { ...LISTS, ...FULL }], 2, 2, 98_000],
] as const)(
  "a summary %s that uses up the budget is the turn's last request",
  async (_, turns, prompts, num_turns, used) => {
    const compact = { ...summaryNaming("unused"), usage: FULL.usage }
    const options = { ...SMALL_WINDOW, maxBudgetUsd: 0.4 }
    const { say, events, ids, script } = await conversation(setting, turns, { options, compact })
    for (let sent = 0; sent < prompts; sent += 1) await say("next")
    expect(problemsOf(events(), ids)).toEqual([])
    expect(resultOf(events())).toMatchObject({
      subtype: "error_max_budget_usd",
      num_turns,
      usage: { input_tokens: used },
    })
    expect(payloadsOf(events(), "call:finished")).toHaveLength(3)
    expect(setting.messagesSent(script)).toHaveLength(3)
    expect(payloadsOf(events(), "sdk:system/compact_boundary")).toHaveLength(1)
    expect(payloadsOf(events(), "sdk:user").filter(({ isSynthetic }) => isSynthetic === true)).toEqual([])
  },
)

it("once the API refuses it as too long", async () => {
  const turns = [textAnswer("first answer"), textAnswer("second answer"), TOO_LONG]
  const { say, events, ids, behind } = await conversation(setting, turns)
  await say("one")
  await say("two")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  expect(setting.messagesSent(behind)[0]?.map(textOf).slice(1)).toEqual(["second answer", "three"])
  expect(resultOf(events())).toMatchObject({ result: "after the summary" })
})

/** The refusal of an answer of 32,000 tokens behind a conversation of this many. */
const noRoom = (input: number) => {
  const message = `input length and \`max_tokens\` exceed context limit: ${input} + 32000 > 200000, decrease input length`
  return { error: { status: 400, type: "invalid_request_error", message } }
}

const longestAnswers = (script: string) =>
  setting.api.log.filter((entry) => entry.script === script).map(({ body }) => body["max_tokens"])

it("not when an answer of at least 3,000 tokens fits behind it", async () => {
  const turns = [textAnswer("first answer"), [noRoom(196_000), textAnswer("second answer")], textAnswer("third answer")]
  const { say, events, ids, script } = await conversation(setting, turns)
  await say("one")
  await say("two")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  const [longest] = longestAnswers(script)
  expect(longestAnswers(script)).toEqual([longest, longest, 3_000, longest])
  expect(payloadsOf(events(), "sdk:system/compact_boundary")).toEqual([])
})

it.each([
  ["it is refused too", 190_000, [9_000]],
  ["fewer than 3,000 tokens are left", 196_001, []],
])("once no shorter answer fits behind it: %s", async (_, input, shorter) => {
  const turns = [textAnswer("first answer"), textAnswer("second answer"), noRoom(input)]
  const { say, events, ids, script, behind } = await conversation(setting, turns)
  await say("one")
  await say("two")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  const [longest] = longestAnswers(script)
  expect(longestAnswers(script)).toEqual([longest, longest, longest, ...shorter, longest])
  expect(setting.messagesSent(behind)[0]?.map(textOf).slice(1)).toEqual(["second answer", "three"])
  expect(resultOf(events())).toMatchObject({ result: "after the summary" })
})

it("also a single exchange, if the API refuses it with the next prompt as too long, as recorded", async () => {
  const { say, events, ids, behind } = await conversation(setting, [textAnswer("first answer"), TOO_LONG])
  await say("one")
  await say("two")
  expect(problemsOf(events(), ids)).toEqual([])
  expect(setting.messagesSent(behind)[0]?.map(textOf)).toEqual([expect.stringContaining("two")])
  expect(resultOf(events())).toMatchObject({ result: "after the summary" })
})

it.each([
  ["as soon as", 177_000, "success"],
  ["not before", 176_000, "failed"],
])("also a single exchange, %s the rest of the window has no room for a summary", async (_, input_tokens, result) => {
  const turns = [textAnswer("first answer", { usage: { input_tokens, output_tokens: 1 } }), textAnswer("second answer")]
  const { say, events } = await conversation(setting, turns, {
    options: { ...SMALL_WINDOW, model: "claude-sonnet-4-5" },
  })
  await say("one")
  await say("two")
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_result: result })
})

it("a single exchange whose request has too many bytes ends the turn, after its hook, as recorded", async () => {
  const large = { error: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" } }
  const { say, events } = await conversation(setting, [textAnswer("first answer"), large])
  await say("one")
  await say("two")
  const hooks = payloadsOf(events(), "hook:fired").map(
    ({ input }) => (input as { hook_event_name: string }).hook_event_name,
  )
  expect(hooks.slice(-2)).toEqual(["PreCompact", "StopFailure"])
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_error: "too_few_groups" })
  expect(resultOf(events())).toMatchObject({ is_error: true, terminal_reason: "image_error" })
})

it("one exchange that leaves no room ends the turn, since it is too short for a summary", async () => {
  const { say, events } = await conversation(setting, [noRoom(196_001)])
  await say("one")
  expect(resultOf(events())).toMatchObject({ is_error: true, terminal_reason: "prompt_too_long" })
})

it("only once: a conversation that is still too long ends the turn", async () => {
  const turns = [textAnswer("first answer"), textAnswer("second answer"), TOO_LONG]
  const { say, events, ids, behind } = await conversation(setting, turns, { after: [TOO_LONG] })
  await say("one")
  await say("two")
  await say("three")
  expect(problemsOf(events(), ids)).toEqual([])
  expect(setting.messagesSent(behind)).toHaveLength(1)
  expect(resultOf(events())).toMatchObject({ is_error: true, terminal_reason: "prompt_too_long" })
})

it.each([
  ["full", FULL, []],
  ["refused", {}, [TOO_LONG]],
] as const)(
  "a turn ends when its conversation is %s again right after each compaction, whatever transaction the process dies after",
  async (_, filled, refusal) => {
    const lists = () => ({ content: [call("Glob", { pattern: "*.txt" })], ...filled })
    const turns = [textAnswer("first answer"), lists(), ...refusal]
    // After a summary, the last answer before it comes first if it is preserved.
    const after = [...(refusal.length > 0 ? [textAnswer("unused")] : []), lists(), ...refusal]
    for (let dieAfter = 2, died = true; died; dieAfter += 3) {
      const { say, ids, harness } = await conversation(setting, turns, { options: SMALL_WINDOW, after })
      await say("one")
      harness.dieAfter = harness.transactions + dieAfter
      await say("two")
      died = harness.transactions >= harness.dieAfter
      harness.crash()
      const again = harness.boot()
      await again.idle()
      const events = eventsOf(again.log)
      expect(problemsOf(events, ids)).toEqual([])
      expect(resultOf(events)).toMatchObject({
        is_error: true,
        terminal_reason: "rapid_refill_breaker",
        stop_reason: "stop_sequence",
        result: expect.stringContaining("Autocompact is thrashing"),
      })
      expect(payloadsOf(events, "sdk:system/compact_boundary")).toHaveLength(3)
    }
  },
)

it("not if the session's settings disable it", async () => {
  const options = { ...BYPASS, settings: { autoCompactEnabled: false, autoCompactWindow: 100_000 } }
  const turns = [textAnswer("first answer"), textAnswer("second answer", FULL), TOO_LONG]
  const { say, events } = await conversation(setting, turns, { options })
  await say("one")
  await say("two")
  await say("three")
  expect(payloadsOf(events(), "sdk:system/status")).toEqual([])
  expect(resultOf(events())).toMatchObject({ terminal_reason: "prompt_too_long" })
})

it("a conversation of one exchange is too short, and continues unchanged", async () => {
  const turns = [textAnswer("first answer", FULL), textAnswer("second answer")]
  const { say, events } = await conversation(setting, turns, {
    options: { ...SMALL_WINDOW, model: "claude-sonnet-4-5" },
  })
  await say("one")
  await say("two")
  expect(payloadsOf(events(), "sdk:system/status").at(-1)).toMatchObject({ compact_error: "too_few_groups" })
  expect(resultOf(events())).toMatchObject({ result: "second answer" })
})

it("compactions of an empty conversation do not count as failures", async () => {
  const turns = [textAnswer("first answer"), textAnswer("second answer", FULL)]
  const { say, events, script } = await conversation(setting, turns, { options: SMALL_WINDOW })
  await say("/clear")
  for (let tries = 0; tries < 3; tries += 1) await say("/compact")
  await say(promptFor(script))
  await say("two")
  await say("three")
  expect(payloadsOf(events(), "sdk:system/compact_boundary")).toHaveLength(1)
})

it("after three failures in a row no further one is started", async () => {
  const turns = [textAnswer("first answer"), ...Array.from({ length: 6 }, (_, n) => textAnswer(`answer ${n}`, FULL))]
  const compact = { error: { status: 400, type: "invalid_request_error", message: "bad" } }
  const { say, events } = await conversation(setting, turns, { options: SMALL_WINDOW, compact })
  for (const words of ["one", "two", "three", "four", "five", "six"]) await say(words)
  const failed = payloadsOf(events(), "sdk:system/status").filter(({ compact_result: result }) => result === "failed")
  expect(failed).toHaveLength(3)
  expect(resultOf(events())).toMatchObject({ result: "answer 4", is_error: false })
})

it.each([
  [{ autoCompactWindow: 100_000 }, 100_000, 67_000],
  [{ autoCompactWindow: 100_000, autoCompactEnabled: false }, 200_000, undefined],
  [{ autoCompactWindow: 900_000 }, 200_000, 167_000],
])("with the settings %j the context is measured against %i tokens", async (settings, maxTokens, threshold) => {
  const options = { ...BYPASS, model: "claude-sonnet-4-5", settings }
  const { say, client } = await conversation(setting, [textAnswer("first answer")], { options })
  await say("one")
  const { response } = (await client.request("get_context_usage", {})) as { response: Record<string, unknown> }
  expect(response).toMatchObject({ maxTokens, rawMaxTokens: maxTokens })
  expect(response["autoCompactThreshold"]).toBe(threshold)
})
