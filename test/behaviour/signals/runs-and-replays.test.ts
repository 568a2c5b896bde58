// Invariants of every workflow: its run, its replay, the fold of its steps and any split of it by restarts are the same.
import { Cause, Effect, Exit, Queue, References } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { memoryReader } from "../../../src/recording/memory-reader.ts"
import { recordingOf } from "../../../src/recording/recording-store.ts"
import { isObserved, type Signal } from "../../../src/schemas/signal.ts"
import type { AgentService } from "../../../src/signals/agent.ts"
import { answersOf, recordedAgents } from "../../../src/signals/recorded/agent-recording.ts"
import { makeAgentService } from "../../../src/signals/agent-service.ts"
import { replayRecording } from "../../../src/signals/recorded/replay.ts"
import { createRuntime, type RunSnapshot } from "../../../src/signals/runtime.ts"
import { stateAt } from "../../../src/signals/state-at.ts"
import { processSignal } from "../../../src/signals/step.ts"
import {
  type GeneratedState,
  type GeneratedWorkflow,
  generatedWorkflow,
} from "../../support/signals/generated-workflow.ts"
import { scriptedHarness } from "../../support/signals/scripted-harness.ts"

const RUNS = 60

/** An adapter that fails sometimes, in each of the possible ways. */
const breaking = {
  process: ({ name }: Signal) => {
    if (name === "a") throw new Error("It threw.")
    return name === "c" ? Effect.die("It died.") : Effect.void
  },
}

const liveRun = Effect.fnUntraced(function* ({ workflow, answer, outside }: GeneratedWorkflow) {
  const runtime = yield* createRuntime(workflow)
  yield* Queue.offerAll(
    runtime.signals,
    outside.map((name) => ({ name, payload: { outside: true } })),
  )
  const agents = makeAgentService(scriptedHarness(answer).harness)
  const seen: Array<Signal> = []
  const adapter = { process: (signal: Signal) => Effect.sync(() => void seen.push(signal)) }
  const ended = yield* Effect.exit(runtime.runWith({ agents, adapters: [breaking, adapter] })).pipe(
    Effect.provideService(References.MinimumLogLevel, "None"),
  )
  const signals = yield* runtime.log
  expect(seen).toEqual(signals)
  const recording = yield* recordingOf("live", signals, answersOf(workflow, signals))
  // As it is read back from a file.
  return { ended, signals, recording: JSON.parse(JSON.stringify(recording)) as typeof recording }
})

/** The state, or the part of the error that a recording contains. */
const outcomeOf = <E extends { readonly _tag: string; readonly message: string }>(
  exit: Exit.Exit<GeneratedState, E>,
) => {
  if (Exit.isSuccess(exit)) return exit.value
  const { _tag, message } = Cause.squash(exit.cause) as E
  return { _tag, message }
}

/** Without ids and times; a parent is the index of its signal. */
const comparable = (signals: ReadonlyArray<Signal>) => {
  const places = new Map(signals.map(({ id }, at) => [id, at]))
  return signals.map(({ name, payload, source }) => ({
    name,
    payload: name === "harness:end" ? null : payload,
    agent: source?.agent,
    parent: places.get(source?.parent ?? ""),
  }))
}

describe("every workflow", () => {
  it("emits the same signals in its replay, ids and times included, and ends in the same way", async () => {
    await fc.assert(
      fc.asyncProperty(generatedWorkflow, async (generated) => {
        const live = await Effect.runPromise(liveRun(generated))
        const replayed = await Effect.runPromiseExit(replayRecording(generated.workflow, live.recording))
        expect(outcomeOf(Exit.map(replayed, ({ state }) => state))).toEqual(outcomeOf(live.ended))
        if (Exit.isSuccess(replayed)) expect(replayed.value.signals).toEqual(live.signals)
      }),
      { numRuns: RUNS },
    )
  })

  it("has the state of its run after a fold of its log, and of its steps", async () => {
    await fc.assert(
      fc.asyncProperty(generatedWorkflow, async (generated) => {
        const { ended, signals, recording } = await Effect.runPromise(liveRun(generated))
        if (Exit.isFailure(ended)) return
        const { workflow } = generated
        expect(await Effect.runPromise(stateAt(workflow, signals))).toEqual(ended.value)
        expect(
          await Effect.runPromise(foldOfSteps(generated, signals, recordedAgents("live", memoryReader(recording)))),
        ).toEqual({
          state: ended.value,
          log: signals.filter(({ name }) => !isObserved(name)).map(({ name, payload }) => ({ name, payload })),
        })
      }),
      { numRuns: RUNS },
    )
  })

  it("emits the same signals however its run is split by restarts", async () => {
    const splits = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(generatedWorkflow, splits, async (generated, stops) => {
        const live = await Effect.runPromise(liveRun(generated))
        const split = await Effect.runPromise(splitRun(generated, stops))
        expect(comparable(split.signals)).toEqual(comparable(live.signals))
        expect(outcomeOf(split.ended)).toEqual(outcomeOf(live.ended))
      }),
      { numRuns: RUNS },
    )
  })
})

/** Processes the signals of the log one after the other, using only `processSignal`. */
const foldOfSteps = Effect.fnUntraced(function* (
  { workflow }: GeneratedWorkflow,
  signals: ReadonlyArray<Signal>,
  agents: AgentService["Service"],
) {
  const queued = signals.filter(({ name }) => !isObserved(name))
  const log = queued.filter(({ source }) => source === undefined).map(({ name, payload }) => ({ name, payload }))
  let state: GeneratedState = workflow.initialState
  for (const signal of queued) {
    const step = yield* processSignal(workflow, { state, signal, agents })
    state = step.state
    log.push(...step.emitted.map(({ name, payload }) => ({ name, payload })))
    if (step.done) break
  }
  return { state, log }
})

/** Runs until the n-th boundary, for each n of `stops`; continues in a new runtime with what was there, as JSON. */
const splitRun = Effect.fnUntraced(function* (
  { workflow, answer, outside }: GeneratedWorkflow,
  stops: ReadonlyArray<number>,
) {
  const live = makeAgentService(scriptedHarness(answer).harness)
  let from: RunSnapshot | undefined
  for (const stop of stops) {
    let boundaries = 0
    const boundary = Effect.suspend(() => ((boundaries += 1) > stop ? Effect.interrupt : Effect.void))
    const runtime = yield* createRuntime(workflow, from === undefined ? {} : { from })
    const arriving = from === undefined ? outside.map((name) => ({ name, payload: { outside: true } })) : []
    const arrived = (room: number) => Effect.map(boundary, () => arriving.splice(0, room))
    const agents: AgentService["Service"] = {
      run: (prompt, signal, agent) => Effect.andThen(boundary, live.run(prompt, signal, agent)),
    }
    const ended = yield* Effect.exit(runtime.runWith({ agents, adapters: [], arrived }))
    const stopped = Exit.isFailure(ended) && Exit.hasInterrupts(ended)
    if (!stopped) return { ended, signals: yield* runtime.log }
    from = JSON.parse(JSON.stringify(yield* runtime.snapshot)) as RunSnapshot
  }
  const runtime = yield* createRuntime(workflow, from === undefined ? {} : { from })
  if (from === undefined) {
    yield* Queue.offerAll(
      runtime.signals,
      outside.map((name) => ({ name, payload: { outside: true } })),
    )
  }
  const ended = yield* Effect.exit(runtime.runWith({ agents: live, adapters: [] }))
  return { ended, signals: yield* runtime.log }
})
