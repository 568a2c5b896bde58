// The shapes of RPC calls between the Worker and a session's Durable Object about prompts and their turns.
import * as Schema from "effect/Schema"
import type { Content } from "../sdk/messages/blocks.ts"
import type { PendingAsk } from "../api/api.ts"
import type { QueuedRun } from "../runs/run-events.ts"
import type { ClientToolAnswer } from "../sdk/tools/client-tools.ts"
import type { LaneWaiting, TurnQueued } from "../log/event-payloads.ts"
import type { Actor } from "../access.ts"
import type { SessionOptions } from "../sdk/options/options.ts"
import type { CreateArgs } from "./session.ts"

export const OnBusy = Schema.Literals(["queue", "interrupt", "reject"])
export type OnBusy = typeof OnBusy.Type

/** One prompt. `turn` is its uuid, which is also the turn's id; sending it again returns the same turn. */
export interface SubmitArgs {
  readonly turn: string
  readonly prompt: Content
  readonly onBusy: OnBusy
  /**
   * Set by clients that are not shown the asks of other turns: the prompt is refused while the running turn waits for an answer
   * other than the results of these calls.
   */
  readonly unlessAsked?: ReadonlyArray<string>
  readonly options: SessionOptions
  /** Text that is appended to the turn's system prompt, whichever that is. */
  readonly appendSystemPrompt?: string
  /** Hash of the request: the same `turn` with another fingerprint is an `unprocessable_error`. */
  readonly fingerprint: string
  readonly actor?: Actor
  /** The origin at which the API was called. */
  readonly origin?: string
  /** Present on `POST /v1/query`: creates the session first, in the same call. */
  readonly create?: CreateArgs
  /** A stream of the session is opened next: the prompt is refused when the session has reached its limit of streams. */
  readonly streamed?: true
  /** The id under which the client shows the prompt; see `TurnQueued`. */
  readonly messageID?: string
  /** The route to the agent that executes the prompt, and the subtask that it contains. */
  readonly routing?: NonNullable<TurnQueued["routing"]>
  /** The run that submits the prompt; with `results`, it has no prompt and resumes a turn that waits for them. */
  readonly run?: RunSubmission
  /** Flags of a prompt that a client of the control protocol sent; see `TurnQueued`. */
  readonly manner?: Pick<TurnQueued, "mayJoin" | "acknowledge" | "silent" | "later" | "now" | "synthetic" | "human">
}

export interface RunSubmission extends QueuedRun {
  readonly results?: ReadonlyArray<{ readonly id: string; readonly answer: ClientToolAnswer }>
}

/**
 * The status of a run. The run is a part of the turn `turn`, from the event `first_seq` to `last_seq`, which is null while the
 * run continues. A run that ended before its turn waits for results of client tools.
 */
export interface AgentRunStatus {
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
 * `queued` after other prompts; `running`; `requires_action`: it waits for an answer. It ended as `completed`; `failed`, with
 * an error result; `interrupted`, when a client stopped it; or `cancelled`, when it was withdrawn before it ran.
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
    "`queued` after other prompts, `running`, or `requires_action` while it waits for an answer; an ended turn is `completed`, `failed` with an error result, `interrupted` when a client stopped it, or `cancelled` when its prompt was withdrawn before it ran.",
})
export type TurnState = typeof TurnState.Type

export interface Submitted {
  readonly turn_id: string
  readonly status: TurnState
  /** The asks that block the turn. */
  readonly pending: ReadonlyArray<PendingAsk>
  /** The seq of the turn's first event: a viewer that starts before it misses nothing. */
  readonly seq: number
  /** True when the prompt had been submitted before: no new turn starts. */
  readonly replayed: boolean
}

/** The header with a prompt, as ASCII JSON. Cloudflare's request logs leave out headers with such a name. */
export const SUBMISSION_HEADER = "x-perch-secret-submission"
/** The response header with the `Submitted` of that prompt. */
export const SUBMITTED_HEADER = "x-perch-submitted"

/**
 * The status of a turn. `pending` has the asks that block it, its own or those of an earlier turn. `result` is the SDK's
 * `result` message: null before the end, and for a turn that never ran here.
 */
export interface TurnStatus {
  readonly turn_id: string
  readonly status: TurnState
  readonly pending: ReadonlyArray<PendingAsk>
  readonly result: Record<string, unknown> | null
}

/** The position of a turn that waits until its tenant runs fewer turns; `since` is ISO 8601. */
export const LaneInfo = Schema.Struct({
  position: Schema.Int,
  limit: Schema.Int,
  since: Schema.String,
}).annotate({
  identifier: "LaneInfo",
  description:
    "The turn's place in the tenant's queue while the tenant's maximum number of turns is running. `position` 1 is next.",
})
export type LaneInfo = typeof LaneInfo.Type

/** As `LaneInfo`, with `since` in milliseconds since 1970. */
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

/** What ends a wait for a turn: `end`, only its end; `action`, also an ask that blocks it. */
export const WaitUntil = Schema.Literals(["action", "end"])
export type WaitUntil = typeof WaitUntil.Type
