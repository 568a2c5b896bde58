// Receives what a reader asks of a session's log; returns that page of it, as events or as messages with their parts.
// Invariant: `has_more` is true exactly when there is something behind the page.
import type { EventsPage, SessionRpc } from "../schemas/session-rpc.ts"
import { projectParts } from "../views/parts.ts"
import type { SessionLog } from "./log.ts"
import { type Refusal, refuse } from "./refusal.ts"

export const eventsPage = (log: SessionLog, query: Parameters<SessionRpc["events"]>[0]): EventsPage => {
  const found = log.read({ ...query, limit: query.limit + 1 })
  const events = found.slice(0, query.limit).map((stored) => stored.event)
  return { events, has_more: found.length > query.limit, last_seq: log.lastSeq }
}

/** A page of messages begins behind the message `after`; one that is not there is refused. */
export const messagesPage = (
  log: SessionLog,
  id: string,
  query: Parameters<SessionRpc["messages"]>[0],
): { readonly messages: ReadonlyArray<unknown>; readonly has_more: boolean } | Refusal => {
  const all = projectParts(id, events(log))
  const from = query.after === undefined ? 0 : all.findIndex((message) => message.info.id === query.after) + 1
  if (query.after !== undefined && from === 0) return noMessage
  return { messages: all.slice(from, from + query.limit), has_more: from + query.limit < all.length }
}

const noMessage = refuse("not_found_error", "there is no such message in this session")

function* events(log: SessionLog) {
  for (const stored of log.all()) yield stored.event
}
