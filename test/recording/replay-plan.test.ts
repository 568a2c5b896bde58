// The plan of a replay: the steps that came from outside, each with the session's progress at that moment.
import { expect, it } from "vitest"
import { PlanMaker } from "../../src/recording/replay-plan.ts"
import type { Signal } from "../../src/schemas/signal.ts"

const actor = { type: "key", id: "k" }
const signal = (name: string, payload: Signal["payload"] = {}): Signal => ({
  id: "s",
  name,
  payload,
  timestamp: "2026-01-01T00:00:00.000Z",
})
const planOf = (...signals: ReadonlyArray<Signal>) => {
  const plan = new PlanMaker()
  for (const one of signals) plan.add(one)
  return { steps: plan.steps.map(({ payload: _, ...step }) => step), results: plan.results }
}

it("contains client actions, and how many turns had ended before", () => {
  const plan = planOf(
    signal("session:created", { options: {} }),
    signal("turn:queued", { prompt: "one", actor }),
    signal("sdk:result:success"),
    signal("turn:queued", { prompt: "Perch's own" }),
    signal("sdk:result:success"),
    signal("session:changed", { title: "T", actor }),
    signal("session:changed", { title: "its own" }),
    signal("turn:queued", { prompt: "of another session", actor, imported: true }),
    signal("turn:queued", { prompt: "two", actor }),
    signal("sdk:result:error_max_turns"),
  )
  expect(plan).toEqual({
    steps: [
      { name: "session:created", results: 0 },
      { name: "turn:queued", results: 0 },
      { name: "session:changed", results: 2 },
      { name: "turn:queued", results: 2 },
    ],
    results: 3,
  })
})

it("contains the definitions of each turn: those it loaded, or the ones loaded before", () => {
  const plan = planOf(
    signal("turn:queued", { prompt: "one", actor }),
    signal("turn:queued", { prompt: "two", actor, definitions: 3 }),
    signal("definitions:loaded", { version: 4, values: {} }),
    signal("turn:queued", { prompt: "three", actor }),
  )
  expect(plan.steps.map(({ definitions }) => definitions)).toEqual([undefined, 3, 4])
})

it("recognizes a change of the model that was logged with its messages", () => {
  const fired = signal("hook:fired", { hook_event_name: "PreModelSwitch", input: {} })
  const plan = planOf(
    signal("session:changed", { options: { model: "a" }, actor }),
    fired,
    signal("session:changed", { options: { model: "b" }, actor }),
    signal("sdk:result:success"),
    fired,
  )
  expect(plan.steps.map(({ name }) => name)).toEqual(["model:switched", "session:changed"])
})
