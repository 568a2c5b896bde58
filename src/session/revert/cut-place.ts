// Receives the id of a message, or of one of its parts; returns where the conversation must end to exclude it.
// Invariant: the Messages API accepts the conversation that is left: no call in it lacks its result. What belongs together
// for the model is cut off together: parallel calls that had no result yet, prompts that were sent as one, the messages of a
// subagent with the call that started it.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { placeOfMessage } from "../pages/message-place.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { headPathOf } from "../storage/head.ts"
import { type Opening, PathWalk } from "./path-walk.ts"

/** What a cut reads. */
export type CutSource = Pick<SessionCore, "context" | "id" | "inbox" | "log">

/** The conversation's new last event, and the first message, and part, that is cut off. */
export interface CutPlace {
  readonly seq: number
  readonly messageID: string
  readonly partID?: string
}

/** An event of the conversation, and the walk that ends at it. */
interface Found {
  readonly event: LogEvent
  readonly walk: PathWalk
}

type Stop = (event: LogEvent, opened: ReadonlyArray<Opening>) => boolean

/** `messageID` is the id of a message as `GET …/messages` shows it, or the uuid of an SDK message. */
export const cutPlace = (source: CutSource, messageID: string, partID: string | undefined): CutPlace | Refusal => {
  const found = find(source, messageID, partID)
  if (found === undefined) return partID === undefined ? NO_MESSAGE : NO_PART
  return placeOf(source, found, messageID)
}

const NO_MESSAGE = refuse(
  "not_found_error",
  "messageID is not a message of the current conversation. GET …/messages lists its messages.",
  "messageID",
)
const NO_PART = refuse(
  "not_found_error",
  "partID is not a part of that message in the current conversation. GET …/messages lists its parts.",
  "partID",
)
const NEVER_SENT = refuse(
  "invalid_request_error",
  "messageID: is a prompt that was cancelled before its turn started, so the model never received it. Use the message after it.",
  "messageID",
)

const find = (source: CutSource, messageID: string, partID: string | undefined): Found | undefined => {
  if (messageID.startsWith("msg_")) {
    const near = placeOfMessage(source.log, messageID)
    return walkTo(source, near, opens(messageID, partID ?? null))
  }
  const seq = seqOfUuid(source, messageID)
  if (seq === undefined) return undefined
  const named = walkTo(source, seq, (event) => event.seq >= seq)
  if (named?.event.seq !== seq) return undefined
  if (partID === undefined) return named
  const message = named.walk.openings.findLast((opening) => opening.seq <= seq)?.messageID
  return walkTo(source, seq, opens(message, partID))
}

/** Stops at the event that opens a message, or a part of it. */
const opens =
  (messageID: string | undefined, partID: string | null): Stop =>
  (_, opened) =>
    opened.some((one) => one.messageID === messageID && one.partID === partID)

/**
 * seq of a message by the uuid that SDK clients know. A prompt that is sent to clients again repeats its uuid: the first
 * counts.
 */
const seqOfUuid = ({ context }: CutSource, uuid: string): number | undefined => {
  const names = [EventNames.turnQueued, "sdk:assistant", "sdk:user", "sdk:system/compact_boundary"]
  const rows = context.sql.exec<{ seq: number | null }>(
    "SELECT MIN(seq) AS seq FROM events WHERE uuid = ? AND name IN (SELECT value FROM json_each(?))",
    uuid,
    JSON.stringify(names),
  )
  return rows.one().seq ?? undefined
}

/**
 * Walks to the first event at which `stop` returns true, from the start of the turns that were open at the event `near` to their
 * end. Without `near`, it walks through the whole log: the place of a message is unknown in a log whose times go back.
 */
const walkTo = ({ id, inbox, log }: CutSource, near: number | undefined, stop: Stop): Found | undefined => {
  const path = headPathOf(log)
  if (near !== undefined && !path.has(near)) return undefined
  const first = near === undefined ? 1 : Math.min(inbox.firstOpenAt(near) ?? near, near)
  const walk = new PathWalk(log, path, id, first - 1)
  const event = walk.to(stop, near)
  return event === undefined ? undefined : { event, walk }
}

