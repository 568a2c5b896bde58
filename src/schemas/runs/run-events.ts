// Payloads of events about runs: turns that `POST /v1/runs` submitted, and what became of them beside the turn itself.
// Invariant: a run is a stretch of one turn: from its `run:started` or `run:resumed` to the turn's result, or to a `run:paused`.
import type { RunRuntime } from "./run-runtime.ts"

/** What `turn:queued` keeps of a run until its turn begins. */
export interface QueuedRun {
  readonly run_id: string
  /** Milliseconds that the run may last, from the beginning of its turn. */
  readonly timeout_ms: number
  /** The runtime that the run asks for; without it, the server's setting decides when the turn begins. */
  readonly runtime?: RunRuntime
  /** The recording that a playback answers from. */
  readonly recording?: string
  readonly session_key?: string
}

/** `run:started`: the first event of a run's turn. `runtime` was decided now, and holds for the whole turn. */
export interface RunStarted {
  readonly run_id: string
  readonly timeout_ms: number
  readonly runtime: RunRuntime
  readonly session_key?: string
  readonly report?: PromptReport
}

/** What the model reads beside the conversation, in characters. */
export interface PromptReport {
  readonly cwd: string
  readonly system_chars: number
  /** Files of the project that it has been sent; null of one that is gone. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly chars: number | null }>
  readonly skills: ReadonlyArray<{ readonly name: string; readonly chars: number }>
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly summary_chars: number
    readonly schema_chars: number
    readonly properties: number | null
  }>
}

/** `run:paused`: the run ends here, and its turn waits for the results of these calls of the client's own tools. */
export interface RunPaused {
  readonly run_id: string
  readonly calls: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly input: Readonly<Record<string, unknown>>
  }>
}

/** `run:resumed`: another run brought results of such calls; the turn goes on as part of it. */
export interface RunResumed {
  readonly run_id: string
  readonly timeout_ms: number
  /** The calls whose results it brought. */
  readonly calls: ReadonlyArray<string>
  readonly session_key?: string
}

/** `run:timed_out`: the run has lasted as long as it may; its turn is stopped. */
export interface RunTimedOut {
  readonly run_id: string
}
