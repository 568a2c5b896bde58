// Prompts and their turns, as calls between the Worker and a session's Durable Object show them.
import * as Schema from "effect/Schema"
import type { QueuedRun } from "../runs/run-events.ts"
import type { ClientToolAnswer } from "../sdk/tools/client-tools.ts"
import type { LaneWaiting, TurnQueued } from "../log/event-payloads.ts"
import type { Actor } from "../access.ts"
import type { SessionOptions } from "../sdk/options/options.ts"
import type { CreateArgs } from "./session.ts"

const ContentBlock = Schema.Record(Schema.String, Schema.Unknown)
const Prompt = Schema.Union([Schema.String, Schema.Array(ContentBlock)])
export type Prompt = typeof Prompt.Type

export const OnBusy = Schema.Literals(["queue", "interrupt", "reject"])
export type OnBusy = typeof OnBusy.Type

/** One prompt. `turn` is its uuid, which names the turn; sending it again gives the same turn. */
export interface SubmitArgs {
  readonly turn: string
  readonly prompt: Prompt
  readonly onBusy: OnBusy
  /**
   * Its client is not shown what another turn asks: while the turn that runs waits for an answer, other than the results of these
   * calls, the prompt is refused.
   */
  readonly unlessAsked?: ReadonlyArray<string>
  readonly options: SessionOptions
  /** The end of the turn's system prompt, whichever that is. */
  readonly appendSystemPrompt?: string
  /** Hash of the request: the same `turn` with another fingerprint is an `unprocessable_error`. */
  readonly fingerprint: string
  readonly actor?: Actor
  /** Where the API was reached. */
  readonly origin?: string
  /** Present on `POST /v1/query`: creates the session first, in the same step. */
  readonly create?: CreateArgs
  /** A stream of the session is opened behind it: where the session has as many as it may, the prompt is refused. */
  readonly streamed?: true
  /** The id under which its client shows it; see `TurnQueued`. */
  readonly messageID?: string
  /** Which agent carries it out, and the subtask that it is. */
  readonly routing?: NonNullable<TurnQueued["routing"]>
  /** The run that it is; with `results`, the run goes on with a turn that waits for them, and has no prompt. */
  readonly run?: RunSubmission
  /** How it came, when a client of the control protocol sent it; see `TurnQueued`. */
  readonly manner?: Pick<TurnQueued, "mayJoin" | "acknowledge" | "silent" | "later" | "synthetic">
}

export interface RunSubmission extends QueuedRun {
  readonly results?: ReadonlyArray<{ readonly id: string; readonly answer: ClientToolAnswer }>
}

/**
 * How far a run has come. `turn` is the turn that it is a stretch of, from the event `first_seq` to `last_seq`: null while it goes on.
 * A run that ended before its turn waits for results of client tools.
 */
export interface RunStatus {
  readonly run_id: string
  readonly turn: string
  readonly status: TurnState
  readonly pending: ReadonlyArray<PendingAsk>
  readonly first_seq: number
  readonly last_seq: number | null
  /** The turn's first event. */
  readonly turn_seq: number
}

/**
 * `queued` behind other prompts; `running`; `requires_action`: it waits for an answer. It ended as `completed`; `failed`, with
 * an error result; `interrupted`, when a client stopped it; or `cancelled`, when it was taken back before it ran.
 */
export const TurnState = Schema.Literals([
  "queued",
  "running",
  "requires_action",
  "completed",
  "failed",
  "interrupted",
  "cancelled",
]).annotate({
  identifier: "TurnState",
  description:
    "`queued` behind other prompts, `running`, `requires_action` while it waits for an answer; it ended as `completed`, as `failed` with an error result, as `interrupted` when a client stopped it, or as `cancelled` when it was taken back before it ran.",
})
export type TurnState = typeof TurnState.Type

export interface Submitted {
  readonly turn_id: string
  readonly status: TurnState
  /** The asks that hold the turn up. */
  readonly pending: ReadonlyArray<PendingAsk>
  /** seq of the turn's first event: a viewer that starts before it misses nothing. */
  readonly seq: number
  /** The prompt was submitted before: nothing new begins. */
  readonly replayed: boolean
}

/** Holds a prompt, as ASCII JSON. Cloudflare's logs of requests leave out headers with such a name. */
export const SUBMISSION_HEADER = "x-perch-secret-submission"
/** Holds what became of it. */
export const SUBMITTED_HEADER = "x-perch-submitted"

/** An ask as a client sees it. Times are ISO 8601. */
export interface PendingAsk {
  readonly request_id: string
  readonly kind: string
  readonly turn_id: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly agent_id?: string
  readonly input: Record<string, unknown>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly decision_reason_type?: string
  readonly blocked_path?: string
  readonly permission?: string
  readonly patterns?: ReadonlyArray<string>
  readonly always?: ReadonlyArray<{ readonly permission: string; readonly pattern: string }>
  readonly created_at: string
  readonly expires_at: string
}

/**
 * How far a turn has come. `pending` are the asks that hold it up, its own or those of the turn before it. `result` is the
 * SDK's `result` message: null before the end, and for a turn that never ran here.
 */
export interface TurnStatus {
  readonly turn_id: string
  readonly status: TurnState
  readonly pending: ReadonlyArray<PendingAsk>
  readonly result: Record<string, unknown> | null
}

/** How a turn waits for its place among those that its tenant runs at once. */
export const LaneInfo = Schema.Struct({
  position: Schema.Int,
  limit: Schema.Int,
  since: Schema.String,
}).annotate({
  identifier: "LaneInfo",
  description: "Where the turn waits until its tenant runs fewer turns at once. `position` 1 is next.",
})
export type LaneInfo = typeof LaneInfo.Type

/** How a turn waits until its tenant runs fewer turns; `since` in milliseconds since 1970. */
export type TurnLane = LaneWaiting

/** A turn as the API shows it; see the schema `Turn`. */
export interface TurnInfo extends TurnStatus {
  readonly type: "turn"
  readonly session_id: string
  readonly joined_turn_id: string | null
  readonly cost_usd: number | null
  readonly queued_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly first_seq: number
  readonly last_seq: number | null
  readonly lane?: LaneInfo
}

/** `next_cursor` is the `cursor` of the next page. */
export interface TurnsPage {
  readonly data: ReadonlyArray<TurnInfo>
  readonly next_cursor: string | null
}

/** What ends a wait for a turn before its time: its end alone, or also an ask that holds it up. */
export const WaitUntil = Schema.Literals(["action", "end"])
export type WaitUntil = typeof WaitUntil.Type
