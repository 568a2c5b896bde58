// Random scripts, hooks, answers, interrupts and crashes: each prompt ends once and each call gets one result, in a log without
// gaps.
import { createHash } from "node:crypto"
import fc from "fast-check"
import { expect, it } from "vitest"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, eventsOf } from "../../support/session/session-harness.ts"
import { loop } from "../../support/session/loop.ts"
import type { ToolSkipped, TurnJoined } from "../../../src/schemas/log/event-payloads.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"

const { harnessOf, scripted } = loop()

const specific = (event: string, fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } })

/** The answers of hooks, by event; each answer is chosen by a number. */
const ANSWERS: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> = {
  UserPromptSubmit: [
    {},
    {},
    {},
    specific("UserPromptSubmit", { additionalContext: "context" }),
    { decision: "block", reason: "no" },
    { continue: false },
  ],
  PreToolUse: [
    {},
    {},
    specific("PreToolUse", { permissionDecision: "allow", additionalContext: "context" }),
    specific("PreToolUse", { permissionDecision: "deny" }),
    specific("PreToolUse", { permissionDecision: "ask" }),
    specific("PreToolUse", { permissionDecision: "defer" }),
    specific("PreToolUse", { updatedInput: { file_path: "/workspace/h", content: "h", pattern: "*" } }),
    { continue: false },
    { decision: 7 },
  ],
  PostToolUse: [
    {},
    {},
    { decision: "block", reason: "no" },
    specific("PostToolUse", { updatedToolOutput: "y" }),
    { continue: false },
  ],
  PostToolBatch: [{}, {}, {}, specific("PostToolBatch", { additionalContext: "context" }), { continue: false }],
  PermissionRequest: [{}, {}, specific("PermissionRequest", { decision: { behavior: "allow" } })],
  Stop: [
    {},
    {},
    {},
    { decision: "block", reason: "more" },
    specific("Stop", { additionalContext: "context" }),
    { continue: false },
  ],
}
const PERMISSIONS = [
  { behavior: "allow" },
  { behavior: "allow" },
  { behavior: "deny", message: "no" },
  { behavior: "deny", message: "no", interrupt: true },
]

/** Returns the same number for the same text in the same run. */
const numberOf = (seed: number, text: string): number =>
  createHash("sha256").update(`${seed}:${text}`).digest().readUInt32BE(0)

const oneCall = fc.constantFrom(
  () => call("Write", { file_path: "/workspace/a", content: "a" }),
  () => call("Bash", { command: "echo b >> b", description: "d" }),
  () => call("Bash", { command: "exit 2", description: "d" }),
  () => call("Glob", { pattern: "*" }),
  () => call("Read", { file_path: "/elsewhere/x" }),
  () => call("Nope", {}),
  () => call("Read", { path: 1 }),
)
const words = { type: "text", text: "some words of an answer" }

/** One answer of the model. None of them is followed by a delay. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(oneCall, { minLength: 1, maxLength: 3 })
      .map((calls) => ({ content: [words, ...calls.map((make) => make())] })),
  },
  fc.constant({ content: [words], stop_reason: "max_tokens" }),
  fc.constant({ content: [words], stop_reason: "pause_turn" }),
  fc.constant({ content: [words], stop_reason: "refusal" }),
  fc.constant({ content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] }),
  fc.constant({ content: [words, text("never finished")], drop: { after: 6 } }),
  oneCall.map((make) => ({
    content: [make(), words],
    mid_error: { after: 8, type: "overloaded_error", message: "busy" },
  })),
  fc.constant({ error: { status: 400, type: "invalid_request_error", message: "bad" } }),
)

const prompts = fc.array(
  fc.record({
    steps: fc.array(step, { maxLength: 3 }),
    manner: fc.constantFrom("rest", "control", "silent"),
    turn: fc.uuid({ version: 4 }),
  }),
  { minLength: 1, maxLength: 3 },
)

const happenings = fc.record({
  prompts,
  seed: fc.nat(),
  hooked: fc.boolean(),
  /** The process dies after this number of commits, and again after this number of further commits. */
  deaths: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 3 }),
  /** The turn is interrupted right after this commit of a process. */
  interruptAt: fc.option(fc.integer({ min: 1, max: 20 })),
  mode: fc.constantFrom("default", "bypassPermissions", "acceptEdits"),
  limits: fc.constantFrom({}, {}, { maxTurns: 2 }, { maxBudgetUsd: 0.0015 }),
})

