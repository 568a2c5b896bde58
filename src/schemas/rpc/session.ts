// A session as calls between the Worker and its Durable Object show it: what it is made of, and its state.
import * as Schema from "effect/Schema"
import type { UnplacedEvent } from "../log/events.ts"
import type { Actor } from "../access.ts"
import { LaneInfo } from "./turns.ts"
import { SessionOptions } from "../sdk/options/options.ts"
import { RevertInfo } from "./revert.ts"

export const SessionState = Schema.Literals(["idle", "running", "requires_action"])
export type SessionState = typeof SessionState.Type

const Metadata = Schema.Record(
  Schema.String.check(Schema.isMaxLength(64)),
  Schema.String.check(Schema.isMaxLength(1024)),
)

/**
 * How far D1 and the Queue have got with the session's log: `lag_events` events are not in both yet. Through `stored_seq`
 * D1 has every hook event that the Queue took; what it lacks is sent again. `last_error` says why the last attempt failed,
 * until one succeeds.
 */
export const Delivery = Schema.Struct({
  last_seq: Schema.Int,
  d1_seq: Schema.Int,
  queue_seq: Schema.Int,
  stored_seq: Schema.Int,
  lag_events: Schema.Int,
  oldest_undelivered_at: Schema.NullOr(Schema.String),
  last_error: Schema.optionalKey(Schema.Struct({ at: Schema.String, message: Schema.String })),
})
export type Delivery = typeof Delivery.Type

/** What opencode's clients know of a session of the SDK. */
const SessionSdk = Schema.Struct({
  sessionId: Schema.String,
  model: Schema.String,
  tools: Schema.Array(Schema.String),
  cacheStats: Schema.Struct({ read: Schema.Finite, write: Schema.Finite }),
})

/** A session as the API shows it. Times are ISO 8601. */
export const SessionInfo = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("session"),
  title: Schema.NullOr(Schema.String),
  cwd: Schema.String,
  state: SessionState,
  model: Schema.String,
  permissionMode: Schema.String,
  options: SessionOptions,
  metadata: Metadata,
  created_at: Schema.String,
  updated_at: Schema.String,
  /** Number of turns that ended in a `result`. */
  turns: Schema.Int,
  total_cost_usd: Schema.Finite,
  last_seq: Schema.Int,
  /** In lists: the beginning of its first prompt, at most 200 characters; null while it has none. */
  first_prompt: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** A revert that can be taken back; it is here where one session is read. */
  revert: Schema.optionalKey(RevertInfo),
  /** While its turn waits until its tenant runs fewer turns. */
  lane: Schema.optionalKey(LaneInfo),
  /** Where one session is read: the model and tools of its last turn, and the tokens of its cache. */
  sdk: Schema.optionalKey(SessionSdk),
  /** Where one session is read. */
  delivery: Schema.optionalKey(Delivery),
})
export type SessionInfo = typeof SessionInfo.Type

/** What a new session is made of; the route has checked it. */
export const NewSession = Schema.Struct({
  cwd: Schema.String,
  title: Schema.NullOr(Schema.String),
  metadata: Metadata,
  options: SessionOptions,
})
export type NewSession = typeof NewSession.Type

/**
 * `fingerprint` is a hash of the request that asks: creating the same id with the same fingerprint is the same
 * creation (idempotent); with another it is a conflict. Without a fingerprint an existing id is a conflict.
 */
export interface CreateArgs {
  readonly session: NewSession
  readonly actor?: Actor
  /** What the conversation begins with; `historyEvents` made them. */
  readonly history?: ReadonlyArray<UnplacedEvent>
  readonly fingerprint?: string
  /** A session that there is already is taken as it is. */
  readonly attach?: true
  /** The run of a workflow to which the session belongs: it is called when a turn ends or an ask is opened or settled. */
  readonly run?: string
}

/** `at` is the uuid of the message after which the conversation goes on. The same `once` again changes nothing. */
export interface ReopenArgs {
  readonly actor?: Actor
  readonly options: SessionOptions
  readonly at?: string
  readonly once?: { readonly key: string; readonly fingerprint: string }
}

/** A session that was taken up; `replayed`: the same request had taken it up before, and changed nothing now. */
export interface Reopened {
  readonly session: SessionInfo
  readonly replayed: boolean
}

export interface EraseReceipt {
  readonly id: string
  readonly deleted: true
  readonly deleted_at: string
  readonly events: number
  readonly files: number
}
