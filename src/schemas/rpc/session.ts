// The shapes of RPC calls between the Worker and a session's Durable Object: how it is created, and its state.
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
 * How far the session's log has been delivered to D1 and the Queue: `lag_events` events are not in both yet. Up to
 * `stored_seq`, D1 has every hook event that the Queue received; those that it lacks are sent again. `last_error` says why
 * the last attempt failed, until one succeeds.
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

/** The facts about a session that opencode's clients expect of an SDK session. */
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
  /** Only in lists: the beginning of the first prompt, at most 200 characters; null while there is none. */
  first_prompt: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** A revert that can be undone. Only when a single session is read. */
  revert: Schema.optionalKey(RevertInfo),
  /** Present while the session's turn waits until its tenant runs fewer turns. */
  lane: Schema.optionalKey(LaneInfo),
  /** Only when a single session is read: the model and tools of its last turn, and the tokens of its cache. */
  sdk: Schema.optionalKey(SessionSdk),
  /** Only when a single session is read. */
  delivery: Schema.optionalKey(Delivery),
})
export type SessionInfo = typeof SessionInfo.Type

/** The fields of a new session; the route has checked them. */
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
  /** The events with which the conversation begins; made by `historyEvents`. */
  readonly history?: ReadonlyArray<UnplacedEvent>
  readonly fingerprint?: string
  /** An existing session is used as it is. */
  readonly attach?: true
  /** The workflow run that the session belongs to: it is notified when a turn ends or an ask is opened or settled. */
  readonly run?: string
}

/** `at` is the uuid of the message after which the conversation continues. A repeated `once` changes nothing. */
export interface ReopenArgs {
  readonly actor?: Actor
  readonly options: SessionOptions
  readonly at?: string
  readonly once?: { readonly key: string; readonly fingerprint: string }
}

/** A resumed session; `replayed`: the same request had resumed it before, and changed nothing now. */
export interface Reopened {
  readonly session: SessionInfo
  readonly replayed: boolean
}
