import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nextAction, type TurnAction, type TurnState } from "../../src/agent/next-action.ts"

const FRESH: TurnState = {
  phase: "entered",
  failed: false,
  overBudget: false,
  refused: false,
  openCalls: false,
  answered: false,
  overTurns: false,
  full: false,
}

const TABLE: ReadonlyArray<readonly [what: string, state: Partial<TurnState>, action: TurnAction]> = [
  ["a prompt without an answer asks the model", {}, "step"],
  ["a failed request ends the turn before anything else", { failed: true, overBudget: true, openCalls: true }, "fail"],
  ["a spent budget ends the turn before its calls run", { overBudget: true, openCalls: true }, "end_over_budget"],
  ["a spent budget ends the turn before its answer is judged", { overBudget: true, answered: true }, "end_over_budget"],
  ["the calls of a refused answer are dropped, not run", { refused: true, openCalls: true }, "drop_calls"],
  [
    "a refused answer is judged once its calls are dropped",
    { phase: "calls_done", refused: true, answered: true },
    "judge",
  ],
  ["open calls run before the last answer is judged", { openCalls: true, answered: true }, "run_calls"],
  ["open calls run even when no request is left", { openCalls: true, overTurns: true }, "run_calls"],
  ["an answer is judged", { answered: true }, "judge"],
  ["an answer is judged even when no request is left", { answered: true, overTurns: true }, "judge"],
  ["after calls without an answer behind them the model is asked", { phase: "calls_done" }, "step"],
  [
    "a budget that calls have spent is looked at after the next step",
    { phase: "calls_done", overBudget: true },
    "step",
  ],
  ["an answer that does not end the turn is judged once", { phase: "judged", answered: true }, "step"],
  ["the limit of requests ends the turn where it would ask", { phase: "judged", overTurns: true }, "end_over_turns"],
  ["a conversation that fills the window is summed up before the model is asked", { full: true }, "compact"],
  ["no summary is made where the model is not asked", { full: true, overTurns: true }, "end_over_turns"],
  ["the limit of requests holds after calls", { phase: "calls_done", overTurns: true }, "end_over_turns"],
]

describe("the next action of a turn", () => {
  it.each(TABLE)("%s", (_, state, action) => {
    expect(nextAction({ ...FRESH, ...state })).toBe(action)
  })

  it("is never the same twice in a row without a step in between", () => {
    const states = fc.record({
      phase: fc.constant("entered" as const),
      failed: fc.boolean(),
      overBudget: fc.boolean(),
      refused: fc.boolean(),
      openCalls: fc.boolean(),
      answered: fc.boolean(),
      overTurns: fc.boolean(),
      full: fc.boolean(),
    })
    const AFTER = { run_calls: "calls_done", drop_calls: "calls_done", judge: "judged" } as const
    fc.assert(
      fc.property(states, (first) => {
        const actions: Array<TurnAction> = []
        let state: TurnState = first
        for (let count = 0; count < 4; count += 1) {
          const action = nextAction(state)
          actions.push(action)
          if (action !== "run_calls" && action !== "drop_calls" && action !== "judge") break
          state = { ...state, phase: AFTER[action] }
        }
        expect(new Set(actions).size).toBe(actions.length)
        expect(["fail", "end_over_budget", "end_over_turns", "compact", "step"]).toContain(actions.at(-1))
      }),
    )
  })
})
