// Receives the parts of a workflow and, for a run, its harness and adapters; returns the last state and the signals.
// Invariant: each call of `run` creates its own runtime: runs of one workflow share nothing.
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

/** `R` are the services that the workflow's handlers need; `layer` provides them. */
export type RunOptions<R = never> = {
  /** Answers the agents' prompts. */
  readonly harness: HarnessLike
  /** Further harnesses by the names that agents choose with `harness`. */
  readonly harnesses?: Readonly<Record<string, HarnessLike>>
  readonly adapters?: ReadonlyArray<AdapterService["Service"]>
  /** The payload of `workflow:start`; `{}` by default. */
  readonly input?: Schema.Json
  /** Path of a `.json` file to which the run is recorded, for `replay`. Only in Node. */
  readonly record?: string
  /** Interrupts the run when it aborts; `run` then rejects with the abort reason. */
  readonly signal?: AbortSignal
} & LayerOption<R>

export type LayerOption<R> = [R] extends [never] ? { readonly layer?: undefined } : { readonly layer: Layer.Layer<R> }

/** The result of a run: its last state and its log. */
export interface RunResult<S> {
  readonly state: S
  /** The log of the run, including the signals of the runtime. */
  readonly signals: ReadonlyArray<Signal>
}

/** A checked workflow that can be run in memory. */
export interface RunnableWorkflow<S, R = never> extends Workflow<S, R> {
  /** Runs the workflow in memory. Rejects with the run's error, one of `AllErrors`. */
  readonly run: (options: RunOptions<R>) => Promise<RunResult<S>>
}

/** Returns a workflow that can be run. Throws a WorkflowError if the definition is invalid. */
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
  // As usual for abort signals, the rejection is the signal's reason.
  return running.catch((error: unknown) => Promise.reject(signal?.aborted === true ? signal.reason : error))
}

/** The id of a recording in a file: the file's name without characters that ids can't contain. */
const recordingName = (file: string): string =>
  (file.split(/[/\\]/).at(-1) ?? "")
    .replace(/\.json$/, "")
    .replace(/[^\w-]+/g, "-")
    .slice(0, 64) || "run"

const harnessOf = (given: HarnessLike): Effect.Effect<HarnessService["Service"], unknown, Scope.Scope> =>
  "stream" in given
    ? Effect.succeed(given)
    : Effect.map(Layer.build(given), (built) => Context.get(built, HarnessService))

/** Provides the layer to a program. The type `LayerOption` ensures that there is one if the handlers need services. */
export const withLayer = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  layer: Layer.Layer<R> | undefined,
): Effect.Effect<A, E> =>
  // Without a layer the program needs no services (see above).
  layer === undefined ? (program as Effect.Effect<A, E>) : Effect.provide(program, layer)
