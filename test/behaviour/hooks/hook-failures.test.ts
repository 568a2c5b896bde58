// Hooks that throw, return invalid answers, lose their client or time out: how each event handles them.
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { NO_HOOKS } from "../../../src/hooks/outcome.ts"
import { type HookCall, runHooks } from "../../../src/hooks/runner.ts"
import { entryOf, pre, run } from "../../hooks/answers.ts"

describe("a hook that fails", () => {
  it("counts as an empty answer when it throws", async () => {
    const { outcome } = await run("PreToolUse", [{ fails: "threw" }, { answer: pre({ permissionDecision: "allow" }) }])
    expect(outcome.permission).toEqual({ behavior: "allow" })
    expect(outcome.failures).toEqual([{ kind: "threw", message: "hook threw", blocks: false }])
  })

  it.each([
    ["a text", "yes"],
    ["a list", []],
    ["an unknown decision", { decision: "maybe" }],
    ["an unknown permission", pre({ permissionDecision: "perhaps" })],
    ["an answer for an unknown event", { hookSpecificOutput: { hookEventName: "Nothing" } }],
  ])("counts as silent when it answers %s", async (_, answer) => {
    const { outcome } = await run("PreToolUse", [{ answer }])
    expect(outcome).toEqual({
      ...NO_HOOKS,
      ran: 1,
      failures: [{ kind: "invalid", message: expect.stringMatching(/^The answer is /), blocks: false }],
    })
  })

  it("denies a tool call when the answer is for another event", async () => {
    const answer = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "x" } }
    const { outcome } = await run("PreToolUse", [{ answer }])
    expect(outcome.permission?.behavior).toBe("deny")
    expect(outcome.failures).toMatchObject([{ kind: "misaddressed", blocks: true }])
  })

  it.each(["UserPromptSubmit", "UserPromptExpansion", "TaskCreated", "TaskCompleted"] as const)(
    "blocks %s when it is late",
    async (event) => expect((await run(event, [{ fails: "timeout" }])).outcome.block).not.toBeNull(),
  )

  it.each(["timeout", "gone"] as const)("refuses a script of a skill: %s", async (fails) => {
    expect((await run("PreSkillShellCommand", [{ fails }])).outcome.block).not.toBeNull()
    expect((await run("PreSkillShellCommand", [{ fails: "threw" }])).outcome.block).toBeNull()
  })

  it("decides about a script in the form of PreToolUse, and refuses it in any other", async () => {
    const blocked = async (answer: unknown) => (await run("PreSkillShellCommand", [{ answer }])).outcome.block
    expect(await blocked(pre({ permissionDecision: "deny", permissionDecisionReason: "no" }))).toEqual({ reason: "no" })
    expect(await blocked(pre({ permissionDecision: "allow" }))).toBeNull()
    expect(await blocked({ hookSpecificOutput: { hookEventName: "PostToolUse" } })).not.toBeNull()
  })

  it("refuses another model when it is late", async () => {
    const { outcome } = await run("PreModelSwitch", [{ fails: "timeout" }])
    expect(outcome.modelSwitch?.behavior).toBe("deny")
    expect((await run("PreModelSwitch", [{ fails: "threw" }])).outcome.modelSwitch).toBeNull()
  })

  it.each(["PostToolUse", "PostToolBatch", "Stop", "PreCompact", "SessionStart"] as const)(
    "is ignored for %s when it is late",
    async (event) => expect((await run(event, [{ fails: "timeout" }])).outcome.block).toBeNull(),
  )

  it("keeps the reasons of several Stop hooks apart", async () => {
    const block = (reason: string) => ({ answer: { decision: "block", reason } })
    const { outcome } = await run("Stop", [block("one"), block("two")])
    expect(outcome.block).toEqual({ reason: "one\ntwo", reasons: ["one", "two"] })
  })

  it.each(["threw", "invalid", "gone"] as const)("denies a tool call when set to block: %s", async (fails) => {
    const { outcome } = await run("PreToolUse", [{ fails, entry: { onFailure: "block" } }])
    expect(outcome.permission?.behavior).toBe("deny")
    expect(outcome.permission?.reason).toMatch(/PreToolUse hook .*refused/)
    expect(outcome.failures).toEqual([{ kind: fails, message: `hook ${fails}`, blocks: true }])
    expect(outcome.block).toBeNull()
  })

  it.each(["PostToolUse", "UserPromptSubmit", "PreCompact"] as const)("blocks %s when set to block", async (event) => {
    const { outcome } = await run(event, [{ fails: "threw", entry: { onFailure: "block" } }])
    expect(outcome.block).toEqual({ reason: `A ${event} hook failed, so this was refused: hook threw` })
    expect(outcome.permission).toBeNull()
  })

  it.each(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"] as const)("never blocks %s", async (event) => {
    const { outcome } = await run(event, [{ fails: "threw", entry: { onFailure: "block" } }])
    expect(outcome.block).toBeNull()
    expect(outcome.failures).toEqual([{ kind: "threw", message: "hook threw", blocks: false }])
  })

  it("has a message of limited length", async () => {
    const { outcome } = await run("PreToolUse", [{ answer: { decision: "x".repeat(100_000) } }])
    expect(outcome.failures[0]?.message.length).toBeLessThanOrEqual(500)
  })

  it("denies a tool call when its client has disconnected, whatever others allow", async () => {
    const { outcome } = await run("PreToolUse", [{ answer: pre({ permissionDecision: "allow" }) }, { fails: "gone" }])
    expect(outcome.permission?.behavior).toBe("deny")
    expect(outcome.failures).toEqual([{ kind: "gone", message: "hook gone", blocks: true }])
  })

  it.each(["UserPromptSubmit", "PostToolUse", "Stop"] as const)(
    "does not block %s when its client has disconnected",
    async (event) => {
      const { outcome } = await run(event, [{ fails: "gone" }])
      expect(outcome).toEqual({
        ...NO_HOOKS,
        ran: 1,
        failures: [{ kind: "gone", message: "hook gone", blocks: false }],
      })
    },
  )
})