/** The invariants of a log whose prompts have all ended. */
const problemsOf = (
  events: ReadonlyArray<LogEvent>,
  open: ReadonlyArray<{ readonly id: string }>,
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  events.forEach((event, index) => {
    if (event.seq !== index + 1) problems.push(`seq ${event.seq} is at place ${index + 1}`)
  })
  const joined = events.flatMap((event) => (event.name === "turn:joined" ? [(event.payload as TurnJoined).turn] : []))
  for (const { turn } of events.filter((event) => event.name === "turn:queued")) {
    const own = events.filter((event) => event.turn === turn)
    const results = own.filter((event) => event.name.startsWith("sdk:result"))
    const joins = joined.filter((name) => name === turn).length
    const completed = own.filter((event) => (event.payload as { state?: string }).state === "completed").length
    // A prompt that a hook blocked in mid-turn and whose sender is notified ends without a message of its own.
    const ends = results.length + joins === 0 ? completed : results.length + joins
    if (ends !== 1 || completed > 1) problems.push(`a prompt has ${ends} ends`)
    const inits = own.filter((event) => event.name === "sdk:system/init").length
    if (inits > 1) problems.push(`a turn has ${inits} inits`)
    const last = own.findLast((event) => event.name.startsWith("sdk:") && !/state_changed|lifecycle/.test(event.name))
    if (results.length === 1 && last !== results[0]) problems.push(`${last?.name} comes after the result`)
  }
  const blocks = events.filter((event) => /^sdk:(assistant|user)$/.test(event.name)).flatMap(blocksOf)
  const skipped = events.flatMap((event) =>
    event.name === "tool:skipped" ? [(event.payload as ToolSkipped).tool_use_id] : [],
  )
  const results = [...blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : [])), ...skipped]
  const uses = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
  for (const id of new Set(uses)) {
    // A script that is called for the same step again makes the same call again.
    const made = uses.filter((one) => one === id).length - (open.some((use) => use.id === id) ? 1 : 0)
    const count = results.filter((one) => one === id).length
    if (count !== made) problems.push(`the call ${id} was made ${made} times and has ${count} results`)
  }
  // A call that a hook deferred waits for a later prompt.
  const deferred = events.some(
    ({ payload }) => (payload as { terminal_reason?: string }).terminal_reason === "tool_deferred",
  )
  if (open.length > 0 && !deferred) problems.push("a call was left open")
  return problems
}

it("every prompt ends once and every call gets one result, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async ({ prompts, seed, hooked, deaths, interruptAt, mode, limits }) => {
      const harness = harnessOf({ permissionMode: mode as "default", ...limits })
      let booted = harness.boot()
      const names = hooked ? Object.keys(ANSWERS) : []
      const client = harness.connect(Object.fromEntries(names.map((event) => [event, () => undefined])))
      client.onCallback = (event, id) => {
        const answers = ANSWERS[event] ?? [{}]
        return answers[numberOf(seed, id) % answers.length]
      }
      client.onAsk = (request) => PERMISSIONS[numberOf(seed, String(request["tool_use_id"])) % PERMISSIONS.length]
      await client.initialize()
      let interrupted = false
      harness.onCommit = (count) => {
        if (count !== interruptAt || interrupted) return
        interrupted = true
        // A process that dies meanwhile never finishes it.
        queueMicrotask(() => void booted.stopTurn().catch(() => undefined))
      }
      for (const { steps, manner, turn } of prompts) {
        const script = scripted([...steps, textAnswer("Done.")])
        const prompt = manner === "silent" ? "a remark" : promptFor(script)
        booted.session.prompts.submit({
          turn,
          prompt,
          onBusy: "queue",
          options: {},
          fingerprint: "x",
          ...(manner === "rest"
            ? {}
            : { manner: { mayJoin: true, acknowledge: true, ...(manner === "silent" ? { silent: true } : {}) } }),
        })
      }
      for (const dieAfter of [...deaths, Number.POSITIVE_INFINITY]) {
        harness.transactions = 0
        harness.dieAfter = dieAfter
        await booted.idle()
        if (harness.transactions < dieAfter) break
        harness.crash()
        booted = harness.boot()
        harness.attach(client, booted.log.lastSeq)
      }
      await booted.idle()
      const events = eventsOf(booted.log)
      expect(problemsOf(events, booted.session.memory.transcript.openCalls())).toEqual([])
      expect(booted.session.state).toBe("idle")
      expect(booted.session.askStore.open).toEqual([])
      harness.crash()
    }),
    { numRuns: 60, endOnFailure: false },
  )
}, 120_000)
