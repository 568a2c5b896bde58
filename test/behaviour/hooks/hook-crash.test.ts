// A process that dies after any commit of a turn with hooks: the next one calls the pending hooks under the same ids, and the
// turn ends as if the crash had not happened.
import { describe, expect, it } from "vitest"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, eventsOf, problemsOf } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { BYPASS, loop, resultOf, textOf, type Turns } from "../../support/session/loop.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"

const { harnessOf, scripted, messagesSent } = loop()

const TURN = "0199a000-0000-7000-8000-00000000beef"

const SCHEMA = { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false }

const specific = (event: string, fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } })

interface Case {
  readonly turns: Turns
  readonly hooks: HookTable
  readonly options?: SessionOptions
  readonly ask?: Readonly<Record<string, unknown>>
}

const write = call("Write", { file_path: "/workspace/f", content: "x\n" }, "toolu_write")
const append = call("Bash", { command: "echo y >> f", description: "d" }, "toolu_append")
const glob = call("Glob", { pattern: "**/*" }, "toolu_glob")
const other = call("Glob", { pattern: "*.ts" }, "toolu_other")

const CASES: Readonly<Record<string, Case>> = {
  "that only listen": {
    turns: [
      { content: [text("I look."), glob, other] },
      { content: [write] },
      { content: [append] },
      textAnswer("Done."),
    ],
    hooks: { UserPromptSubmit: {}, PreToolUse: {}, PostToolUse: {}, PostToolBatch: {}, Stop: {} },
  },
  "that add a text for the model and hold the turn back": {
    turns: [{ content: [write, append] }, textAnswer("Done."), textAnswer("Really.")],
    hooks: {
      UserPromptSubmit: specific("UserPromptSubmit", { additionalContext: "one" }),
      PreToolUse: specific("PreToolUse", { additionalContext: "two" }),
      PostToolUse: { decision: "block", reason: "three" },
      PostToolBatch: specific("PostToolBatch", { additionalContext: "four" }),
      Stop: (input) => (input["stop_hook_active"] === true ? {} : { decision: "block", reason: "five" }),
    },
  },
  "that change what goes in and what comes out": {
    turns: [{ content: [call("Write", { file_path: "/workspace/g", content: "g" }, "toolu_g")] }, textAnswer("Done.")],
    hooks: {
      PreToolUse: specific("PreToolUse", { updatedInput: { file_path: "/workspace/f", content: "x\ny\n" } }),
      PostToolUse: specific("PostToolUse", { updatedToolOutput: "replaced" }),
    },
  },
  "that refuse the prompt": {
    turns: [textAnswer("Never.")],
    hooks: { UserPromptSubmit: { decision: "block", reason: "no" }, Stop: {} },
  },
  "that stop at the prompt": {
    turns: [textAnswer("Never.")],
    hooks: { UserPromptSubmit: { continue: false }, Stop: {} },
  },
  "that deny": {
    turns: [{ content: [write, glob] }, textAnswer("Done.")],
    hooks: { PreToolUse: specific("PreToolUse", { permissionDecision: "deny" }), PostToolBatch: {}, Stop: {} },
  },
  "that end the turn after a call": {
    turns: [{ content: [write] }, textAnswer("Never.")],
    hooks: { PostToolUse: { continue: false, stopReason: "enough" } },
  },
  "that put a call off": {
    turns: [{ content: [glob, write] }, textAnswer("Never.")],
    hooks: {
      PreToolUse: (input) =>
        specific("PreToolUse", input["tool_name"] === "Write" ? { permissionDecision: "defer" } : {}),
    },
  },
  "that take a value": {
    turns: [{ content: [call("StructuredOutput", { a: 1 }, "toolu_value")] }, textAnswer("Never.")],
    hooks: { PreToolUse: {}, PostToolUse: {}, PostToolBatch: {}, Stop: {} },
    options: { ...BYPASS, outputFormat: { type: "json_schema", schema: SCHEMA } },
  },
  "that run after an answer which was too dear": {
    turns: [{ content: [append], usage: { input_tokens: 1_000_000 } }, textAnswer("Never.")],
    hooks: { PreToolUse: {}, PostToolUse: {}, Stop: {} },
    options: { ...BYPASS, maxBudgetUsd: 0.01 },
  },
  "that run after a request that failed": {
    turns: [{ content: [append] }, { error: { status: 403, type: "permission_error", message: "no" } }],
    hooks: { PostToolUse: {}, StopFailure: {}, Stop: {} },
  },
  "around a question that ends the turn": {
    turns: [{ content: [write, append] }, textAnswer("Never.")],
    hooks: { PreToolUse: {}, PostToolUse: {}, Stop: {} },
    options: {},
    ask: { behavior: "deny", message: "stop", interrupt: true },
  },
  "around a question that a client answers": {
    turns: [{ content: [write] }, textAnswer("Done.")],
    hooks: { PreToolUse: {}, PostToolUse: {}, Stop: {} },
    options: {},
    ask: { behavior: "allow" },
  },
}

