// A durable run alone: what it commits, how it ends, and that it survives being killed between any two commits.
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { shownRun } from "../../../src/signals/runs/run-report.ts"
import { describe, expect, it } from "vitest"
import { compileWorkflow } from "../../../src/signals/workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import { defineSignal } from "../../../src/signals/signal.ts"
import { updateState, type WorkflowState } from "../../../src/signals/state.ts"
import { type AnyWorkflow, registeredWorkflow } from "../../../src/signals/workflows/registered.ts"
import { comparable } from "../../support/signals/comparable.ts"
import { type Answer, DurableRuns } from "../../support/signals/durable-runs.ts"

const workflowOf = (name: string): AnyWorkflow => {
  const workflow = registeredWorkflow(name)
  if (workflow === undefined) throw new Error(`no workflow ${name}`)
  return workflow
}

/** The worker fails at its first attempt of the second task. */
const worker: Answer = ({ prompt, seq }) => {
  const taskId = /^taskId: (.*)$/m.exec(prompt)?.[1] ?? ""
  const outcome = taskId === "task-2" && seq < 10 ? "partial" : "success"
  return [{ name: "task:completed", payload: { taskId, outcome, summary: `At ${seq}.` } }]
}

const arguer: Answer = ({ agent, seq }) => [{ name: "argument:made", payload: { text: `${agent} at ${seq}` } }]

describe.each([
  ["tasks", worker],
  ["debate", arguer],
] as const)("the workflow %s", (name, answer) => {
  it("ends in the same state with the same signals, wherever it is killed", async () => {
    const whole = new DurableRuns(workflowOf(name), answer)
    await whole.settle()
    expect(whole.book.existing).toMatchObject({ status: "completed", error: null, waiting: 0 })
    const wanted = { state: whole.state, log: comparable(whole.log), usd: whole.book.existing.usd }
    for (let kill = 1; kill <= whole.transactions; kill += 1) {
      const cut = new DurableRuns(workflowOf(name), answer)
      await cut.settleWithKills([kill])
      expect({ state: cut.state, log: comparable(cut.log), usd: cut.book.existing.usd }).toEqual(wanted)
      expect(cut.turns.begun.size).toBe(whole.turns.begun.size)
    }
    const often = new DurableRuns(workflowOf(name), answer)
    await often.settleWithKills(Array.from({ length: 60 }, () => 2))
    expect({ state: often.state, log: comparable(often.log), usd: often.book.existing.usd }).toEqual(wanted)
  })

  it("has a state for every seq, the last of which is the run's own", async () => {
    const run = new DurableRuns(workflowOf(name), answer)
    await run.settle()
    const states = run.log.map(({ seq }) => run.book.stateAt(seq).seq)
    expect(states).toEqual(states.toSorted((a, b) => a - b))
    expect(JSON.parse(run.book.stateAt(0).json)).toEqual(workflowOf(name).initialState)
    expect(JSON.parse(run.book.stateAt(run.book.existing.lastSeq).json)).toEqual(run.state)
  })
})

describe("the end of a run", () => {
  const Go = defineSignal("go", {})
  const counting = (more: { readonly limits?: object; readonly emits?: number; readonly size?: number }) =>
    compileWorkflow({
      name: "counting",
      initialState: { count: 0, text: "" },
      handlers: [
        defineHandler({
          signals: ["workflow:start", Go],
          handle: Effect.fnUntraced(function* (_signal, state: WorkflowState<{ count: number; text: string }>) {
            yield* updateState(state, ({ count }) => ({ count: count + 1, text: "x".repeat(more.size ?? 0) }))
            return Array.from({ length: more.emits ?? 1 }, () => Go({}))
          }),
        }),
      ],
      until: () => false,
      limits: { ...more.limits },
    }) as unknown as AnyWorkflow // only its own handlers receive its state

  const failureOf = async (workflow: AnyWorkflow) => {
    const run = new DurableRuns(workflow, () => [])
    await run.settle()
    expect(run.log.at(-1)?.name).toBe("workflow:end")
    return run.book.existing.error
  }

  it("is a limit that it reaches", async () => {
    const depth = await failureOf(counting({ limits: { depth: 5 } }))
    expect(depth).toEqual({ type: "WorkflowError", message: expect.stringContaining("limit depth, which is 5") })
    const queue = await failureOf(counting({ limits: { queue: 3 }, emits: 4 }))
    expect(queue?.message).toContain("limit queue, which is 3")
    const state = await failureOf(counting({ size: 300_000 }))
    expect(state?.message).toContain("larger than 256 KiB")
  })

  it("is a handler that throws, an agent that fails, or one that emits an undeclared signal", async () => {
    const throwing = compileWorkflow({
      name: "throwing",
      initialState: {},
      handlers: { "workflow:start": () => Effect.die(new Error("no such thing")) },
      until: () => false,
    }) as unknown as AnyWorkflow // as above
    expect(await failureOf(throwing)).toMatchObject({ type: "HandlerError" })

    const tasks = workflowOf("tasks")
    const failed = new DurableRuns(tasks, () => ({
      result: { subtype: "error_max_turns", errors: ["too many turns"] },
    }))
    await failed.settle()
    expect(failed.book.existing).toMatchObject({ status: "failed", usd: 0.25 })
    expect(failed.book.existing.error?.message).toContain("too many turns")
    expect(failed.book.turns()).toMatchObject([{ status: "failed", usd: 0.25 }])

    const undeclared = new DurableRuns(tasks, () => [{ name: "task:next", payload: {} }])
    await undeclared.settle()
    expect(undeclared.book.existing.error).toMatchObject({ type: "AgentError" })
    expect(undeclared.book.existing.error?.message).toContain("does not declare")
  })

  it("is a workflow that the server no longer has", async () => {
    const run = new DurableRuns(workflowOf("tasks"), worker, { workflow: "gone" })
    await run.settle()
    expect(run.book.existing).toMatchObject({ status: "failed", error: { type: "WorkflowError" } })
  })
})

