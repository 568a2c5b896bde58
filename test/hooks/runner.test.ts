import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { NO_HOOKS } from "../../src/hooks/outcome.ts"
import { type HookCall, runHooks } from "../../src/hooks/runner.ts"
import { entryOf, pre, run, type Scripted } from "./answers.ts"

describe("hooks of a tool call", () => {
  it("are asked when their matcher fits, and only then", async () => {
    const { outcome, asked } = await run("PreToolUse", [
      { answer: pre({ permissionDecision: "allow" }) },
      { answer: pre({ permissionDecision: "deny", permissionDecisionReason: "no" }), entry: { matcher: "Write|Edit" } },
      { answer: pre({ permissionDecision: "deny", permissionDecisionReason: "x" }), entry: { matcher: "Bash" } },
    ])
    expect(asked).toEqual(["client:0", "client:1"])
    expect(outcome).toEqual({ ...NO_HOOKS, ran: 2, permission: { behavior: "deny", reason: "no" } })
  })

  it("give an empty outcome when there are none", async () => {
    expect((await run("PreToolUse", [])).outcome).toBe(NO_HOOKS)
    expect((await run("PreToolUse", [{ answer: {}, entry: { matcher: "Bash" } }])).outcome).toBe(NO_HOOKS)
  })

  it("receive the event, its input and the tool call", async () => {
    const calls: Array<HookCall> = []
    const call = (hook: HookCall) => Effect.sync(() => void calls.push(hook))
    const entry = entryOf(0)
    const input = { tool_name: "Write", tool_input: { file_path: "/a" } }
    await Effect.runPromise(runHooks([entry], "PreToolUse", input, "toolu_1", call))
    await Effect.runPromise(runHooks([entry], "Stop", { stop_hook_active: false }, undefined, call))
    expect(calls).toEqual([
      { entry, event: "PreToolUse", input, toolUseId: "toolu_1" },
      { entry, event: "Stop", input: { stop_hook_active: false } },
    ])
  })

  it("run at the same time", async () => {
    const { took } = await run("PreToolUse", [
      { answer: {}, after: 3000 },
      { answer: {}, after: 3000 },
      { answer: {}, after: 2000 },
    ])
    expect(took).toBe(3000)
  })

  const DECISIONS = ["deny", "defer", "ask", "allow"] as const
  const answer = fc.oneof(
    fc.constantFrom(...DECISIONS).map((permissionDecision) => pre({ permissionDecision })),
    fc.constant({ decision: "block" }),
    fc.constant({ decision: "approve" }),
    fc.constant({}),
    fc.constant({ async: true }),
  )
  const meaning = (output: Record<string, unknown>): string | undefined => {
    if (output["decision"] === "block") return "deny"
    if (output["decision"] === "approve") return "allow"
    const specific = output["hookSpecificOutput"] as { permissionDecision: string } | undefined
    return specific?.permissionDecision
  }

  it("decide by the strongest of deny, defer, ask and allow", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 6 }), async (answers) => {
        const { outcome } = await run(
          "PreToolUse",
          answers.map((each) => ({ answer: each })),
        )
        const meanings = answers.map(meaning)
        expect(outcome.permission?.behavior).toBe(DECISIONS.find((decision) => meanings.includes(decision)))
      }),
      { numRuns: 100 },
    )
  })

  it("decide the same in whatever order they finish", async () => {
    const hook = fc.record({
      answer: fc.tuple(answer, fc.string()).map(([given, reason]) => ({ ...given, reason, systemMessage: reason })),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(hook, { minLength: 1, maxLength: 5 }).chain((hooks) =>
          fc.tuple(
            fc.constant(hooks),
            fc.shuffledSubarray(
              hooks.map((_, index) => index),
              { minLength: hooks.length },
            ),
          ),
        ),
        async ([hooks, order]) => {
          const atOnce = await run("PreToolUse", hooks)
          const shuffled = await run(
            "PreToolUse",
            hooks.map((each, index) => ({ ...each, after: 100 * (order.indexOf(index) + 1) })),
          )
          expect(shuffled.outcome).toEqual(atOnce.outcome)
        },
      ),
      { numRuns: 50 },
    )
  })

  it("a block beside an allow is a deny", async () => {
    const { outcome } = await run("PreToolUse", [
      { answer: { decision: "block", reason: "general", ...pre({ permissionDecision: "allow" }) } },
    ])
    expect(outcome.permission).toEqual({ behavior: "deny", reason: "general" })
    expect(outcome.block).toBeNull()
  })

  it("the reason is that of the first registered hook with the deciding answer", async () => {
    const { outcome } = await run("PreToolUse", [
      { answer: pre({ permissionDecision: "allow", permissionDecisionReason: "fine" }) },
      { answer: pre({ permissionDecision: "ask", permissionDecisionReason: "first" }), after: 500 },
      { answer: pre({ permissionDecision: "ask", permissionDecisionReason: "second" }) },
    ])
    expect(outcome.permission).toEqual({ behavior: "ask", reason: "first" })
  })

  it("the input of the hook that finished last is taken", async () => {
    const slow: Scripted = { answer: pre({ updatedInput: { content: "slow" } }), after: 400 }
    const fast: Scripted = { answer: pre({ updatedInput: { content: "fast" } }), after: 200 }
    expect((await run("PreToolUse", [slow, fast])).outcome.updatedInput).toEqual({ content: "slow" })
    expect((await run("PreToolUse", [fast, slow])).outcome.updatedInput).toEqual({ content: "slow" })
    expect((await run("PreToolUse", [fast, slow, { answer: {}, after: 600 }])).outcome.updatedInput).toEqual({
      content: "slow",
    })
  })

  it("contexts and messages come in the order of registration", async () => {
    const { outcome } = await run("PreToolUse", [
      { answer: { systemMessage: "s1", ...pre({ additionalContext: "one" }) }, after: 300 },
      { answer: { systemMessage: "", ...pre({ additionalContext: "" }) } },
      { answer: { systemMessage: "s2", ...pre({ additionalContext: "two" }) } },
    ])
    expect(outcome.contexts).toEqual(["one", "two"])
    expect(outcome.systemMessages).toEqual(["s1", "s2"])
  })

  it("can stop the turn, with or without a reason", async () => {
    expect((await run("PreToolUse", [{ answer: { continue: false, stopReason: "halted" } }])).outcome.stop).toEqual({
      reason: "halted",
    })
    expect((await run("PreToolUse", [{ answer: { continue: false } }])).outcome.stop).toEqual({})
    expect((await run("PreToolUse", [{ answer: { continue: true, stopReason: "x" } }])).outcome.stop).toBeNull()
  })

  it.each([[{ async: true }], [{ async: true, asyncTimeout: 1000 }], [undefined], [null], [{}]])(
    "an answer of %j decides nothing",
    async (answer) => {
      expect((await run("PreToolUse", [{ answer: answer }])).outcome).toEqual({ ...NO_HOOKS, ran: 1 })
    },
  )
})

