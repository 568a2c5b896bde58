// Receives a query on a session's conversation; returns that page as JSON, as parts or as SDK messages, or a 204 when D1 has
// it and is faster.
import { LAST_SEQ_HEADER, PLACE_HEADER, shownMessages } from "../../views/parts/message-page.ts"
import type { SessionLog } from "../storage/log.ts"
import type { SessionCore } from "../core.ts"
import type { Refusal } from "../refusal.ts"
import { jsonResponse } from "./json-response.ts"
import { placeOfMessage } from "./message-place.ts"
import { messagesPage } from "./messages-page.ts"
import { newestMessages } from "./newest-messages.ts"
import { placeRefusal } from "./session-at.ts"

/** Folding a log of more events takes longer than a query to D1. */
const LONG_LOG = 300

/**
 * `GET /messages?after=ID&limit=N&format=parts|sdk&order=asc|desc&source=log&at=SEQ`. Without `source`, a 204 says that D1
 * has all of a long conversation and should be read instead.
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
    const headers = { ...placeHeader(log, after), [LAST_SEQ_HEADER]: String(log.lastSeq) }
    return new Response(null, { status: 204, headers })
  }
  const limit = Number(searchParams.get("limit"))
  const bounds = { limit, ...(after === null ? {} : { after }), ...(at === undefined ? {} : { at }) }
  const read = searchParams.get("order") === "desc" ? newestMessages : messagesPage
  const page = read({ log, inbox }, id, bounds)
  if ("refused" in page) return page
  const shown = shownMessages(id, { ...page, last_seq: log.lastSeq }, searchParams.get("format") === "sdk")
  return jsonResponse(JSON.stringify(shown), log.media)
}

/** The seq of the message `after`, by which D1 finds it directly. */
const placeHeader = (log: SessionLog, after: string | null): Readonly<Record<string, string>> => {
  const place = after === null ? undefined : placeOfMessage(log, after)
  return place === undefined ? {} : { [PLACE_HEADER]: String(place) }
}