const seqIs =
  (seq: number): Stop =>
  (event) =>
    event.seq === seq

const placeOf = (source: CutSource, found: Found, messageID: string): CutPlace | Refusal => {
  const { event, walk } = found
  if (event.parent_tool_use_id !== null) return beforeAgent(source, found, event.parent_tool_use_id, messageID)
  if (event.name === EventNames.turnQueued) return beforePrompt(source, found, event)
  return beforeStep(walk, event, walk.openings.at(-1)?.messageID ?? messageID)
}

/** Before the call that started the subagent. */
const beforeAgent = (source: CutSource, { walk }: Found, call: string, messageID: string): CutPlace | Refusal => {
  const seq = walk.callSeqs.get(call) ?? startedBy(source, call)
  const started = seq === undefined ? undefined : walkTo(source, seq, seqIs(seq))
  return started === undefined ? NO_MESSAGE : placeOf(source, started, messageID)
}

/** seq of the event with the call that started a background subagent in an earlier turn. */
const startedBy = (source: CutSource, thread: string): number | undefined => {
  for (const { event } of source.log.all(0, { name: EventNames.agentStarted })) {
    if (event.payload.thread !== thread) continue
    const seq = walkTo(source, event.seq, seqIs(event.seq))?.walk.callSeqs.get(event.payload.tool_use_id)
    if (seq !== undefined) return seq
  }
  return undefined
}

/** Before a prompt's turn, or before the prompt joined a turn that ran. */
const beforePrompt = (
  source: CutSource,
  { walk, event }: Found,
  { seq, turn, payload }: LogEvent<"turn:queued">,
): CutPlace | Refusal => {
  const messageID = walk.openings.find((opening) => opening.seq === seq)?.messageID ?? ""
  if (payload.imported === true) return { seq: seq - 1, messageID }
  const begun = beginOf(source, event.turn, seq)
  // The conversation may have the prompt's event without its turn, when the head was moved to between them.
  if (begun !== null) return headPathOf(source.log).has(begun) ? { seq: begun - 1, messageID } : NO_MESSAGE
  const joined = walkTo(source, seq, (one) => one.name === EventNames.turnJoined && one.payload.turn === turn)
  if (joined === undefined || joined.event.name !== EventNames.turnJoined) return NEVER_SENT
  if (joined.event.payload.first !== true) return beforeStep(joined.walk, joined.event, messageID)
  // Prompts that waited together were sent as one.
  const first = joined.walk.openings.find((opening) => opening.turn === joined.event.turn)
  if (first === undefined) return NEVER_SENT
  return { seq: (beginOf(source, first.turn, first.seq) ?? first.seq) - 1, messageID: first.messageID }
}

/** seq of the first event of a turn after it was queued at `queued`; null if it has not started. */
const beginOf = ({ context }: CutSource, turn: string | null, queued: number): number | null =>
  context.sql
    .exec<{ seq: number | null }>(
      "SELECT MIN(seq) AS seq FROM events WHERE seq > ? AND turn = ? AND name NOT IN ('sdk:command_lifecycle', ?)",
      queued,
      turn,
      EventNames.turnCancelled,
    )
    .one().seq

/**
 * Before the message or part that an event opened, and before calls whose results would be cut off. `messageID` is for events
 * that open nothing.
 */
const beforeStep = (walk: PathWalk, event: LogEvent, messageID: string): CutPlace => {
  const seq = Math.min(event.seq, ...walk.openCallsOf(event.turn))
  const first = walk.openings.find((opening) => opening.seq === seq)
  if (first === undefined) return { seq: seq - 1, messageID }
  const own = walk.openings.filter((opening) => opening.messageID === first.messageID)
  const partID = own.find((opening) => opening.seq === seq && opening.partID !== null)?.partID
  const isAnswered = own.some((opening) => opening.seq < seq && opening.hasContent)
  if (isAnswered && partID != null) return { seq: seq - 1, messageID: first.messageID, partID }
  // Thinking alone is no answer: the whole message is cut off.
  return { seq: Math.min(seq, ...own.map((opening) => opening.seq)) - 1, messageID: first.messageID }
}
