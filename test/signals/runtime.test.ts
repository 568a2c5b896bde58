// A run in memory: the order of its signals, its ends, its limits, its adapters, and signals from outside.
import { Deferred, Effect, Fiber, Queue, Ref, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { Emitted, Signal } from "../../src/schemas/signal.ts"
import type { AdapterService } from "../../src/signals/adapter.ts"
import { makeAgentService } from "../../src/signals/agent-service.ts"
import { createWorkflow } from "../../src/signals/create-workflow.ts"
import { defineHandler } from "../../src/signals/handler.ts"
import { createRuntime } from "../../src/signals/runtime.ts"
import type { WorkflowState } from "../../src/signals/state.ts"
import type { Workflow, WorkflowConfig } from "../../src/signals/workflow.ts"
import { scriptedHarness } from "../support/signals/scripted-harness.ts"
import { taskWorkflow, workerAnswer } from "../support/signals/task-workflow.ts"

const { harness } = scriptedHarness(workerAnswer)
const names = (signals: ReadonlyArray<Signal>) => signals.map(({ name }) => name)
const collector = () => {
  const seen: Array<Signal> = []
  const adapter: AdapterService["Service"] = { process: (signal) => Effect.sync(() => void seen.push(signal)) }
  return { seen, adapter }
}

/** A workflow that counts the signals named `tick`, each of which emits `emits`. */
const ticking = (given: Partial<WorkflowConfig<number>>, emits: (count: number) => ReadonlyArray<Emitted> = () => []) =>
  createWorkflow<number>({
    name: "ticking",
    initialState: 0,
    handlers: [
      defineHandler({
        signals: ["workflow:start", "tick"],
        handle: (_, state: WorkflowState<number>) =>
          Effect.map(
            Ref.updateAndGet(state, (count) => count + 1),
            emits,
          ),
      }),
    ],
    until: () => false,
    ...given,
  })
const TICK = { name: "tick", payload: {} }
const runOf = <S>(
  workflow: Workflow<S>,
  before: (signals: Queue.Queue<Emitted>) => Effect.Effect<unknown> = () => Effect.void,
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const runtime = yield* createRuntime(workflow)
      yield* before(runtime.signals)
      const state = yield* runtime.runWith({ agents: makeAgentService(harness), adapters: [] })
      return { state, signals: yield* runtime.log }
    }),
  )

