// Receives what a reader asks of a session's log; returns that page of it, as events or as messages with their parts.
// Invariant: `has_more` is true exactly when there is something behind the page.
import type { EventsPage, SessionRpc } from "../schemas/session-rpc.ts"
import { projectParts } from "../views/parts.ts"
import type { SessionLog } from "./log.ts"
import { type Refusal, refuse } from "./refusal.ts"

export const eventsPage = (log: SessionLog, query: Parameters<SessionRpc["events"]>[0]): EventsPage => {
  const events = log.read(query).map((stored) => stored.event)
  const last = events.at(-1)
  const has_more = last !== undefined && log.has({ ...query, after: last.seq })
  return { events, has_more, last_seq: log.lastSeq }
}

/** Characters of JSON in a page of messages; one message may have more. */
const PAGE_ROOM = 8 * 1024 * 1024

/** A page of messages begins behind the message `after`; one that is not there is refused. */
export const messagesPage = (
  log: SessionLog,
  id: string,
  query: Parameters<SessionRpc["messages"]>[0],
): { readonly messages: ReadonlyArray<unknown>; readonly has_more: boolean } | Refusal => {
  const all = projectParts(id, events(log))
  const from = query.after === undefined ? 0 : all.findIndex((message) => message.info.id === query.after) + 1
  if (query.after !== undefined && from === 0) return noMessage
  let [end, room] = [from, PAGE_ROOM]
  for (; end < Math.min(from + query.limit, all.length); end += 1) {
    room -= JSON.stringify(all[end]).length
    if (room < 0 && end > from) break
  }
  return { messages: all.slice(from, end), has_more: end < all.length }
}

const noMessage = refuse("not_found_error", "there is no such message in this session")

function* events(log: SessionLog) {
  for (const stored of log.all()) yield stored.event
}