const run = async ({ turns, hooks, options = BYPASS, ask }: Case, dieAfter: number) => {
  const harness = harnessOf(options)
  const first = harness.boot()
  const client = harness.connect(hooks)
  client.onAsk = () => ask
  await client.initialize()
  const script = scripted(turns)
  first.session.prompts.submit({
    turn: TURN,
    prompt: promptFor(script),
    onBusy: "queue",
    options: {},
    fingerprint: "x",
  })
  harness.transactions = 0
  harness.dieAfter = dieAfter
  await first.idle()
  const died = harness.transactions >= dieAfter
  harness.crash()
  const { session, log, workspace, idle } = harness.boot()
  harness.attach(client, log.lastSeq)
  await idle()
  const events = eventsOf(log)
  const result = resultOf(events)
  const deferred = result["terminal_reason"] === "tool_deferred"
  return {
    died,
    // A call that was deferred has no result yet.
    problems: problemsOf(events, [TURN]).filter((problem) => !deferred || !problem.startsWith("calls")),
    state: session.state,
    asked: new Set(client.called.map((one) => `${one.requestId} ${one.callbackId}`)),
    made: new Set(events.flatMap(blocksOf).flatMap((block) => (block.type === "tool_use" ? [block.id ?? ""] : []))),
    facts: {
      file: workspace.exists("/workspace/f") ? workspace.readText("/workspace/f") : null,
      end: [
        result["subtype"],
        String(result["result"]).replaceAll(script, ""),
        result["terminal_reason"],
        result["is_error"],
      ],
      structured: result["structured_output"],
      denials: result["permission_denials"],
      // What the model received, without the script's name and the notes about interrupted answers.
      received: (messagesSent(script).at(-1) ?? [])
        .filter((message) => message.role === "user")
        .map((message) => textOf(message).replaceAll(script, "").trim())
        .filter((one) => one !== "" && !one.startsWith("The connection broke")),
    },
  }
}

/** Callbacks about the calls that the model made: an answer that a crash interrupted has fewer of them. */
const ofCalls = (asked: ReadonlySet<string>, made: ReadonlySet<string>) =>
  [...asked].filter((one) => made.has(one.split(":")[2] ?? "")).toSorted()

describe.each(Object.entries(CASES))("a turn with hooks %s", (_, one) => {
  it("ends as without a crash, and calls each hook under one id, wherever the process dies", async () => {
    const whole = await run(one, Number.POSITIVE_INFINITY)
    expect(whole.problems).toEqual([])
    for (let dieAfter = 1, alive = false; !alive; dieAfter += 1) {
      const cut = await run(one, dieAfter)
      const where = `death after commit ${dieAfter}`
      expect(cut.problems, where).toEqual([])
      expect(cut.state, where).toBe("idle")
      expect(ofCalls(cut.asked, cut.made), where).toEqual(ofCalls(whole.asked, cut.made))
      if (cut.made.size === whole.made.size) expect(cut.facts, where).toEqual(whole.facts)
      alive = !cut.died
    }
  })
})
