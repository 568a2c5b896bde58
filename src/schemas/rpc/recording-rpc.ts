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
 * A signal of the recorded session that came from outside: it created, changed, or prompted the session. `model:switched` is a
 * `session:changed` that `set_model` caused.
 */
export interface ReplayStep {
  readonly name: string
  readonly payload: Schema.Json
  /** How many turns had ended before this step. */
  readonly results: number
  /** The version of the tenant's definitions that the prompt's turn used. */
  readonly definitions?: number
}

export interface ReplayPlan {
  readonly kind: "session" | "workflow"
  readonly workflow?: string
  readonly steps: ReadonlyArray<ReplayStep>
  /** How many turns ended, including those that Perch itself started. */
  readonly results: number
  readonly durationMs: number
}

export interface Comparison {
  /** The number of signals of the recording. */
  readonly events: number
  readonly difference: ReplayDifference | null
  /** The first request of the replay that the recording has no answer to, as text; null when all were answered. */
  readonly not_found: string | null
}

export interface RecordingEventsQuery {
  /** The seq of the last known signal; the first signal has seq 1. */
  readonly after: number
  readonly limit: number
  readonly pattern?: string
}

export interface RecordingEvents {
  /** The JSON of signals, each with its seq. */
  readonly signals: ReadonlyArray<{ readonly seq: number; readonly json: string }>
  readonly has_more: boolean
  readonly next_after: number
  readonly last_seq: number
}

/**
 * The RPC methods of a recording's Durable Object (stub from `env.RECORDINGS.getByName(`${tenant}/${id}`)`). Its
 * `fetch` returns the JSON document for `GET http://recording/document`, and receives it with `PUT`.
 */
export interface RecordingRpc {
  /** Copies what a session or a run of the same tenant has recorded. */
  record(args: RecordArgs): Promise<RpcResult<{ readonly recording: RecordingInfo; readonly created: boolean }>>
  info(): Promise<RpcResult<RecordingInfo>>
  events(query: RecordingEventsQuery): Promise<RpcResult<RecordingEvents>>
  checkpoint(checkpoint: CreateCheckpoint): Promise<RpcResult<RecordingInfo>>
  erase(): Promise<RpcResult<ErasedRecording>>
  /** The steps of a replay, in order. */
  replayPlan(): Promise<RpcResult<ReplayPlan>>
  /** The first difference between the recording and a session, or a run, that replays it. */
  compare(replay: RecordArgs["from"]): Promise<RpcResult<Comparison>>
  /**
   * The answer and those that were recorded after it, as many as fit on a page, because a playback asks in the recorded order.
   * Empty when there is no such answer.
   */
  answers(kind: PagedAnswer["kind"], hash: string, ordinal: number): Promise<RpcResult<ReadonlyArray<PagedAnswer>>>
  /** The recorded answer whose request is most similar to this one, with the chunks of its request expanded. */
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