describe("a run that waits", () => {
  it("shows that its agent's session has an ask, and continues when that is answered", async () => {
    const run = new DurableRuns(workflowOf("tasks"), worker)
    run.turns.held = { tag: "open", asks: true }
    const look = await run.run.drive()
    expect(run.book.existing.status).toBe("waiting")
    expect(look).toBeGreaterThan(0)
    run.turns.held = { tag: "later", afterMs: 5000, reason: "The tenant has 5 sessions." }
    expect(await run.run.changed()).toBeGreaterThan(0)
    const shown = () => shownRun(run.book, [])
    expect(shown()).toMatchObject({ status: "running", delay_reason: "The tenant has 5 sessions." })
    run.turns.held = { tag: "open", asks: false }
    await run.run.changed()
    expect(shown()).toMatchObject({ status: "running", delay_reason: null })
    run.turns.held = null
    await run.settle()
    expect(shown()).toMatchObject({ status: "completed", delay_reason: null })
  })

  it("stays open for signals from outside on request", async () => {
    const run = new DurableRuns(workflowOf("debate"), () => [], { onEmpty: "wait" })
    await run.settle()
    expect(run.book.existing).toMatchObject({ status: "waiting", endedAt: null })
    run.book.commit({ signals: [{ id: "s1", name: "debate:ended", payload: { arguments: 0 }, depth: 0 }] })
    expect(run.book.received("s1")).toMatchObject({ name: "debate:ended" })
    await run.settle()
    expect(run.book.existing.status).toBe("completed")
  })

  it("has room for its own signals, however many come from outside", async () => {
    const workflow = workflowOf("tasks")
    const run = new DurableRuns(workflow, worker)
    run.turns.held = { tag: "open", asks: true }
    await run.run.drive()
    const payload = { taskId: "other", outcome: "partial", summary: "Another client's." }
    const sent = { name: "task:completed", payload, depth: 0 }
    run.book.commit({ signals: Array.from({ length: workflow.limits.queue }, () => sent) })
    expect(run.book.existing).toMatchObject({ outside: workflow.limits.queue })
    run.turns.held = null
    await run.settle()
    expect(run.book.existing).toMatchObject({ status: "completed", error: null, outside: 0 })
  })

  it("has the running turn stopped when it is cancelled", async () => {
    const run = new DurableRuns(workflowOf("tasks"), worker)
    run.turns.held = { tag: "open", asks: false }
    await run.run.drive()
    run.book.commit({ run: { status: "cancelled", endedAt: 1, current: null } })
    run.restart()
    await run.run.drive()
    expect(run.turns.stopped).toEqual(["worker"])
    expect(run.book.turns()).toMatchObject([{ status: "stopped" }])
  })
})

