// Receives a runtime and an id; runs it, and saves its log with the agents' answers as a recording.
// Invariant: a run that fails is recorded as well, and marked: its replay fails in the same way.
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

/** The runtime's run, recorded under the id; one of that id is replaced. */
export const withRecording = Effect.fnUntraced(function* <S, R>(
  runtime: WorkflowRuntime<S, R>,
  id: string,
): Effect.fn.Return<S, AllErrors, RecordingStore | HarnessService | AdapterService | R> {
  const agents = makeAgentService(yield* HarnessService)
  return yield* recordedRun(runtime, id, { agents, adapters: [yield* AdapterService] })
})

/** The same with parts of the caller's. */
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

/** For a replay without the workflow. A state that is no JSON is left out: its replay needs the workflow. */
const lastState = <S, R>(workflow: Workflow<S, R>, state: S, signals: ReadonlyArray<Signal>) =>
  Effect.match(encodeState(workflow, state), {
    onFailure: () => [],
    onSuccess: (json) => [
      { name: LAST_STATE, index: signals.length, timestamp: signals.at(-1)?.timestamp ?? "", state: json },
    ],
  })
