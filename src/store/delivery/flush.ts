// Receives events that are in the log and not yet in D1; returns their rows, and writes them.
// Invariant: rows are a pure function of the events, so the same events yield the same rows however they are split.
// Writing twice, late or after the session's deletion changes nothing. A prompt's message is written when its turn starts,
// so that a prompt that was withdrawn before leaves no row. Messages and parts are those on the head's path:
// after a `head:moved` all of them are written again, and the others removed.
import * as Effect from "effect/Effect"
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { SessionInfo } from "../../schemas/rpc/session.ts"
import type { PartsProjection } from "../../views/parts/parts.ts"
import type { TrackedMessage } from "../../views/parts/turn-messages.ts"
import { AUDIT_SQL, type AuditRow } from "../audit.ts"
import type { StoreError } from "../store-error.ts"
import { auditRowsOf } from "./audit-rows.ts"
import { cutJson } from "./cut-json.ts"
import { insertSql, removeSql, writeRows } from "./json-rows.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"

interface Key {
  readonly tenant: string
  readonly session_id: string
}

export interface SessionRow extends Key {
  readonly title: string | null
  readonly cwd: string
  readonly state: string
  readonly model: string
  readonly permission_mode: string
  readonly options: string
  readonly metadata: string
  readonly created_at: string
  readonly updated_at: string
  readonly turns: number
  readonly total_cost_usd: number
  readonly seq: number
  /** seq of the last `head:moved`, 0 without one: rows of messages and parts with a smaller seq are removed. */
  readonly head_seq: number
}

export interface MessageRow extends Key {
  readonly position: number
  readonly id: string
  readonly turn: string
  readonly role: string
  readonly seq: number
  readonly info: string
}

export interface PartRow extends Key {
  readonly message_position: number
  readonly position: number
  readonly id: string
  readonly message_id: string
  readonly type: string
  readonly seq: number
  readonly part: string
}

export interface CostRow extends Key {
  readonly seq: number
  readonly at: number
  readonly turn: string | null
  readonly message_id: string
  readonly model: string
  readonly price_version: string
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write_5m: number
  readonly cache_write_1h: number
  readonly web_searches: number
  readonly usd: number | null
  readonly wasted: 0 | 1
  readonly parent_tool_use_id: string | null
}

export interface TurnRow extends Key {
  readonly seq: number
  readonly at: number
  readonly turn: string
  readonly outcome: string
  readonly duration_ms: number
}

export interface Rows {
  readonly sessions: ReadonlyArray<SessionRow>
  /** The session, if its messages and parts before `head_seq` are removed. */
  readonly left: ReadonlyArray<Key & { readonly head_seq: number }>
  readonly messages: ReadonlyArray<MessageRow>
  readonly parts: ReadonlyArray<PartRow>
  readonly costs: ReadonlyArray<CostRow>
  readonly turns: ReadonlyArray<TurnRow>
  readonly audit: ReadonlyArray<AuditRow>
}

/** A part of the messages and parts that replace those in D1, because the head has moved or an earlier version wrote them. */
export interface Rewrite {
  /** The rows of messages and parts that events from this seq on have changed are written. */
  readonly from: number
  /** Rows of messages and parts with a smaller seq are removed first; null when an earlier part has removed them. */
  readonly removeBefore: number | null
}

/**
 * The rows that `events` (in order, without a gap) add or change. Folds those of them that `projection` has not seen;
 * a repeated call with the same events, or with more, returns the same rows again. Once they are written,
 * `projection.dropFlushed(seq of the last event)` frees the memory, and `projection.settledBefore()` is the seq at which a
 * later projection must start: store it with the cursor, and after a restart pass all events from there to a new one.
 *
 * `headSeq` is the seq of the last `head:moved` up to the end of `events`. When it is among them, pass a `rewrite`: `projection`
 * must then have folded the head's path up to the last of `events`.
 */
export const rowsOf = (
  tenant: string,
  session: SessionInfo,
  events: ReadonlyArray<LogEvent>,
  projection: PartsProjection,
  { headSeq = 0, rewrite = null }: { readonly headSeq?: number; readonly rewrite?: Rewrite | null } = {},
): Rows => {
  for (const event of events) projection.apply(event)
  const key: Key = { tenant, session_id: session.id }
  const from = rewrite?.from ?? events[0]?.seq ?? Number.POSITIVE_INFINITY
  const removed = rewrite?.removeBefore ?? null
  const changed = projection.changedSince(from).filter(({ since }) => since !== null)
  return {
    sessions: [sessionRow(key, session, headSeq)],
    left: removed === null ? [] : [{ ...key, head_seq: removed }],
    messages: changed.filter((message) => message.infoSeq >= from).map((message) => messageRow(key, message, headSeq)),
    parts: changed.flatMap((message) => partRows(key, message, from, headSeq)),
    costs: isPlayback(session) ? [] : events.filter(isPaidHere).map((event) => costRow(key, event)),
    turns: events.flatMap((event) => turnRow(key, event)),
    audit: auditRowsOf(tenant, session.id, events),
  }
}

/** True for a session that plays a recording: it sends no requests, and the recorded session has paid for the answers. */
const isPlayback = ({ options }: Pick<SessionInfo, "options">): boolean => options.runtime?.mode === "playback"

/** False for requests of an imported history: the session that sent them has their rows. */
const isPaidHere = (event: LogEvent): event is LogEvent<"call:finished"> =>
  event.name === EventNames.callFinished && event.payload.imported !== true

