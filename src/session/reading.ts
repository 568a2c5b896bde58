// Receives what a reader asks of a session's log; returns that page of it, as events or as messages with their parts.
// Invariant: `has_more` is true exactly when there is something behind the page. Events are all that was logged; messages
// are the conversation as the model knows it: what the head was moved away from is not among them.
import type { EventsPage, MessagesPage, SessionRpc } from "../schemas/session-rpc.ts"
import { pageOf } from "../views/message-page.ts"
import { projectParts } from "../views/parts.ts"
import { headPathOf } from "./head.ts"
import type { SessionLog } from "./log.ts"
import type { Outbox } from "./outbox.ts"
import { type Refusal, refuse } from "./refusal.ts"

export const eventsPage = (log: SessionLog, query: Parameters<SessionRpc["events"]>[0]): EventsPage => {
  const events = log.read(query).map((stored) => stored.event)
  const last = events.at(-1)
  const has_more = last !== undefined && log.has({ ...query, after: last.seq })
  return { events, has_more, last_seq: log.lastSeq }
}

/** A log of more events is folded in more time than D1 takes to answer. */
const LONG_LOG = 300

/** Says that D1 is to be asked when it has a long conversation whole. */
export const messagesOrStored = (
  { log, outbox }: { readonly log: SessionLog; readonly outbox: Outbox },
  id: string,
  query: Parameters<SessionRpc["messages"]>[0],
): MessagesPage | { readonly stored: true } | Refusal =>
  query.source === undefined && log.lastSeq > LONG_LOG && outbox.isStored
    ? { stored: true }
    : messagesPage(log, id, query)

/** A page of messages begins behind the message `after`; one that is not there is refused. */
export const messagesPage = (
  log: SessionLog,
  id: string,
  query: Parameters<SessionRpc["messages"]>[0],
): MessagesPage | Refusal => {
  const all = projectParts(id, conversation(log))
  const from = query.after === undefined ? 0 : all.findIndex((message) => message.info.id === query.after) + 1
  if (query.after !== undefined && from === 0) return noMessage
  const messages = pageOf(all.slice(from), query.limit)
  return { messages, has_more: from + messages.length < all.length }
}

const noMessage = refuse("not_found_error", "there is no such message in this session")

function* conversation(log: SessionLog) {
  const path = headPathOf(log)
  for (const { event } of log.all()) if (path.has(event.seq)) yield event
}