describe("handlers that crash the server", () => {
  it("are started seven times, and then fail the run; a success resets the count", async () => {
    const run = new DurableRuns(workflowOf("tasks"), worker)
    const restart = () => {
      run.restart()
      run.run.takeOver()
    }
    for (let count = 0; count < 6; count += 1) restart()
    run.turns.held = { tag: "open", asks: false }
    await run.run.drive()
    expect(run.book.existing).toMatchObject({ status: "running", takeovers: 0 })
    // A turn continues in its session, whatever happens to the run's process.
    for (let count = 0; count < 9; count += 1) restart()
    expect(run.book.existing).toMatchObject({ takeovers: 0 })
    const other = new DurableRuns(workflowOf("tasks"), worker)
    for (let count = 0; count < 7; count += 1) {
      other.restart()
      other.run.takeOver()
    }
    await other.settle()
    const message = expect.stringContaining("workflow:start were started 7 times")
    expect(other.book.existing).toMatchObject({ status: "failed", error: { type: "HandlerError", message } })
  })
})

describe("a turn that is interrupted in its session", () => {
  it("fails the run with that reason", async () => {
    const result = {
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: "aborted_tools",
      errors: ["?"],
    }
    const run = new DurableRuns(workflowOf("tasks"), () => ({ result }))
    await run.settle()
    const message = "The turn of worker failed: it was interrupted in its session."
    expect(run.book.existing).toMatchObject({ status: "failed", error: { type: "AgentError", message } })
  })
})

describe("a run that is erased while a turn starts", () => {
  it("is idle when the turn has started, and starts no other", async () => {
    const run = new DurableRuns(workflowOf("tasks"), () => [])
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const begin = run.turns.begin.bind(run.turns)
    run.turns.begin = async (...args) => {
      begun.resolve()
      await gate.promise
      return begin(...args)
    }
    const driving = run.run.drive()
    await begun.promise
    run.book.commit({ run: { erasing: true } })
    const idle = run.run.idle()
    expect(run.turns.begun.size).toBe(0)
    gate.resolve()
    await idle
    expect(run.turns.begun.size).toBe(1)
    expect(await driving).toBeNull()
  })
})

describe("generated workflows", () => {
  const Item = defineSignal("item:made", { n: Schema.Int })
  const State = Schema.Struct({ seen: Schema.Array(Schema.Int) })
  type State = typeof State.Type

  /** Every item emits those that `edges` name, from a handler or an agent. */
  const generated = (edges: ReadonlyArray<ReadonlyArray<number>>, asked: ReadonlyArray<boolean>): AnyWorkflow => {
    const following = (n: number) => (edges[n] ?? []).filter((to) => to > n).map((to) => Item({ n: to }))
    return compileWorkflow<State, never>({
      name: "generated",
      initialState: { seen: [] },
      stateSchema: State,
      handlers: [
        defineHandler({ signals: ["workflow:start"], handle: () => Effect.succeed([Item({ n: 0 })]) }),
        defineHandler(
          Item,
          Effect.fnUntraced(function* ({ payload: { n } }, state: WorkflowState<State>) {
            yield* updateState(state, ({ seen }) => ({ seen: [...seen, n] }))
            return asked[n] === true ? [] : following(n)
          }),
        ),
      ],
      agents: ["first", "second"].map((name) => ({
        name,
        activatesOn: ["item:*"],
        emits: [Item],
        prompt: (_state, { payload }) => JSON.stringify({ name, payload }),
      })),
      until: () => false,
    }) as unknown as AnyWorkflow // as above
  }

  const answers =
    (edges: ReadonlyArray<ReadonlyArray<number>>, asked: ReadonlyArray<boolean>): Answer =>
    ({ prompt }) => {
      const { name, payload } = JSON.parse(prompt) as { name: string; payload: { n: number } } // made above
      if (name !== "first" || asked[payload.n] !== true) return []
      return (edges[payload.n] ?? [])
        .filter((to) => to > payload.n)
        .map((to) => ({ name: "item:made", payload: { n: to } }))
    }

  it("emit the same signals however a run is split by restarts", async () => {
    const edges = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }), { minLength: 1, maxLength: 5 })
    const asked = fc.array(fc.boolean(), { maxLength: 6 })
    const kills = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(edges, asked, kills, async (graph, byAgent, cuts) => {
        const workflow = generated(graph, byAgent)
        const whole = new DurableRuns(workflow, answers(graph, byAgent))
        await whole.settle()
        const split = new DurableRuns(workflow, answers(graph, byAgent))
        await split.settleWithKills(cuts)
        expect(split.book.existing.error).toEqual(whole.book.existing.error)
        expect(split.state).toEqual(whole.state)
        expect(comparable(split.log)).toEqual(comparable(whole.log))
        expect([...split.turns.begun.keys()]).toEqual([...whole.turns.begun.keys()])
      }),
      { numRuns: 40 },
    )
  })
})
