import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeOutcome, encodeOutcome, type HookOutcome, NO_HOOKS } from "../../src/hooks/outcome.ts"
import { pre, run } from "./answers.ts"

const text = fc.string({ maxLength: 20 })
const json = fc.jsonValue({ maxDepth: 3 })
const record = fc.dictionary(text, json, { maxKeys: 4 })
const texts = fc.array(text, { maxLength: 3 })
const nullable = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const verdict = <const B extends string>(...behaviors: ReadonlyArray<B>) =>
  nullable(fc.record({ behavior: fc.constantFrom<B>(...behaviors), reason: text }, { requiredKeys: ["behavior"] }))

const outcome: fc.Arbitrary<HookOutcome> = fc.record(
  {
    ran: fc.nat({ max: 1000 }),
    permission: verdict("deny", "defer", "ask", "allow"),
    updatedInput: nullable(record),
    contexts: texts,
    block: nullable(fc.record({ reason: text })),
    stop: nullable(fc.record({ reason: text }, { requiredKeys: [] })),
    systemMessages: texts,
    updatedOutput: nullable(fc.record({ value: json })),
    request: nullable(
      fc.oneof(
        fc.record(
          {
            behavior: fc.constant("allow" as const),
            updatedInput: record,
            updatedPermissions: fc.constant([
              { type: "setMode" as const, mode: "acceptEdits" as const, destination: "session" as const },
            ]),
          },
          { requiredKeys: ["behavior"] },
        ),
        fc.record(
          { behavior: fc.constant("deny" as const), message: text, interrupt: fc.boolean() },
          { requiredKeys: ["behavior"] },
        ),
      ),
    ),
    failures: fc.array(
      fc.record({
        kind: fc.constantFrom("threw", "timeout", "gone", "invalid"),
        message: text,
        blocks: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    sessionTitle: text,
    displayContent: text,
    suppressOriginalPrompt: fc.boolean(),
    initialUserMessage: text,
    modelSwitch: verdict("allow", "deny", "ask"),
    elicitation: nullable(
      fc.record(
        { action: fc.constantFrom("accept" as const, "decline" as const, "cancel" as const), content: record },
        { requiredKeys: ["action"] },
      ),
    ),
  },
  {
    requiredKeys: [
      "ran",
      "permission",
      "updatedInput",
      "contexts",
      "block",
      "stop",
      "systemMessages",
      "updatedOutput",
      "request",
      "failures",
      "modelSwitch",
      "elicitation",
    ],
  },
)

const stored = (value: HookOutcome): unknown => JSON.parse(JSON.stringify(encodeOutcome(value)))

describe("an outcome", () => {
  it("is read back from the log as the same value", () => {
    fc.assert(
      fc.property(outcome, (value) => {
        // Hook answers arrive as JSON, which has no -0.
        const given = JSON.parse(JSON.stringify(value)) as HookOutcome
        expect(Result.getOrThrow(decodeOutcome(stored(given)))).toEqual(given)
      }),
      { numRuns: 500 },
    )
  })

  it("without hooks is stored as nothing", () => {
    expect(encodeOutcome(NO_HOOKS)).toEqual({})
    expect(Result.getOrThrow(decodeOutcome({}))).toEqual(NO_HOOKS)
  })

  it("is stored without its empty fields", async () => {
    const { outcome } = await run("PreToolUse", [{ answer: pre({ permissionDecision: "deny" }) }])
    expect(encodeOutcome(outcome)).toEqual({ ran: 1, permission: { behavior: "deny" } })
  })

  it("contains no undefined, whatever the hooks answer", async () => {
    const answer = fc.record(
      {
        continue: fc.boolean(),
        stopReason: text,
        decision: fc.constantFrom("approve", "block"),
        reason: text,
        systemMessage: text,
        hookSpecificOutput: fc.oneof(
          fc.record(
            {
              hookEventName: fc.constant("PreToolUse"),
              permissionDecision: fc.constantFrom("allow", "deny", "ask", "defer"),
              updatedInput: record,
              additionalContext: text,
            },
            { requiredKeys: ["hookEventName"] },
          ),
          json,
        ),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 4 }), async (answers) => {
        const hooks = answers.map((each) => ({ answer: JSON.parse(JSON.stringify(each)) as unknown }))
        const { outcome } = await run("PreToolUse", hooks)
        expect(JSON.parse(JSON.stringify(outcome))).toStrictEqual(outcome)
        expect(Result.getOrThrow(decodeOutcome(stored(outcome)))).toStrictEqual(outcome)
      }),
      { numRuns: 100 },
    )
  })

  it.each([null, "x", [], { ran: "one" }, { permission: { behavior: "perhaps" } }, { failures: [{}] }])(
    "%j is invalid",
    (value) => expect(Result.isFailure(decodeOutcome(value))).toBe(true),
  )

  it("ignores fields of a later version", () => {
    expect(Result.getOrThrow(decodeOutcome({ ran: 2, added: true }))).toEqual({ ...NO_HOOKS, ran: 2 })
  })
})

describe.each(["PostToolUse", "PostToolBatch", "Stop"] as const)("of %s hooks, of which one ends the turn", (event) => {
  const context = (additionalContext: string) => ({ hookSpecificOutput: { hookEventName: event, additionalContext } })

  it("has the contexts of all hooks, or for PostToolUse of those that finished before", async () => {
    const { outcome: merged } = await run(event, [
      { answer: context("last"), after: 2000 },
      { answer: { continue: false, ...context("own") }, after: 1000 },
      { answer: context("first") },
    ])
    expect(merged.contexts).toEqual(event === "PostToolUse" ? ["first"] : ["last", "own", "first"])
  })
})
