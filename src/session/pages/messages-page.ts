// Receives a place in a session's conversation; returns the page of messages after it, the oldest first.
// Invariant: the conversation is the model's: messages that the head was moved away from are not in it. A finished turn is
// dropped once the page is past it, so that a long conversation is never in memory as a whole. A page costs what its turns
// cost: it is read from where the last one ended, or from the turns that were open at its first message.
import { EventNames } from "../../schemas/log/events.ts"
import { partViewId } from "../../views/parts/part-ids.ts"
import { PartsProjection } from "../../views/parts/parts.ts"
import { MessagePage } from "../../views/parts/message-page.ts"
import type { Message } from "../../schemas/parts.ts"
import { headPathOf } from "../storage/head.ts"
import type { SessionLog } from "../storage/log.ts"
import type { SessionCore } from "../core.ts"
import { placeOfMessage } from "./message-place.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** What pages are read from. */
export type Paged = Pick<SessionCore, "log" | "inbox">

export interface Bounds {
  readonly after?: string
  readonly limit: number
  readonly at?: number
}

/**
 * The page after the message `after`, which is refused if it does not exist. With `at`, the conversation is read as it was
 * right after this event.
 */
export const messagesPage = (
  { log, inbox }: Paged,
  id: string,
  { after, limit, at }: Bounds,
): { readonly messages: ReadonlyArray<Message>; readonly has_more: boolean } | Refusal => {
  const page = new MessagePage<Message>(limit)
  const messages = messagesAfter({ log, inbox }, id, after, at)
  if (messages === undefined) return unknownAfter
  // Leaving a `for-of` loop would end the generator, with which the next page may continue.
  for (let one = messages.next(); one.done !== true; one = messages.next()) {
    if (page.take(one.value.message)) continue
    if (at !== undefined) return { messages: page.messages, has_more: true }
    const through = page.messages.at(-1)?.info.id ?? ""
    readings.set(log, { lastSeq: log.lastSeq, through, next: one.value, rest: messages })
    return { messages: page.messages, has_more: true }
  }
  return { messages: page.messages, has_more: false }
}

export const unknownAfter = refuse(
  "not_found_error",
  "after: there is no such message in this session's conversation. It may have been reverted: read from the start.",
  "after",
)

/** Where the last page of a log ended: most readers continue there. */
interface Reading {
  /** The last event that `rest` has: it is used only while the log has no later one. */
  readonly lastSeq: number
  readonly through: string
  readonly next: Placed
  readonly rest: Generator<Placed>
}

export type Placed = ReturnType<PartsProjection["placedMessages"]>[number]

const readings = new WeakMap<SessionLog, Reading>()

/** The messages after the message `after`; undefined when it does not exist. */
const messagesAfter = (
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
  const prompt = placeOfPrompt(log, after)
  // In a log whose times go back the place of a message may not be known, so it is searched from the first one on.
  const near = from === 0 ? undefined : pastOf(messagesOf(log, id, from), after, prompt)
  return near ?? pastOf(messagesOf(log, id, 0), after, prompt)
}

/** As `behind`, in the conversation right after the event `at`. Nothing is kept for the next page. */
const behindAt = (paged: Paged, id: string, after: string, at: number): Generator<Placed> | undefined => {
  const from = turnsAround(paged, after)
  const prompt = placeOfPrompt(paged.log, after, at)
  const near = from === 0 || from >= at ? undefined : pastOf(messagesOf(paged.log, id, from, at), after, prompt)
  return near ?? pastOf(messagesOf(paged.log, id, 0, at), after, prompt)
}

function* goOn({ next, rest }: Pick<Reading, "next" | "rest">): Generator<Placed> {
  yield next
  yield* rest
}

/**
 * The messages after `after`. `prompt` is the seq of a prompt's message, whose place is used if the message is not there any
 * more.
 */
const pastOf = (messages: Generator<Placed>, after: string, prompt?: number): Generator<Placed> | undefined => {
  for (let one = messages.next(); one.done !== true; one = messages.next()) {
    if (isNamed(one.value, after)) return messages
    if (prompt !== undefined && one.value.position > prompt) return goOn({ next: one.value, rest: messages })
  }
  return prompt === undefined ? undefined : messages
}

/** seq of a prompt's message in the conversation, even if the prompt was cancelled since; undefined for other messages. */
export const placeOfPrompt = (log: SessionLog, message: string, at?: number): number | undefined => {
  const place = placeOfMessage(log, message)
  if (place === undefined || place > (at ?? place)) return undefined
  const isPrompt = log.atNamed(place, EventNames.turnQueued) !== undefined
  return isPrompt && headPathOf(log, at).has(place) ? place : undefined
}

/** True when the message has this id, or an earlier version gave it this id. */
export const isNamed = (one: Placed, id: string): boolean => one.message.info.id === id || earlierId(one) === id

/** The id that earlier versions gave to an answer: that of its first piece. */
const earlierId = ({ position, message: { info } }: Placed): string | undefined =>
  info.role === "assistant"
    ? partViewId("msg", { seq: position, uuid: info.sdk.uuid, at: info.time.created }, 0)
    : undefined

/** The event before the first turn that was open when the message was opened: a fold that starts there has it. */
const turnsAround = ({ log, inbox }: Paged, message: string): number => {
  const place = placeOfMessage(log, message)
  return place === undefined ? 0 : (inbox.firstOpenAt(place) ?? place) - 1
}

/** The messages of the conversation in the turns that start after an event, in their order. */
export function* messagesOf(log: SessionLog, id: string, after: number, at?: number): Generator<Placed> {
  const path = headPathOf(log, at)
  const fold = new PartsProjection(id)
  for (const { event } of log.all(after)) {
    if (at !== undefined && event.seq > at) break
    if (!path.has(event.seq)) continue
    fold.apply(event)
    // While no turn is open, the messages of the fold are final, and later ones follow them.
    if (event.turn === null || fold.settledBefore() <= event.seq) continue
    yield* fold.placedMessages()
    fold.dropFlushed(event.seq)
  }
  yield* fold.placedMessages()
}
