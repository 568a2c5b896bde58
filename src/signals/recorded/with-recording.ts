// Receives a runtime and an id; runs it, and saves its log with the agents' answers as a recording.
// Invariant: a failed run is recorded, too, and marked as failed: its replay fails in the same way.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { RecordingStore } from "../../recording/recording-store.ts"
import { AdapterService } from "../adapter.ts"
import { answersOf } from "./agent-recording.ts"
import { makeAgentService } from "../agent-service.ts"
import type { AllErrors } from "../errors.ts"
import { HarnessService } from "../harness.ts"
import type { Signal } from "../../schemas/signal.ts"
import type { RunParts, WorkflowRuntime } from "../runtime.ts"
import { encodeState } from "../state.ts"
import type { Workflow } from "../workflow.ts"
import { LAST_STATE } from "./shown-run.ts"

/** Runs the runtime with the services of its context, and records it under the id. Replaces a recording with the same id. */
export const withRecording = Effect.fnUntraced(function* <S, R>(
  runtime: WorkflowRuntime<S, R>,
  id: string,
): Effect.fn.Return<S, AllErrors, RecordingStore | HarnessService | AdapterService | R> {
  const agents = makeAgentService(yield* HarnessService)
  return yield* recordedRun(runtime, id, { agents, adapters: [yield* AdapterService] })
})

/** Like `withRecording`, with the parts that the caller passes. */
export const recordedRun = Effect.fnUntraced(function* <S, R>(
  runtime: WorkflowRuntime<S, R>,
  id: string,
  parts: RunParts,
): Effect.fn.Return<S, AllErrors, RecordingStore | R> {
  const store = yield* RecordingStore
  const { workflow } = runtime
  return yield* Effect.onExit(
    runtime.runWith(parts),
    Effect.fnUntraced(function* (exit) {
      const signals = yield* runtime.log
      const metadata = { name: workflow.name, source: { workflow: workflow.name }, finalized: Exit.isSuccess(exit) }
      const checkpoints = Exit.isSuccess(exit) ? yield* lastState(workflow, exit.value, signals) : []
      yield* store.save(id, signals, { metadata, checkpoints, ...answersOf(workflow, signals) })
    }),
  )
})

/** The last state, for a replay without the workflow. Omitted if it is not JSON: then a replay needs the workflow. */
const lastState = <S, R>(workflow: Workflow<S, R>, state: S, signals: ReadonlyArray<Signal>) =>
  Effect.match(encodeState(workflow, state), {
    onFailure: () => [],
    onSuccess: (json) => [
      { name: LAST_STATE, index: signals.length, timestamp: signals.at(-1)?.timestamp ?? "", state: json },
    ],
  })
