// Payloads of events about runs, which `POST /v1/runs` submits as turns.
// Invariant: a run is a part of one turn: from its `run:started` or `run:resumed` to the turn's result, or to a `run:paused`.
import type { RunRuntime } from "./run-runtime.ts"

/** The fields of a run that `turn:queued` stores until its turn starts. */
export interface QueuedRun {
  readonly run_id: string
  /** The most milliseconds that the run may take, from the start of its turn. */
  readonly timeout_ms: number
  /** The runtime that the run asks for; without it, the server's setting decides when the turn starts. */
  readonly runtime?: RunRuntime
  /** The recording that a playback answers from. */
  readonly recording?: string
  readonly session_key?: string
}

/** `run:started`: the first event of a run's turn. `runtime` is decided here, and applies to the whole turn. */
export interface RunStarted {
  readonly run_id: string
  readonly timeout_ms: number
  readonly runtime: RunRuntime
  readonly session_key?: string
  readonly report?: PromptReport
}

/** What is sent to the model in addition to the conversation, in characters. */
export interface PromptReport {
  readonly cwd: string
  readonly system_chars: number
  /** Files of the project that were sent to the model; `chars` is null for a file that no longer exists. */
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

/** `run:resumed`: another run sent results of such calls; the turn continues as part of that run. */
export interface RunResumed {
  readonly run_id: string
  readonly timeout_ms: number
  /** The ids of the calls whose results it sent. */
  readonly calls: ReadonlyArray<string>
  readonly session_key?: string
}

/** `run:timed_out`: the run has reached its time limit; its turn is stopped. */
export interface RunTimedOut {
  readonly run_id: string
}
