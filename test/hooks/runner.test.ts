// Which hooks of an event run, and the one outcome that their answers produce.
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { NO_HOOKS } from "../../src/hooks/outcome.ts"
import { type HookCall, runHooks } from "../../src/hooks/runner.ts"
import { entryOf, pre, run, type Scripted } from "./answers.ts"

describe("hooks of a tool call", () => {
  it("are called only if their matcher matches", async () => {
    const { outcome, asked } = await run("PreToolUse", [
      { answer: pre({ permissionDecision: "allow" }) },
      { answer: pre({ permissionDecision: "deny", permissionDecisionReason: "no" }), entry: { matcher: "Write|Edit" } },
      { answer: pre({ permissionDecision: "deny", permissionDecisionReason: "x" }), entry: { matcher: "Bash" } },
    ])
    expect(asked).toEqual(["client:0", "client:1"])
    expect(outcome).toEqual({ ...NO_HOOKS, ran: 2, permission: { behavior: "deny", reason: "no" } })
  })

  it("deny with the reason that arrived last, as in the official SDK", async () => {
    const denies = (reason: string, after = 0) => ({
      answer: pre({ permissionDecision: "deny", permissionDecisionReason: reason }),
      after,
    })
    const reasonOf = async (...hooks: ReadonlyArray<Scripted>) =>
      (await run("PreToolUse", hooks)).outcome.permission?.reason
    expect(await reasonOf(denies("first"), denies("second", 200))).toBe("second")
    expect(await reasonOf(denies("first", 300), denies("second"))).toBe("first")
    expect(await reasonOf({ answer: { decision: "block", reason: "first" } }, denies("second", 200))).toBe("second")
    expect(await reasonOf(denies("first"), { never: true, entry: { timeoutMs: 1000 } })).toMatch("in time")
  })

  it("produce an empty outcome if there are none", async () => {
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

  it("run in parallel", async () => {
    const { took } = await run("PreToolUse", [
      { answer: {}, after: 3000 },
      { answer: {}, after: 3000 },
      { answer: {}, after: 2000 },
    ])
    expect(took).toBe(3000)
  })

  it.each(["UserPromptSubmit", "UserPromptExpansion"] as const)(
    "of %s wait for no other once one blocks the prompt",
    async (event) => {
      const late: Scripted = { answer: { systemMessage: "late" }, after: 3000 }
      const block: Scripted = { answer: { decision: "block", reason: "no" }, after: 100 }
      const { outcome, took } = await run(event, [late, block])
      expect(took).toBe(100)
      expect(outcome).toMatchObject({ ran: 2, block: { reason: "no" }, systemMessages: [] })
      const stop: Scripted = { answer: { continue: false } }
      expect((await run(event, [late, stop])).took).toBe(3000)
      expect((await run(event, [late, stop, block])).took).toBe(3000)
      expect((await run(event, [late, { answer: { systemMessage: "early" } }])).took).toBe(3000)
      expect((await run("Stop", [late, { answer: { decision: "block", reason: "no" } }])).took).toBe(3000)
    },
  )

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

  it("decide by the strongest answer: deny, defer, ask, then allow", async () => {
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

  it("decide the same in any order of completion", async () => {
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
          const { permission, systemMessages: late, ...rest } = shuffled.outcome
          const { permission: decided, systemMessages: sent, ...others } = atOnce.outcome
          expect(rest).toEqual(others)
          expect(late.toSorted()).toEqual(sent.toSorted())
          expect(permission?.behavior).toBe(decided?.behavior)
          // Only the reason of a denial is that of the hook which finished last.
          if (decided?.behavior !== "deny") expect(permission).toEqual(decided)
        },
      ),
      { numRuns: 50 },
    )
  })

  it("a block combined with an allow is a deny", async () => {
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

  it("the input of the hook that finished last is used", async () => {
    const slow: Scripted = { answer: pre({ updatedInput: { content: "slow" } }), after: 400 }
    const fast: Scripted = { answer: pre({ updatedInput: { content: "fast" } }), after: 200 }
    expect((await run("PreToolUse", [slow, fast])).outcome.updatedInput).toEqual({ content: "slow" })
    expect((await run("PreToolUse", [fast, slow])).outcome.updatedInput).toEqual({ content: "slow" })
    expect((await run("PreToolUse", [fast, slow, { answer: {}, after: 600 }])).outcome.updatedInput).toEqual({
      content: "slow",
    })
  })

  it("the shown text of the hook that finished last is taken", async () => {
    const show = (displayContent: string) => ({
      hookSpecificOutput: { hookEventName: "MessageDisplay", displayContent },
    })
    const slow: Scripted = { answer: show("slow"), after: 400 }
    const fast: Scripted = { answer: show("fast"), after: 200 }
    expect((await run("MessageDisplay", [slow, fast])).outcome.displayContent).toBe("slow")
    expect((await run("MessageDisplay", [fast, slow, { answer: {}, after: 600 }])).outcome.displayContent).toBe("slow")
    expect((await run("Stop", [slow])).outcome.displayContent).toBeUndefined()
  })

  it("contexts are in the order of registration, messages in that of completion", async () => {
    const { outcome } = await run("PreToolUse", [
      { answer: { systemMessage: "s1", ...pre({ additionalContext: "one" }) }, after: 300 },
      { answer: { systemMessage: "", ...pre({ additionalContext: "" }) } },
      { answer: { systemMessage: "s2", ...pre({ additionalContext: "two" }) } },
    ])
    expect(outcome.contexts).toEqual(["one", "two"])
    expect(outcome.systemMessages).toEqual(["s2", "s1"])
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

describe("hooks of other events", () => {
  it("block with their reasons, one per line, those of Stop hooks in the order of completion", async () => {
    const hooks = [
      { answer: { decision: "block", reason: "tests fail" }, after: 100 },
      { answer: { decision: "block", reason: "no changelog" } },
      { answer: { decision: "block" }, after: 50 },
    ]
    const reasonsOf = async (event: "PostToolUse" | "Stop" | "SubagentStop") =>
      (await run(event, hooks)).outcome.block?.reasons
    const [first, second, third] = ["tests fail", "no changelog", "A hook blocked this without a reason."]
    expect(await reasonsOf("PostToolUse")).toEqual([first, second, third])
    expect(await reasonsOf("Stop")).toEqual([second, third, first])
    expect(await reasonsOf("SubagentStop")).toEqual([second, third, first])
  })

  it("that stop and block a prompt: the first to finish decides; within one hook a stop beats a block", async () => {
    const stops = { continue: false, stopReason: "wait" }
    const blocks = { decision: "block", reason: "no" }
    const outcomeOf = async (...answers: ReadonlyArray<object>) => {
      const { block, stop } = (
        await run(
          "UserPromptSubmit",
          answers.map((answer) => ({ answer })),
        )
      ).outcome
      return { block, stop }
    }
    const stopped = { block: null, stop: { reason: "wait" } }
    expect(await outcomeOf({ ...stops, ...blocks })).toEqual(stopped)
    expect(await outcomeOf({}, stops, blocks)).toEqual(stopped)
    expect(await outcomeOf({}, blocks, stops)).toMatchObject({ block: { reason: "no" } })
    const late = await run("UserPromptExpansion", [{ answer: blocks, after: 100 }, { answer: stops }])
    expect(late.outcome).toMatchObject(stopped)
  })

  it("a prompt that a failed hook blocks stays blocked even if another one stops it", async () => {
    const { outcome } = await run("UserPromptSubmit", [{ answer: { continue: false } }, { fails: "timeout" }])
    expect(outcome.block).not.toBeNull()
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

  it("the older name of a replaced output works only for MCP tools", async () => {
    const answer = { hookSpecificOutput: { hookEventName: "PostToolUse", updatedMCPToolOutput: ["x"] } }
    expect((await run("PostToolUse", [{ answer }])).outcome.updatedOutput).toBeNull()
    const mcp = await run("PostToolUse", [{ answer }], { tool_name: "mcp__files__read" })
    expect(mcp.outcome.updatedOutput).toEqual({ value: ["x"] })
  })

  it("may set the session's title and drop the prompt", async () => {
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

  it("may set the first message of a session", async () => {
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
