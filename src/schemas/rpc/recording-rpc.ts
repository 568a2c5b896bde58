// The contract between the Worker, sessions and runs, and the Durable Object of a recording.
// Invariant: expected failures are values; an exception is a defect. A recording that does not exist answers
// `not_found_error` and writes nothing.
import type * as Schema from "effect/Schema"
import type { CreateCheckpoint, ErasedRecording, RecordingInfo, ReplayDifference } from "../api/recordings.ts"
import type { RpcResult } from "../errors/rpc-error.ts"
import type { PagedAnswer } from "./recorded-page.ts"

export interface RecordArgs {
  readonly from: { readonly session_id: string } | { readonly run_id: string }
  readonly name?: string
  readonly tags?: ReadonlyArray<string>
  /** Recording the same id with the same fingerprint is the same recording; without one an existing id is a conflict. */
  readonly fingerprint?: string
}

/**
 * A signal of the recorded session that came from outside: how it was made, changed, or prompted. `model:switched` is a
 * `session:changed` that came with the messages of `set_model`.
 */
export interface ReplayStep {
  readonly name: string
  readonly payload: Schema.Json
  /** How many turns had ended before it. */
  readonly results: number
  /** The version of the tenant's definitions that a prompt's turn had. */
  readonly definitions?: number
}

export interface ReplayPlan {
  readonly kind: "session" | "workflow"
  readonly workflow?: string
  readonly steps: ReadonlyArray<ReplayStep>
  /** How many turns ended, those included that Perch began itself. */
  readonly results: number
  readonly durationMs: number
}

export interface Comparison {
  /** Signals of the recording. */
  readonly events: number
  readonly difference: ReplayDifference | null
  /** What the replay first asked for and the recording does not have. */
  readonly not_found: string | null
}

export interface RecordingEventsQuery {
  /** The place of the last signal that is known; the first has 1. */
  readonly after: number
  readonly limit: number
  readonly pattern?: string
}

export interface RecordingEvents {
  /** JSON of signals, each with its place. */
  readonly signals: ReadonlyArray<{ readonly seq: number; readonly json: string }>
  readonly has_more: boolean
  readonly next_after: number
  readonly last_seq: number
}

/**
 * The RPC methods of a recording's Durable Object (stub from `env.RECORDINGS.getByName(`${tenant}/${id}`)`). Besides, its
 * `fetch` answers `GET http://recording/document` with the JSON document, and takes it by `PUT`.
 */
export interface RecordingRpc {
  /** Copies what a session or a run of the same tenant has recorded. */
  record(args: RecordArgs): Promise<RpcResult<{ readonly recording: RecordingInfo; readonly created: boolean }>>
  info(): Promise<RpcResult<RecordingInfo>>
  events(query: RecordingEventsQuery): Promise<RpcResult<RecordingEvents>>
  checkpoint(checkpoint: CreateCheckpoint): Promise<RpcResult<RecordingInfo>>
  erase(): Promise<RpcResult<ErasedRecording>>
  /** What a replay does, in order. */
  replayPlan(): Promise<RpcResult<ReplayPlan>>
  /** The first difference between the recording and a session, or a run, that replays it. */
  compare(replay: RecordArgs["from"]): Promise<RpcResult<Comparison>>
  /**
   * The answer and those that were recorded behind it, so many as a page holds: a playback asks in the order of the recording.
   * Empty when there is no such answer.
   */
  answers(kind: PagedAnswer["kind"], hash: string, ordinal: number): Promise<RpcResult<ReadonlyArray<PagedAnswer>>>
  /** The recorded answer whose request is most like this one; with its long pieces in their places. */
  nearest(kind: PagedAnswer["kind"], request: Schema.Json): Promise<RpcResult<PagedAnswer | null>>
}

/** A recording's object as the Worker and sessions see it. */
export interface RecordingStub extends RecordingRpc {
  fetch(input: string, init?: RequestInit): Promise<Response>
}

/** The `RECORDINGS` binding; a recording's name is `tenant/recording-id`. */
export interface RecordingNamespace {
  getByName(name: string): RecordingStub
}
