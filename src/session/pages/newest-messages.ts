// Receives a place in a session's conversation; returns the page of messages before it, the newest first.
// Invariant: a page costs what its turns cost, however long the log is: the fold starts a bounded number of events before the
// page, where no turn was open, and further back only when that did not fill it.
import { MessagePage } from "../../views/parts/message-page.ts"
import type { Message } from "../../schemas/parts.ts"
import type { Refusal } from "../refusal.ts"
import { placeOfMessage } from "./message-place.ts"
import {
  type Bounds,
  isNamed,
  messagesOf,
  unknownAfter,
  type Paged,
  type Placed,
  placeOfPrompt,
} from "./messages-page.ts"

/** Events that the first attempt reads: a page of a usual conversation. */
const FIRST_WINDOW = 600
/** Each further attempt reads this many times as many. */
const GROWTH = 4

/**
 * The newest messages first. With `after`, those before that message; with `at`, the conversation is read as it was right
 * after this event.
 */
export const newestMessages = (
  paged: Paged,
  id: string,
  { after, limit, at }: Bounds,
): { readonly messages: ReadonlyArray<Message>; readonly has_more: boolean } | Refusal => {
  const { log } = paged
  const end = (after === undefined ? undefined : placeOfMessage(log, after)) ?? at ?? log.lastSeq
  const prompt = after === undefined ? undefined : placeOfPrompt(log, after, at)
  for (let window = FIRST_WINDOW; ; window *= GROWTH) {
    const from = quietPlace(paged, end - window)
    const before = messagesBefore(messagesOf(log, id, from, at), after, prompt)
    if (before === undefined && from === 0) return unknownAfter
    if (before === undefined || (before.length <= limit && from > 0)) continue
    const page = new MessagePage<Message>(limit)
    let taken = 0
    while (taken < before.length && page.take((before.at(-1 - taken) as Placed).message)) taken += 1 // its length was checked
    return { messages: page.messages, has_more: taken < before.length }
  }
}

/** The last event up to `seq` at which no turn was open, so that a fold from there has whole turns. */
const quietPlace = ({ inbox }: Paged, seq: number): number =>
  seq <= 0 ? 0 : Math.min(seq, (inbox.firstOpenAt(seq) ?? seq + 1) - 1)

/** The messages before `after`; undefined when it is not among them. A cancelled prompt is found by its place. */
const messagesBefore = (
  messages: Iterable<Placed>,
  after: string | undefined,
  prompt: number | undefined,
): ReadonlyArray<Placed> | undefined => {
  const before: Array<Placed> = []
  for (const one of messages) {
    if (after !== undefined && isNamed(one, after)) return before
    if (prompt !== undefined && one.position > prompt) return before
    before.push(one)
  }
  return after === undefined || prompt !== undefined ? before : undefined
}
