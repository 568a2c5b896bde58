// A turn's tally is not affected by events of other prompts.
import { describe, expect, it } from "vitest"
import { Accounting } from "../../../src/agent/transcript/accounting.ts"
import { numberedEvent, type TestName } from "../../support/session/log-event.ts"

const counting = () => {
  const accounting = new Accounting(() => undefined)
  let seq = 0
  const happens = (name: TestName, turn: string | null, payload: unknown = {}, parent: string | null = null) => {
    seq += 1
    accounting.apply(numberedEvent(seq, name, payload, turn, parent))
  }
  const costs = (turn: string) =>
    happens("call:finished", turn, {
      model: "claude-sonnet-4-5",
      usage: { input_tokens: 1 },
      usd: 1,
      stop_reason: null,
      duration_ms: 0,
    })
  return { accounting, happens, costs }
}

describe("the tally of a turn", () => {
  it.each(["turn:queued", "turn:cancelled", "sdk:command_lifecycle"] as const)(
    "continues when %s is about another prompt",
    (name) => {
      const { accounting, happens, costs } = counting()
      happens("sdk:system/init", "a")
      costs("a")
      happens(name, "b", { prompt: "later" })
      costs("a")
      expect(accounting.tally).toMatchObject({ turn: "a", started: true, requests: 2 })
    },
  )
})

describe("the model of the last answer", () => {
  it("is stored, and unknown in the form of earlier versions", () => {
    const { accounting, costs } = counting()
    costs("a")
    accounting.tally = null
    const saved = accounting.save()
    if (saved === null) throw new Error("The totals were not stored.")
    const restored = new Accounting(() => undefined)
    restored.take(saved)
    expect(restored.lastModel).toBe("claude-sonnet-4-5")
    const { lastModel: _, ...earlier } = saved
    const older = new Accounting(() => undefined)
    older.take(earlier)
    expect(older.lastModel).toBeNull()
  })
})

describe("the outcome of hooks for a turn's prompt", () => {
  it("is not replaced by that of a prompt that joins it", () => {
    const { accounting, happens } = counting()
    const fired = { hook_event_name: "UserPromptSubmit", input: {} }
    happens("hook:fired", "a", { ...fired, outcome: {} })
    happens("sdk:system/init", "a")
    const before = accounting.tally?.submitted
    happens("hook:fired", "a", { ...fired, outcome: { block: { reason: "no" } } })
    expect(before).not.toBeNull()
    expect(accounting.tally?.submitted).toBe(before)
  })
})

describe("the budget", () => {
  it("starts again when a client resumes the session", () => {
    const { accounting, happens, costs } = counting()
    costs("a")
    happens("session:changed", null, { options: {}, reopened: true })
    costs("b")
    expect([accounting.totalUsd, accounting.usdBefore, accounting.spent.session]).toEqual([2, 1, 1])
  })
})

describe("the index of results", () => {
  it.each(["session:changed", "session:forked"] as const)("starts again after %s", (name) => {
    const { accounting, happens } = counting()
    for (const turn of ["a", "b"]) {
      happens("sdk:system/init", turn)
      happens("sdk:result/success", turn, {})
    }
    happens(name, null, { options: {}, reopened: true })
    const restored = new Accounting(() => undefined)
    restored.take(accounting.save() ?? expect.fail("a turn runs"))
    for (const counted of [accounting, restored]) expect(counted).toMatchObject({ results: 2, resultsBefore: 2 })
  })
})

describe("a request that a tool made", () => {
  it("counts toward cost and time, but not toward the turn's own requests", () => {
    const { accounting, happens, costs } = counting()
    happens("sdk:system/init", "a")
    costs("a")
    const usage = { input_tokens: 7, server_tool_use: { web_search_requests: 2 } }
    const inner = { model: "claude-haiku-5-5", usage, usd: 2, stop_reason: "tool_use", duration_ms: 5 }
    happens("call:finished", "a", inner, "toolu_1")
    expect(accounting).toMatchObject({ totalUsd: 3, requests: 2, lastUsage: { input_tokens: 1 } })
    expect(accounting.modelUsage["claude-haiku-5-5"]).toMatchObject({ inputTokens: 7, webSearchRequests: 2 })
    expect(accounting.tally).toMatchObject({ requests: 1, apiMs: 5, stopReason: null, model: "claude-sonnet-4-5" })
    expect(accounting.tally?.usage).toMatchObject({ input_tokens: 1, server_tool_use: { web_search_requests: 0 } })
  })
})
