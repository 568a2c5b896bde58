// Receives a query on a session's log; returns that page as JSON, as events or as signals.
// Invariant: a page ends at `PAGE_BYTES` unless its first event alone has more, and `has_more` is true exactly when an event
// after it may match; `next_after` is where the next page starts.
import { signalJson, signalName } from "../../schemas/log/event-signal.ts"
import { compilePattern } from "../../schemas/signal-pattern.ts"
import { PAGE_BYTES } from "../../views/parts/message-page.ts"
import type { EventQuery } from "../storage/event-query.ts"
import type { PagedEvent, SessionLog } from "../storage/log.ts"
import { jsonResponse } from "./json-response.ts"

/** Maximum number of events that a page with a pattern searches: it may end early, and then `has_more` is true. */
const MAX_SEARCHED = 20_000

/**
 * `GET /events?after=N&limit=N&order=asc|desc&name=NAME&pattern=PATTERN&format=signal`; the Worker has checked the query.
 * `name` is the name of events, `pattern` matches the names of signals.
 */
export const eventsPage = (log: SessionLog, { searchParams }: URL): Response => {
  const name = searchParams.get("name")
  const query: EventQuery = {
    after: Number(searchParams.get("after")),
    limit: Number(searchParams.get("limit")),
    order: searchParams.get("order") === "desc" ? "desc" : "asc",
    ...(name === null ? {} : { name }),
  }
  const pattern = searchParams.get("pattern")
  const { events, more, next } = pattern === null ? plainPage(log, query) : matchingPage(log, query, pattern)
  const [key, item] = searchParams.get("format") === "signal" ? ["signals", signalOf] : ["events", eventJson]
  const place = `"has_more":${more},"next_after":${next},"last_seq":${log.lastSeq}`
  return jsonResponse(`{"${key}":[${events.map(item).join(",")}],${place}}`, log.media)
}

interface Page {
  readonly events: ReadonlyArray<PagedEvent>
  readonly more: boolean
  /** Null when a descending page has reached the start of the log. */
  readonly next: number | null
}

const plainPage = (log: SessionLog, query: EventQuery): Page => {
  const { events, more } = log.page(query, PAGE_BYTES)
  const last = more ? events.at(-1)?.event.seq : undefined
  return { events, more, next: last ?? (query.order === "desc" ? null : Math.max(log.lastSeq, query.after)) }
}

const matchingPage = (log: SessionLog, query: EventQuery, pattern: string): Page => {
  const matches = compilePattern(pattern)?.matches ?? (() => false)
  const descending = query.order === "desc"
  const found = log.namesFrom(query, MAX_SEARCHED)
  const seqs = found.map(({ seq }) => seq)
  const through = descending ? Math.min(...seqs) : Math.max(...seqs)
  const names = found.filter(({ name }) => matches(signalName(name))).map(({ name }) => name)
  const searched = names.length > 0 ? log.page({ ...query, among: { names, through } }, PAGE_BYTES) : NOTHING
  const last = searched.events.at(-1)?.event.seq
  if (searched.more && last !== undefined) return { events: searched.events, more: true, next: last }
  const isWhole = found.length === 0 || (descending ? through === 1 : through === log.lastSeq)
  const end = descending ? null : Math.max(log.lastSeq, query.after)
  return { events: searched.events, more: !isWhole, next: isWhole ? end : through }
}

const NOTHING: ReturnType<SessionLog["page"]> = { events: [], more: false }

const eventJson = ({ event, json }: PagedEvent): string => `${JSON.stringify(event).slice(0, -1)},"payload":${json}}`

const signalOf = ({ event, json }: PagedEvent): string => signalJson(event, json)