describe("a hook that does not answer", () => {
  it("denies a tool call after its timeout", async () => {
    const { outcome, took, interrupted } = await run("PreToolUse", [
      { never: true, entry: { timeoutMs: 1000 } },
      { answer: pre({ permissionDecision: "allow" }) },
    ])
    expect(took).toBe(1000)
    expect(interrupted).toEqual(["client:0"])
    expect(outcome.permission).toEqual({
      behavior: "deny",
      reason: "A PreToolUse hook did not respond in time, so this was refused.",
    })
    expect(outcome.failures).toEqual([{ kind: "timeout", message: "No response within 1000 ms.", blocks: true }])
  })

  it("is abandoned for other events, without a block", async () => {
    const { outcome, took } = await run("PostToolUse", [{ never: true, entry: { timeoutMs: 1000 } }])
    expect(took).toBe(1000)
    expect(outcome.block).toBeNull()
    expect(outcome.failures).toEqual([{ kind: "timeout", message: "No response within 1000 ms.", blocks: false }])
  })

  it("each hook has its own timeout", async () => {
    const { took, outcome } = await run("PostToolUse", [
      { never: true, entry: { timeoutMs: 1000 } },
      { answer: { decision: "block", reason: "late" }, after: 1500, entry: { timeoutMs: 2000 } },
    ])
    expect(took).toBe(1500)
    expect(outcome.block).toEqual({ reason: "late" })
  })

  it("is interrupted with the run", async () => {
    const interrupted: Array<string> = []
    await Effect.runPromise(
      Effect.gen(function* () {
        const call = ({ entry }: HookCall) =>
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(entry.id)))
        const fiber = yield* Effect.forkChild(
          runHooks([entryOf(0), entryOf(1)], "PreToolUse", { tool_name: "Write" }, undefined, call),
          { startImmediately: true },
        )
        yield* Fiber.interrupt(fiber)
      }),
    )
    expect(interrupted.toSorted()).toEqual(["client:0", "client:1"])
  })
})
