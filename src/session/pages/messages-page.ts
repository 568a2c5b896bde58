// Receives what a reader asks of a session's conversation; returns that page of it as JSON, as parts or as SDK messages.
// Invariant: the conversation is as the model knows it: what the head was moved away from is not in it. A turn that is over
// is forgotten once the page is past it, so a long conversation is never whole in memory. A page costs what its turns cost: it
// begins where the last one ended, or with the turns that were open at its first message.
import { partViewId } from "../../views/parts/part-ids.ts"
import { PartsProjection } from "../../views/parts/parts.ts"
import { MessagePage, PLACE_HEADER, shownMessages } from "../../views/parts/message-page.ts"
import type { Message } from "../../schemas/parts.ts"
import { headPathOf } from "../storage/head.ts"
import type { SessionLog } from "../storage/log.ts"
import type { SessionCore } from "../core.ts"
import { placeOfMessage } from "./message-place.ts"
import { placeRefusal } from "./session-at.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { jsonResponse } from "./json-response.ts"

/** A log of more events is folded in more time than D1 takes to answer. */
const LONG_LOG = 300

/**
 * `GET /messages?after=ID&limit=N&format=parts|sdk&source=log&at=SEQ`. Without a source, an answer without content says that D1 has
 * a long conversation whole, and is to be asked.
 */
export const messagesResponse = (
  { log, inbox, outbox }: Pick<SessionCore, "log" | "inbox" | "outbox">,
  id: string,
  { searchParams }: URL,
): Response | Refusal => {
  const after = searchParams.get("after")
  const asked = searchParams.get("at")
  const at = asked === null ? undefined : Number(asked)
  const refused = at === undefined ? undefined : placeRefusal({ log }, at)
  if (refused !== undefined) return refused
  if (at === undefined && searchParams.get("source") === null && log.lastSeq > LONG_LOG && outbox.isStored) {
    return new Response(null, { status: 204, headers: placeHeader(log, after) })
  }
  const limit = Number(searchParams.get("limit"))
  const bounds = { limit, ...(after === null ? {} : { after }), ...(at === undefined ? {} : { at }) }
  const page = messagesPage({ log, inbox }, id, bounds)
  if ("refused" in page) return page
  return jsonResponse(JSON.stringify(shownMessages(id, page, searchParams.get("format") === "sdk")), log.media)
}

/** D1 finds a message by its place at once. */
const placeHeader = (log: SessionLog, after: string | null): Readonly<Record<string, string>> => {
  const place = after === null ? undefined : placeOfMessage(log, after)
  return place === undefined ? {} : { [PLACE_HEADER]: String(place) }
}

/** What pages are read from. */
type Paged = Pick<SessionCore, "log" | "inbox">

/** A page begins behind the message `after`; one that is not there is refused. With `at` it is of what there was then. */
export const messagesPage = (
  { log, inbox }: Paged,
  id: string,
  { after, limit, at }: { readonly after?: string; readonly limit: number; readonly at?: number },
): { readonly messages: ReadonlyArray<Message>; readonly has_more: boolean } | Refusal => {
  const page = new MessagePage<Message>(limit)
  const messages = behind({ log, inbox }, id, after, at)
  if (messages === undefined) return noMessage
  // The next page may go on with them: a `for … of` that is left ends them.
  for (let one = messages.next(); one.done !== true; one = messages.next()) {
    if (page.take(one.value.message)) continue
    if (at !== undefined) return { messages: page.messages, has_more: true }
    const through = page.messages.at(-1)?.info.id ?? ""
    readings.set(log, { lastSeq: log.lastSeq, through, next: one.value, rest: messages })
    return { messages: page.messages, has_more: true }
  }
  return { messages: page.messages, has_more: false }
}

const noMessage = refuse(
  "not_found_error",
  "after: there is no such message in this session's conversation. It may have been reverted: read from the beginning.",
  "after",
)

/** Where the last page of a log ended: most readers go on there. */
interface Reading {
  /** What comes later is not in it. */
  readonly lastSeq: number
  readonly through: string
  readonly next: Placed
  readonly rest: Generator<Placed>
}

type Placed = ReturnType<PartsProjection["placedMessages"]>[number]

const readings = new WeakMap<SessionLog, Reading>()

/** The messages behind one; undefined when it is not there. */
const behind = (
  paged: Paged,
  id: string,
  after: string | undefined,
  at: number | undefined,
): Generator<Placed> | undefined => {
  const { log } = paged
  if (at !== undefined) return after === undefined ? messagesOf(log, id, 0, at) : behindAt(paged, id, after, at)
  const reading = readings.get(log)
  readings.delete(log)
  if (after === undefined) return messagesOf(log, id, 0)
  if (reading?.lastSeq === log.lastSeq && reading.through === after) return goOn(reading)
  const from = turnsAround(paged, after)
  // Of a log whose times go back the place of a message is not known, and it is looked for from the first one on.
  return (from === 0 ? undefined : pastOf(messagesOf(log, id, from), after)) ?? pastOf(messagesOf(log, id, 0), after)
}

/** What came later is not read, so nothing is kept for the next page. */
const behindAt = (paged: Paged, id: string, after: string, at: number): Generator<Placed> | undefined => {
  const from = turnsAround(paged, after)
  const near = from === 0 || from >= at ? undefined : pastOf(messagesOf(paged.log, id, from, at), after)
  return near ?? pastOf(messagesOf(paged.log, id, 0, at), after)
}

function* goOn({ next, rest }: Reading): Generator<Placed> {
  yield next
  yield* rest
}

const pastOf = (messages: Generator<Placed>, after: string): Generator<Placed> | undefined => {
  for (let one = messages.next(); one.done !== true; one = messages.next())
    if (one.value.message.info.id === after || earlierId(one.value) === after) return messages
  return undefined
}

/** The id that earlier versions gave to an answer: that of its first piece. */
const earlierId = ({ position, message: { info } }: Placed): string | undefined =>
  info.role === "assistant"
    ? partViewId("msg", { seq: position, uuid: info.sdk.uuid, at: info.time.created }, 0)
    : undefined

/** The event before the first turn that was open when the message was opened: a fold that begins there has it. */
const turnsAround = ({ log, inbox }: Paged, message: string): number => {
  const place = placeOfMessage(log, message)
  return place === undefined ? 0 : (inbox.firstOpenAt(place) ?? place) - 1
}

/** The messages of the conversation from the turns on that begin behind an event, in their order. */
function* messagesOf(log: SessionLog, id: string, after: number, at?: number): Generator<Placed> {
  const path = headPathOf(log, at)
  const fold = new PartsProjection(id)
  for (const { event } of log.all(after)) {
    if (at !== undefined && event.seq > at) break
    if (!path.has(event.seq)) continue
    fold.apply(event)
    // With no turn open, what is held is final, and whatever comes later follows it.
    if (event.turn === null || fold.settledBefore() <= event.seq) continue
    yield* fold.placedMessages()
    fold.dropFlushed(event.seq)
  }
  yield* fold.placedMessages()
}