describe("a hook that fails", () => {
  it("counts as silent when it throws", async () => {
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

  it("refuses a prompt when it is late, and ignores a late PostToolUse hook", async () => {
    const late = { fails: "timeout" } as const
    expect((await run("UserPromptSubmit", [late])).outcome.block).not.toBeNull()
    expect((await run("PostToolUse", [late])).outcome.block).toBeNull()
  })

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

  it("has a message of bounded length", async () => {
    const { outcome } = await run("PreToolUse", [{ answer: { decision: "x".repeat(100_000) } }])
    expect(outcome.failures[0]?.message.length).toBeLessThanOrEqual(500)
  })

  it("denies a tool call when its client is gone, whatever others allow", async () => {
    const { outcome } = await run("PreToolUse", [{ answer: pre({ permissionDecision: "allow" }) }, { fails: "gone" }])
    expect(outcome.permission?.behavior).toBe("deny")
    expect(outcome.failures).toEqual([{ kind: "gone", message: "hook gone", blocks: true }])
  })

  it.each(["UserPromptSubmit", "PostToolUse", "Stop"] as const)(
    "does not block %s when its client is gone",
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
      reason: "A PreToolUse hook did not answer in time, so this was refused.",
    })
    expect(outcome.failures).toEqual([{ kind: "timeout", message: "No answer within 1000 ms.", blocks: true }])
  })

  it("is given up for other events, without a block", async () => {
    const { outcome, took } = await run("PostToolUse", [{ never: true, entry: { timeoutMs: 1000 } }])
    expect(took).toBe(1000)
    expect(outcome.block).toBeNull()
    expect(outcome.failures).toEqual([{ kind: "timeout", message: "No answer within 1000 ms.", blocks: false }])
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

describe("a permission request", () => {
  const decides = (decision: Record<string, unknown>) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
  })

  it("takes the first decision that arrives and interrupts the other hooks", async () => {
    const { outcome, took, interrupted } = await run("PermissionRequest", [
      { answer: decides({ behavior: "deny", message: "slow" }), after: 2000 },
      { answer: decides({ behavior: "allow", updatedInput: { a: 1 } }), after: 500 },
      { never: true },
      { answer: {} },
    ])
    expect(took).toBe(500)
    expect(interrupted.toSorted()).toEqual(["client:0", "client:2"])
    expect(outcome).toEqual({ ...NO_HOOKS, ran: 4, request: { behavior: "allow", updatedInput: { a: 1 } } })
  })

  it("waits for all without a decision", async () => {
    const { outcome, took } = await run("PermissionRequest", [
      { answer: {}, after: 700 },
      { fails: "threw" },
      { never: true, entry: { timeoutMs: 900 } },
    ])
    expect(took).toBe(900)
    expect(outcome.request).toBeNull()
    expect(outcome.failures.map((failure) => failure.blocks)).toEqual([false, false])
  })

  it("keeps what an answer carries", async () => {
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
    const allowed = await run("PermissionRequest", [{ answer: decides({ behavior: "allow", updatedPermissions }) }])
    expect(allowed.outcome.request).toEqual({ behavior: "allow", updatedPermissions })
    const denied = await run("PermissionRequest", [
      { answer: decides({ behavior: "deny", message: "no", interrupt: true }) },
    ])
    expect(denied.outcome.request).toEqual({ behavior: "deny", message: "no", interrupt: true })
  })

  it("is denied by a general block, and not allowed by a general approve", async () => {
    const blocked = await run("PermissionRequest", [{ answer: { decision: "block", reason: "no" } }])
    expect(blocked.outcome.request).toEqual({ behavior: "deny", message: "no" })
    const approved = await run("PermissionRequest", [{ answer: { decision: "approve" } }])
    expect(approved.outcome.request).toBeNull()
  })

  it("is denied when the client that decides is gone, unless another hook decides", async () => {
    expect((await run("PermissionRequest", [{ fails: "gone" }])).outcome.request?.behavior).toBe("deny")
    const both = await run("PermissionRequest", [
      { fails: "gone" },
      { answer: decides({ behavior: "allow" }), after: 100 },
    ])
    expect(both.outcome.request).toEqual({ behavior: "allow" })
  })
})

describe("hooks of other events", () => {
  it("block with their reasons, one per line", async () => {
    const { outcome } = await run("Stop", [
      { answer: { decision: "block", reason: "tests fail" }, after: 100 },
      { answer: { decision: "block", reason: "no changelog" } },
      { answer: { decision: "block" }, after: 50 },
    ])
    expect(outcome.block?.reason.split("\n")).toEqual([
      "tests fail",
      "no changelog",
      "A hook blocked this and gave no reason.",
    ])
  })

  it("may replace a tool's output; the last to finish wins", async () => {
    const output = (updatedToolOutput: unknown) => ({
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
    })
    const { outcome } = await run("PostToolUse", [
      { answer: output("late"), after: 200 },
      { answer: output({ text: "early" }) },
    ])
    expect(outcome.updatedOutput).toEqual({ value: "late" })
    expect((await run("PostToolUse", [{ answer: output(null) }])).outcome.updatedOutput).toEqual({ value: null })
  })

  it("the older name of a replaced output holds for MCP tools only", async () => {
    const answer = { hookSpecificOutput: { hookEventName: "PostToolUse", updatedMCPToolOutput: ["x"] } }
    expect((await run("PostToolUse", [{ answer }])).outcome.updatedOutput).toBeNull()
    const mcp = await run("PostToolUse", [{ answer }], { tool_name: "mcp__files__read" })
    expect(mcp.outcome.updatedOutput).toEqual({ value: ["x"] })
  })

  it("may title the session and drop the prompt", async () => {
    const answer = {
      suppressOutput: true,
      systemMessage: "ups sys",
      hookSpecificOutput: {
        hookEventName: "UserPromptSubmit",
        additionalContext: "ups ctx",
        sessionTitle: "A title",
        suppressOriginalPrompt: true,
      },
    }
    expect((await run("UserPromptSubmit", [{ answer }])).outcome).toEqual({
      ...NO_HOOKS,
      ran: 1,
      contexts: ["ups ctx"],
      systemMessages: ["ups sys"],
      sessionTitle: "A title",
      suppressOriginalPrompt: true,
    })
  })

  it("may give the first message of a session", async () => {
    const answer = {
      hookSpecificOutput: { hookEventName: "SessionStart", initialUserMessage: "hi", sessionTitle: "T" },
    }
    expect((await run("SessionStart", [{ answer }], { source: "startup" })).outcome).toEqual({
      ...NO_HOOKS,
      ran: 1,
      initialUserMessage: "hi",
      sessionTitle: "T",
    })
  })

  it("may refuse a model", async () => {
    const says = (permissionDecision: string, permissionDecisionReason: string) => ({
      hookSpecificOutput: { hookEventName: "PreModelSwitch", permissionDecision, permissionDecisionReason },
    })
    const { outcome } = await run("PreModelSwitch", [{ answer: says("allow", "a") }, { answer: says("deny", "d") }])
    expect(outcome.modelSwitch).toEqual({ behavior: "deny", reason: "d" })
    const blocked = await run("PreModelSwitch", [{ answer: { decision: "block", reason: "b" } }])
    expect(blocked.outcome.modelSwitch).toEqual({ behavior: "deny", reason: "b" })
    const failed = await run("PreModelSwitch", [{ fails: "threw", entry: { onFailure: "block" } }])
    expect(failed.outcome.modelSwitch?.behavior).toBe("deny")
  })

  it("may answer an elicitation", async () => {
    const answer = {
      hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: { name: "x" } },
    }
    const { outcome } = await run("Elicitation", [{ answer }], { mcp_server_name: "files" })
    expect(outcome.elicitation).toEqual({ action: "accept", content: { name: "x" } })
  })
})