const sessionRow = (key: Key, session: SessionInfo, headSeq: number): SessionRow => ({
  ...key,
  title: session.title,
  cwd: session.cwd,
  state: session.state,
  model: session.model,
  permission_mode: session.permissionMode,
  options: cutJson(session.options, session.last_seq),
  metadata: cutJson(session.metadata, session.last_seq),
  created_at: session.created_at,
  updated_at: session.updated_at,
  turns: session.turns,
  total_cost_usd: session.total_cost_usd,
  seq: session.last_seq,
  head_seq: headSeq,
})

const messageRow = (key: Key, message: TrackedMessage, headSeq: number): MessageRow => ({
  ...key,
  position: message.position,
  id: message.info.id,
  turn: message.turn,
  role: message.info.role,
  seq: Math.max(message.infoSeq, headSeq),
  info: cutJson(message.info, message.infoSeq),
})

const partRows = (key: Key, message: TrackedMessage, from: number, headSeq: number): ReadonlyArray<PartRow> =>
  message.parts.flatMap(({ part, seq }, position) =>
    // A prompt whose turn has just started has no part rows yet, although its parts are older than `from`.
    seq < from && (message.since ?? 0) < from
      ? []
      : [
          {
            ...key,
            message_position: message.position,
            position,
            id: part.id,
            message_id: part.messageID,
            type: part.type,
            seq: Math.max(seq, headSeq),
            part: cutJson(part, seq),
          },
        ],
  )

/** The event's row when it is a turn's result. */
const turnRow = (key: Key, event: LogEvent): ReadonlyArray<TurnRow> => {
  const { seq, at, turn } = event
  if (turn === null || !isTurnResult(event)) return []
  const { subtype: outcome, duration_ms: duration } = event.payload
  return [{ ...key, seq, at, turn, outcome, duration_ms: Math.round(duration) }]
}

/** No request costs more. A log of an earlier version may contain a price that was computed from impossible token counts. */
const MAX_USD = 1_000_000

const costRow = (key: Key, event: LogEvent<"call:finished">): CostRow => {
  const call = event.payload
  const { usage } = call
  // Both are objects or null wherever the API sends them.
  const written = usage.cache_creation as { readonly ephemeral_1h_input_tokens?: unknown } | null | undefined
  const server = usage.server_tool_use as { readonly web_search_requests?: unknown } | null | undefined
  const hour = usageCount(written?.ephemeral_1h_input_tokens)
  return {
    ...key,
    seq: event.seq,
    at: event.at,
    turn: event.turn,
    message_id: call.message_id,
    model: call.model,
    price_version: call.price_version,
    input: usageCount(usage.input_tokens),
    output: usageCount(usage.output_tokens),
    cache_read: usageCount(usage.cache_read_input_tokens),
    cache_write_5m: Math.max(0, usageCount(usage.cache_creation_input_tokens) - hour),
    cache_write_1h: hour,
    web_searches: usageCount(server?.web_search_requests),
    usd: call.usd !== null && call.usd <= MAX_USD ? call.usd : null,
    wasted: call.wasted ? 1 : 0,
    parent_tool_use_id: event.parent_tool_use_id,
  }
}

const SESSION_COLUMNS = [
  "title",
  "cwd",
  "state",
  "model",
  "permission_mode",
  "options",
  "metadata",
  "created_at",
  "updated_at",
  "turns",
  "total_cost_usd",
  "seq",
  "head_seq",
]
const MESSAGE_COLUMNS = ["position", "id", "turn", "role", "seq", "info"]
const PART_COLUMNS = ["message_position", "position", "id", "message_id", "type", "seq", "part"]
const TURN_COLUMNS = ["seq", "at", "turn", "outcome", "duration_ms"]
const COST_COLUMNS = [
  "seq",
  "at",
  "turn",
  "message_id",
  "model",
  "price_version",
  "input",
  "output",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "web_searches",
  "usd",
  "wasted",
  "parent_tool_use_id",
]

const SESSION_SQL = insertSql("sessions", { columns: SESSION_COLUMNS, key: [], conflict: "newest" })
const MESSAGE_SQL = insertSql("messages", {
  columns: MESSAGE_COLUMNS,
  key: ["position"],
  conflict: "newest",
  follows: "head",
})
const PART_SQL = insertSql("parts", {
  columns: PART_COLUMNS,
  key: ["message_position", "position"],
  conflict: "newest",
  follows: "head",
})
const LEFT_MESSAGES_SQL = removeSql("messages")
const LEFT_PARTS_SQL = removeSql("parts")
const TURN_SQL = insertSql("turns", { columns: TURN_COLUMNS, key: ["seq"], conflict: "keep" })
const COST_SQL = insertSql("costs", { columns: COST_COLUMNS, key: ["seq"], conflict: "keep" })

/** Writes the rows; safe to repeat after a failure, in whole or in part. */
export const flushToD1 = Effect.fn("store.flushToD1")(function* (
  db: D1Database,
  rows: Rows,
): Effect.fn.Return<void, StoreError> {
  yield* writeRows(db, "flush", [
    { sql: SESSION_SQL, rows: rows.sessions },
    { sql: LEFT_MESSAGES_SQL, rows: rows.left },
    { sql: LEFT_PARTS_SQL, rows: rows.left },
    { sql: MESSAGE_SQL, rows: rows.messages },
    { sql: PART_SQL, rows: rows.parts },
    { sql: COST_SQL, rows: rows.costs },
    { sql: TURN_SQL, rows: rows.turns },
    { sql: AUDIT_SQL, rows: rows.audit },
  ])
})
