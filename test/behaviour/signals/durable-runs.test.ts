// Invariants of every workflow in a durable run: it emits the signals of a run in memory, wherever its process is killed, and
// its log can be replayed in memory.
import { Cause, Effect, Exit, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { recordingOf } from "../../../src/recording/recording-store.ts"
import { isObserved, type Signal } from "../../../src/schemas/signal.ts"
import { parseAgentResponse } from "../../../src/signals/agent-answer.ts"
import { makeAgentService } from "../../../src/signals/agent-service.ts"
import type { AllErrors } from "../../../src/signals/errors.ts"
import { answersOf } from "../../../src/signals/recorded/agent-recording.ts"
import { replayRecording } from "../../../src/signals/recorded/replay.ts"
import { createRuntime } from "../../../src/signals/runtime.ts"
import { encodeState } from "../../../src/signals/state.ts"
import { stateAt } from "../../../src/signals/state-at.ts"
import type { AnyWorkflow } from "../../../src/signals/workflows/registered.ts"
import { type Answer, DurableRuns } from "../../support/signals/durable-runs.ts"
import {
  type GeneratedState,
  type GeneratedWorkflow,
  generatedWorkflow,
} from "../../support/signals/generated-workflow.ts"
import { scriptedHarness } from "../../support/signals/scripted-harness.ts"

const RUNS = 60

const kills = fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 5 })

describe("every workflow in a durable run", () => {
  it("emits the signals of a run in memory, wherever it is killed, and ends in the same way", async () => {
    await fc.assert(
      fc.asyncProperty(generatedWorkflow, kills, async (generated, killed) => {
        const live = await Effect.runPromise(runInMemory(generated))
        const durable = durableRun(generated)
        await durable.settleWithKills(killed)
        expect(queued(durable.log)).toEqual(queued(live.signals))
        const { status, error } = durable.book.existing
        if (Exit.isSuccess(live.ended)) {
          expect({ status, state: durable.state }).toEqual({
            status: "completed",
            state: await jsonOf(generated, live.ended.value),
          })
        } else {
          const { _tag: type, message } = Cause.squash(live.ended.cause) as AllErrors // runs fail only with these
          // A turn fails with the message of the service that runs it.
          expect(error).toMatchObject(type === "AgentError" ? { type } : { type, message })
        }
      }),
      { numRuns: RUNS },
    )
  })

  it("has a log that can be replayed in memory, and whose fold is its state", async () => {
    await fc.assert(
      fc.asyncProperty(generatedWorkflow, kills, async (generated, killed) => {
        const durable = durableRun(generated)
        const [name = "a"] = generated.outside
        // A signal from outside may arrive at any time while the queue has room.
        await durable.settleWithKills(killed, () => {
          if (durable.book.existing.waiting < generated.workflow.limits.queue)
            durable.book.commit({ signals: [{ name, payload: { outside: true }, depth: 0 }] })
        })
        const { workflow } = generated
        const signals = durable.log.map(({ seq: _, ...signal }) => signal)
        const recording = await Effect.runPromise(recordingOf("durable", signals, answersOf(workflow, signals)))
        const replayed = await Effect.runPromiseExit(replayRecording(workflow, recording))
        const { error } = durable.book.existing
        if (Exit.isFailure(replayed)) {
          const { _tag: type, message } = Cause.squash(replayed.cause) as AllErrors // as above
          expect(error).toEqual({ type, message })
        } else {
          expect(error).toBeNull()
          expect(replayed.value.signals).toEqual(signals)
          expect(await jsonOf(generated, replayed.value.state)).toEqual(durable.state)
          for (const count of [0, Math.floor(signals.length / 2), signals.length]) {
            const folded = await Effect.runPromise(stateAt(workflow, signals, count))
            expect(await jsonOf(generated, folded)).toEqual(durable.stateAt(count))
          }
        }
      }),
      { numRuns: RUNS },
    )
  })
})

const runInMemory = Effect.fnUntraced(function* ({ workflow, answer }: GeneratedWorkflow) {
  const runtime = yield* createRuntime(workflow)
  const agents = makeAgentService(scriptedHarness(answer).harness)
  const ended = yield* Effect.exit(runtime.runWith({ agents, adapters: [] }))
  return { ended, signals: yield* runtime.log }
})

const durableRun = ({ workflow, answer }: GeneratedWorkflow): DurableRuns => {
  const turnOf: Answer = ({ agent: name, prompt }) => {
    const emits = workflow.agents.find(({ definition }) => definition.name === name)?.definition.emits ?? []
    const answered = Result.try(() => answer(`${prompt}\n`))
    if (Result.isFailure(answered)) return { result: { subtype: "error_during_execution", errors: ["It is away."] } }
    const parsed = Effect.runSync(Effect.result(parseAgentResponse(answered.success, { name, emits })))
    return Result.getOrElse(parsed, () => ({ result: { subtype: "success", structured_output: "none" } }))
  }
  // Only the workflow knows the type of its state.
  return new DurableRuns(workflow as unknown as AnyWorkflow, turnOf)
}

const jsonOf = ({ workflow }: GeneratedWorkflow, state: GeneratedState) =>
  Effect.runPromise(encodeState(workflow, state))

/** What handlers and agents receive, without ids and times; a parent is the index of its signal. */
const queued = (signals: ReadonlyArray<Signal>) => {
  const received = signals.filter(({ name }) => !isObserved(name))
  const places = new Map(received.map(({ id }, at) => [id, at]))
  return received.map(({ name, payload, source }) => ({
    name,
    payload,
    agent: source?.agent,
    parent: places.get(source?.parent ?? ""),
  }))
}
