// Receives a workflow and a recording by its id, or the path of a recording's file; replays the run, or only shows its signals.
// Invariant: a failed replay fails with the error of the recorded run, or with RecordingNotFound where the run differs from it.
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { RecordingStore } from "../../recording/recording-store.ts"
import type { Recording } from "../../recording/recording.ts"
import { AdapterService } from "../adapter.ts"
import { type LayerOption, type RunResult, withLayer } from "../create-workflow.ts"
import { type AllErrors, WorkflowError } from "../errors.ts"
import type { Workflow } from "../workflow.ts"
import { readRecordingFile } from "./recording-file.ts"
import { replayedRun } from "./replayed-run.ts"
import { shownRun } from "./shown-run.ts"

export type ReplayOptions<S, R = never> = {
  /** The recorded workflow: its handlers run again. */
  readonly workflow: Workflow<S, R>
  readonly adapters?: ReadonlyArray<AdapterService["Service"]>
} & LayerOption<R>

export interface ShowOptions {
  readonly workflow?: undefined
  readonly adapters?: ReadonlyArray<AdapterService["Service"]>
}

/** Replays the recording with this id from the RecordingStore. */
export function replay<S, R>(
  workflow: Workflow<S, R>,
  id: string,
): Effect.Effect<S, AllErrors, RecordingStore | AdapterService | R>
/** Replays the recording of a JSON file, in Node. Rejects with one of `AllErrors`. */
export function replay<S, R = never>(file: string, options: ReplayOptions<S, R>): Promise<RunResult<S>>
/**
 * Passes the recorded signals of a JSON file to adapters; returns the run's last state, as JSON. No handler runs.
 * `S` is the caller's type for the state: it is not checked.
 */
export function replay<S = Schema.Json>(file: string, options?: ShowOptions): Promise<RunResult<S>>
export function replay<S, R>(
  given: Workflow<S, R> | string,
  how: ReplayOptions<S, R> | ShowOptions | string = {},
): Effect.Effect<S, AllErrors, RecordingStore | AdapterService | R> | Promise<RunResult<S>> {
  if (typeof given !== "string" && typeof how === "string") return replayStored(given, how)
  if (typeof given === "string" && typeof how !== "string") {
    return how.workflow === undefined ? showFile(given, how) : replayFile(given, how)
  }
  throw new WorkflowError({ message: "replay needs a workflow and an id, or a file and { workflow, adapters }." })
}

const replayStored = Effect.fnUntraced(function* <S, R>(workflow: Workflow<S, R>, id: string) {
  const store = yield* RecordingStore
  const adapter = yield* AdapterService
  const { state } = yield* replayRecording(workflow, yield* store.load(id), [adapter])
  return state
})

const replayFile = <S, R>(
  file: string,
  { workflow, adapters = [], layer }: ReplayOptions<S, R>,
): Promise<RunResult<S>> => {
  const program = Effect.flatMap(readRecordingFile(file), (recording) => replayRecording(workflow, recording, adapters))
  return Effect.runPromise(withLayer(program, layer))
}

const showFile = <S>(file: string, { adapters = [] }: ShowOptions): Promise<RunResult<S>> => {
  const program = Effect.flatMap(readRecordingFile(file), (recording) => shownRun(recording, adapters))
  // The caller vouches for the type of the recorded state.
  return Effect.runPromise(program) as Promise<RunResult<unknown>> as Promise<RunResult<S>>
}

/** Replays a loaded recording. Fails with the error of the recorded run if that has failed. */
export const replayRecording = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  recording: Recording,
  adapters: ReadonlyArray<AdapterService["Service"]> = [],
): Effect.fn.Return<RunResult<S>, AllErrors, R> {
  const { ended, signals } = yield* replayedRun(workflow, recording, adapters)
  return { state: yield* ended, signals }
})
