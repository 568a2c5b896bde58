// Receives what a reader asks of a session's conversation; returns that page of it as JSON, as parts or as SDK messages.
// Invariant: the conversation is as the model knows it: what the head was moved away from is not in it. A turn that is over
// is forgotten once the page is past it, so a long conversation is never whole in memory.
import { PartsProjection } from "../../views/parts.ts"
import { MessagePage, shownMessages } from "../../views/message-page.ts"
import type { Message } from "../../schemas/parts.ts"
import { headPathOf } from "../storage/head.ts"
import type { SessionLog } from "../storage/log.ts"
import type { Outbox } from "../storage/outbox.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { jsonResponse } from "./json-response.ts"

/** A log of more events is folded in more time than D1 takes to answer. */
const LONG_LOG = 300

/**
 * `GET /messages?after=ID&limit=N&format=parts|sdk&source=log`. Without a source, an answer without content says that D1 has
 * a long conversation whole, and is to be asked.
 */
export const messagesResponse = (
  { log, outbox }: { readonly log: SessionLog; readonly outbox: Outbox },
  id: string,
  { searchParams }: URL,
): Response | Refusal => {
  if (searchParams.get("source") === null && log.lastSeq > LONG_LOG && outbox.isStored) {
    return new Response(null, { status: 204 })
  }
  const after = searchParams.get("after")
  const limit = Number(searchParams.get("limit"))
  const page = messagesPage(log, id, after === null ? { limit } : { after, limit })
  if ("refused" in page) return page
  return jsonResponse(JSON.stringify(shownMessages(id, page, searchParams.get("format") === "sdk")), log.media)
}

/** A page begins behind the message `after`; one that is not there is refused. */
export const messagesPage = (
  log: SessionLog,
  id: string,
  { after, limit }: { readonly after?: string; readonly limit: number },
): { readonly messages: ReadonlyArray<Message>; readonly has_more: boolean } | Refusal => {
  const page = new MessagePage<Message>(limit)
  let found = after === undefined
  for (const message of messagesOf(log, id)) {
    if (!found) found = message.info.id === after
    else if (!page.take(message)) return { messages: page.messages, has_more: true }
  }
  return found ? { messages: page.messages, has_more: false } : noMessage
}

const noMessage = refuse("not_found_error", "there is no such message in this session")

/** The messages of the conversation, in their order. */
function* messagesOf(log: SessionLog, id: string): Generator<Message> {
  const path = headPathOf(log)
  const fold = new PartsProjection(id)
  for (const { event } of log.all()) {
    if (!path.has(event.seq)) continue
    fold.apply(event)
    // With no turn open, what is held is final, and whatever comes later follows it.
    if (event.turn === null || fold.settledBefore() <= event.seq) continue
    yield* fold.messages()
    fold.dropFlushed(event.seq)
  }
  yield* fold.messages()
}
