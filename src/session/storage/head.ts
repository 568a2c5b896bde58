// The head of the conversation: which events of the log the model's conversation is made of.
// Invariant: after `head:moved {to_seq}` the conversation is what it was right after that event, whatever was moved before.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { HeadPath, type Move } from "../../schemas/log/head-path.ts"
import { joinOf } from "./joined-prompt.ts"
import type { SessionLog } from "./log.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { Sql } from "./tables.ts"

const COMPACT_BOUNDARY = "sdk:system/compact_boundary"

/** The path to the head that the log had right after the event `through`. */
export const headPathOf = (log: SessionLog, through = Number.POSITIVE_INFINITY): HeadPath =>
  new HeadPath(headMovesOf(log).filter(({ seq }) => seq <= through))

/** The moves of the head after an event of the log, in their order. */
export const headMovesOf = (log: SessionLog, after = 0): ReadonlyArray<Move> =>
  Array.from(log.all(after, { name: EventNames.headMoved }), ({ event }) => ({
    seq: event.seq,
    to: event.payload.to_seq,
  }))

/** The first event of every log, after which the conversation is empty. */
const FIRST_SEQ = 1

/**
 * seq of the event with which the conversation ends if this is its last message: an assistant or user message, or a prompt,
 * by its uuid. As the official SDK: before a `compact_boundary` there is none, so the conversation is empty. Undefined when the
 * session has no such message.
 */
export const seqOfMessage = (sql: Sql, log: SessionLog, uuid: string): number | undefined => {
  const rows = sql.exec<{ seq: number; name: string }>(
    `SELECT seq, name FROM events WHERE uuid = ? AND parent IS NULL AND name IN (?, ?, 'sdk:assistant', 'sdk:user') ORDER BY seq`,
    uuid,
    EventNames.turnQueued,
    COMPACT_BOUNDARY,
  )
  const row = rows.toArray()[0]
  if (row === undefined) return undefined
  if (row.name === COMPACT_BOUNDARY) return FIRST_SEQ
  return row.name === EventNames.turnQueued ? seqOfPrompt(sql, log, uuid, row.seq) : seqOfRestart(log, row.seq)
}

/**
 * The place of a message, behind the events that restart the conversation because of it: a summary is part of the compacted
 * conversation, and not of the one that it replaces.
 */
const seqOfRestart = (log: SessionLog, seq: number): number => {
  if (log.atNamed(seq + 1, EventNames.conversationRestarted) === undefined) return seq
  return log.atNamed(seq + 2, EventNames.conversationReminded) === undefined ? seq + 1 : seq + 2
}

export const noMessage = (uuid: string): Refusal => {
  const expected = uuid.startsWith("msg_") ? ". Send its uuid, which GET …/messages has as info.sdk.uuid" : ""
  return refuse(
    "not_found_error",
    `there is no message ${uuid.slice(0, 50)} in the conversation of this session${expected}`,
  )
}

/** A prompt that waited when the turn started is sent with the turn's own prompt. */
const seqOfJoined = (sql: Sql, log: SessionLog, { seq, turn, payload }: LogEvent<"turn:joined">) =>
  payload.first === true && turn !== null ? seqOfPrompt(sql, log, turn, seq) : seq

/** A prompt's place is the start of its turn, or where it joined a running turn; an imported prompt's is its own event. */
const seqOfPrompt = (sql: Sql, log: SessionLog, turn: string, queued: number): number | undefined => {
  if (log.atNamed(queued, EventNames.turnQueued)?.event.payload.imported === true) return queued
  const begun = sql.exec<{ seq: number | null }>(
    "SELECT MIN(seq) AS seq FROM events WHERE seq > ? AND turn = ? AND name = 'sdk:system/init'",
    queued,
    turn,
  )
  const { seq } = begun.one()
  if (seq !== null) return seq
  const joined = joinOf(log, turn, queued)
  return joined === undefined ? undefined : seqOfJoined(sql, log, joined)
}