describe("a run in memory", () => {
  it("has the signals of handlers, agents and the run in the order in which they were emitted", async () => {
    const { state, signals } = await taskWorkflow.run({ harness })
    expect(state.tasks).toEqual([
      { id: "a", status: "success" },
      { id: "b", status: "success" },
    ])
    const turn = ["agent:activated", "harness:start", "text:delta", "text:complete", "harness:end", "task:completed"]
    expect(names(signals)).toEqual([
      "workflow:start",
      "task:next",
      ...turn,
      "task:next",
      ...turn,
      "workflow:complete",
      "workflow:end",
    ])
    expect(signals.at(-1)?.payload).toEqual({ reason: "until" })
  })

  it("stamps a signal with an id, a time, and the signal and agent that it comes from", async () => {
    const { signals } = await taskWorkflow.run({ harness, input: { from: "test" } })
    const [start, next] = signals
    const completed = signals.find(({ name }) => name === "task:completed")
    expect(start).toEqual({
      id: start?.id,
      name: "workflow:start",
      payload: { from: "test" },
      timestamp: start?.timestamp,
    })
    expect(new Date(start?.timestamp ?? "").toISOString()).toBe(start?.timestamp)
    expect(next?.source).toEqual({ parent: start?.id })
    expect(completed?.source).toEqual({ agent: "worker", parent: next?.id })
    expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length)
  })

  it("ends when no signal is waiting", async () => {
    const { state, signals } = await ticking({}, (count) => (count < 5 ? [TICK] : [])).run({ harness })
    expect(state).toBe(5)
    expect(signals.at(-1)?.payload).toEqual({ reason: "empty" })
  })

  it.each([
    [
      "queue",
      { queue: 10 },
      () => Array.from({ length: 11 }, () => TICK),
      "The run reached its limit queue, which is 10: tick",
    ],
    ["depth", { depth: 20 }, () => [TICK], "The run reached its limit depth, which is 20: tick"],
  ])("ends at its limit %s with an error that names it", async (_, limits, emits, message) => {
    const { seen, adapter } = collector()
    await expect(ticking({ limits }, emits).run({ harness, adapters: [adapter] })).rejects.toMatchObject({
      _tag: "WorkflowError",
      message: expect.stringContaining(message),
    })
    expect(seen.at(-1)).toMatchObject({
      name: "workflow:end",
      payload: { reason: "error", error: { type: "WorkflowError" } },
    })
  })

  it("ends with a WorkflowError when its end condition fails", async () => {
    const until = () => {
      throw new Error("It broke.")
    }
    const message = "until of the workflow ticking failed: It broke."
    await expect(ticking({ until }).run({ harness })).rejects.toMatchObject({ _tag: "WorkflowError", message })
  })

  it("ends with a WorkflowError when its input is not a payload", async () => {
    for (const input of [{ at: new Date(0) }, "x".repeat(300_000)]) {
      // As an untyped program could pass it.
      const running = ticking({}).run({ harness, input: input as never })
      await expect(running).rejects.toMatchObject({
        _tag: "WorkflowError",
        message: expect.stringContaining("The payload of workflow:start is"),
      })
    }
  })

  it("ends at its limit of agent turns", async () => {
    const agent = { name: "a", activatesOn: ["tick", "workflow:start"], prompt: () => "Go on.", emits: ["tick"] }
    const workflow = ticking({ handlers: [], agents: [agent], limits: { agents: 3 } })
    const running = workflow.run({ harness: scriptedHarness(() => "again").harness })
    await expect(running).rejects.toMatchObject({ message: expect.stringContaining("its limit agents, which is 3") })
  })

  it("accepts signals from outside before the next of its own, and rejects invalid ones", async () => {
    const workflow = ticking({}, (count) => (count === 1 ? [{ name: "own", payload: {} }] : []))
    const found = await runOf(workflow, (signals) => Queue.offerAll(signals, [TICK, TICK]))
    expect(names(found.signals)).toEqual(["workflow:start", "tick", "tick", "own", "workflow:end"])
    expect(found.signals[1]?.source).toBeUndefined()
    for (const name of ["not a name", "workflow:end"]) {
      const refused = runOf(workflow, (signals) => Queue.offer(signals, { name, payload: {} }))
      await expect(refused).rejects.toMatchObject({ _tag: "WorkflowError" })
    }
  })

  it("leaves signals from outside in their queue while there is no room for them", async () => {
    const outside = Array.from({ length: 9 }, (_, n) => ({ name: "tick", payload: { n } }))
    const found = await runOf(ticking({ limits: { queue: 2 } }), (signals) => Queue.offerAll(signals, outside))
    expect(found.state).toBe(10)
    expect(found.signals.slice(1, -1).map(({ payload }) => payload)).toEqual(outside.map(({ payload }) => payload))
  })

  it("has the signal that exceeded a limit in its log, and none after it", async () => {
    const { seen, adapter } = collector()
    const emits = () => Array.from({ length: 100 }, () => TICK)
    await expect(ticking({ limits: { queue: 3 } }, emits).run({ harness, adapters: [adapter] })).rejects.toThrow(
      "queue",
    )
    expect(names(seen)).toEqual(["workflow:start", "tick", "tick", "tick", "tick", "workflow:end"])
  })

  it("passes every signal to every adapter in order, and continues when one fails", async () => {
    const [first, second] = [collector(), collector()]
    const broken: AdapterService["Service"] = { process: () => Effect.die("It broke.") }
    const throwing: AdapterService["Service"] = {
      process: () => {
        throw new Error("It threw.")
      },
    }
    const { signals } = await ticking({ adapters: [first.adapter, broken] }, (count) => (count < 3 ? [TICK] : [])).run({
      harness,
      adapters: [throwing, second.adapter],
    })
    expect(first.seen).toEqual(signals)
    expect(second.seen).toEqual(signals)
  })

  it("stops when its signal aborts, before it starts or later, and rejects with the signal's reason", async () => {
    const reason = new Error("Enough.")
    const abort = new AbortController()
    const handlers = {
      "workflow:start": () =>
        Effect.andThen(
          Effect.sync(() => abort.abort(reason)),
          Effect.never,
        ),
    }
    await expect(ticking({ handlers }).run({ harness, signal: abort.signal })).rejects.toBe(reason)
    await expect(ticking({ handlers }).run({ harness, signal: abort.signal })).rejects.toBe(reason)
  })

  it("continues in another runtime from a snapshot of the first, without the interrupted phase", async () => {
    const program = Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const hanging = makeAgentService({
        ...harness,
        stream: () => Stream.fromEffect(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)),
      })
      const first = yield* createRuntime(taskWorkflow)
      const fiber = yield* Effect.forkChild(first.runWith({ agents: hanging, adapters: [] }))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(fiber)
      const snapshot = yield* first.snapshot
      const second = yield* createRuntime(taskWorkflow, { from: JSON.parse(JSON.stringify(snapshot)) })
      const state = yield* second.runWith({ agents: makeAgentService(harness), adapters: [] })
      return { snapshot, state, signals: yield* second.log }
    })
    const { snapshot, state, signals } = await Effect.runPromise(program)
    expect(names(snapshot.signals)).toEqual(["workflow:start", "task:next"])
    expect(snapshot).toMatchObject({ at: 1, phase: 1 })
    expect(state.tasks.map(({ status }) => status)).toEqual(["success", "success"])
    expect(names(signals)).toEqual(names((await taskWorkflow.run({ harness })).signals))
  })
})
