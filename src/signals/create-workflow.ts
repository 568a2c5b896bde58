// Receives what a workflow consists of and, for a run, its harness and adapters; returns the last state and the signals.
// Invariant: `run` is a runtime of its own each time: runs of one workflow share nothing.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { memoryStore, RecordingStore } from "../recording/recording-store.ts"
import type { Recording } from "../recording/recording.ts"
import type { Signal } from "../schemas/signal.ts"
import type { AdapterService } from "./adapter.ts"
import { makeAgentService } from "./agent-service.ts"
import { HarnessService } from "./harness.ts"
import { writeRecordingFile } from "./recorded/recording-file.ts"
import { createRuntime } from "./runtime.ts"
import { recordedRun } from "./recorded/with-recording.ts"
import { compileWorkflow, type Workflow, type WorkflowConfig } from "./workflow.ts"

/** A harness, or the layer that builds one. */
export type HarnessLike = HarnessService["Service"] | Layer.Layer<HarnessService, unknown>

/** `R` is what the workflow's handlers need: `layer` provides it. */
export type RunOptions<R = never> = {
  /** Answers the agents. */
  readonly harness: HarnessLike
  /** Those that agents choose with `harness`. */
  readonly harnesses?: Readonly<Record<string, HarnessLike>>
  readonly adapters?: ReadonlyArray<AdapterService["Service"]>
  /** The payload of `workflow:start`; `{}` by default. */
  readonly input?: Schema.Json
  /** A file ending in `.json` that the run is recorded into, for `replay`. Only Node has files. */
  readonly record?: string
  /** Ends the run when it aborts; the run rejects with its reason. */
  readonly signal?: AbortSignal
} & LayerOption<R>

export type LayerOption<R> = [R] extends [never] ? { readonly layer?: undefined } : { readonly layer: Layer.Layer<R> }

/** The end of a run: its state and its log. */
export interface RunResult<S> {
  readonly state: S
  /** The log of the run, with the signals about it. */
  readonly signals: ReadonlyArray<Signal>
}

/** A checked workflow with `run`. */
export interface RunnableWorkflow<S, R = never> extends Workflow<S, R> {
  /** Runs the workflow in memory. Rejects with the error of the run: one of `AllErrors`. */
  readonly run: (options: RunOptions<R>) => Promise<RunResult<S>>
}

/** A workflow that can be run. Throws WorkflowError for what is wrong in it. */
export const createWorkflow = <S, R = never>(config: WorkflowConfig<S, R>): RunnableWorkflow<S, R> => {
  const workflow = compileWorkflow(config)
  return { ...workflow, run: (options) => runOnce(workflow, options) }
}

const runOnce = <S, R>(workflow: Workflow<S, R>, options: RunOptions<R>): Promise<RunResult<S>> => {
  const { harness, harnesses = {}, adapters = [], input = {}, record, signal, layer } = options
  const saved = new Map<string, Recording>()
  const program = Effect.gen(function* () {
    const named = yield* Effect.forEach(Object.entries(harnesses), ([name, one]) =>
      Effect.map(harnessOf(one), (built) => [name, built] as const),
    )
    const agents = makeAgentService(yield* harnessOf(harness), Object.fromEntries(named))
    const runtime = yield* createRuntime(workflow, { input })
    const state =
      record === undefined
        ? yield* runtime.runWith({ agents, adapters })
        : yield* recordedRun(runtime, recordingName(record), { agents, adapters }).pipe(
            Effect.provideService(RecordingStore, memoryStore(saved)),
            Effect.onExit(() => Effect.forEach(saved.values(), (one) => writeRecordingFile(record, one))),
          )
    return { state, signals: yield* runtime.log }
  }).pipe(Effect.scoped)
  const running = Effect.runPromise(withLayer(program, layer), signal === undefined ? {} : { signal })
  // As of everything that a signal aborts, its reason is the error.
  return running.catch((error: unknown) => Promise.reject(signal?.aborted === true ? signal.reason : error))
}

/** The id of a recording in a file: its name, as far as an id can have it. */
const recordingName = (file: string): string =>
  (file.split(/[/\\]/).at(-1) ?? "")
    .replace(/\.json$/, "")
    .replace(/[^\w-]+/g, "-")
    .slice(0, 64) || "run"

const harnessOf = (given: HarnessLike): Effect.Effect<HarnessService["Service"], unknown, Scope.Scope> =>
  "stream" in given
    ? Effect.succeed(given)
    : Effect.map(Layer.build(given), (built) => Context.get(built, HarnessService))

/** `LayerOption` has seen to it that what the handlers need is in the layer. */
export const withLayer = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  layer: Layer.Layer<R> | undefined,
): Effect.Effect<A, E> => (layer === undefined ? (program as Effect.Effect<A, E>) : Effect.provide(program, layer))
