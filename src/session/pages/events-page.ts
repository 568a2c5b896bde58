// Receives what a reader asks of a session's log; returns that page of it as JSON.
// Invariant: a page ends at `PAGE_BYTES` unless its first event alone has more, and `has_more` is true exactly when there is
// an event behind it.
import { PAGE_BYTES } from "../../views/message-page.ts"
import type { EventQuery, PagedEvent, SessionLog } from "../storage/log.ts"
import { jsonResponse } from "./json-response.ts"

/** `GET /events?after=N&limit=N&order=asc|desc&name=NAME`; the Worker has checked the query. */
export const eventsPage = (log: SessionLog, { searchParams }: URL): Response => {
  const name = searchParams.get("name")
  const query: EventQuery = {
    after: Number(searchParams.get("after")),
    limit: Number(searchParams.get("limit")),
    order: searchParams.get("order") === "desc" ? "desc" : "asc",
    ...(name === null ? {} : { name }),
  }
  const { events, more } = log.page(query, PAGE_BYTES)
  const json = `{"events":[${events.map(eventJson).join(",")}],"has_more":${more},"last_seq":${log.lastSeq}}`
  return jsonResponse(json, log.media)
}

const eventJson = ({ event, json }: PagedEvent): string => `${JSON.stringify(event).slice(0, -1)},"payload":${json}}`
