// Receives a session and a page's bounds; returns that page of its conversation, from D1 or from the session's log.
// Invariant: D1 is read only when the session reports that D1 has all of its events, so a caller always reads its own writes.
import * as Effect from "effect/Effect"
import type { Message } from "../../schemas/parts.ts"
import { type MessagesQuery, storedMessages } from "../../store/messages.ts"
import { LAST_SEQ_HEADER, PLACE_HEADER, shownMessages } from "../../views/parts/message-page.ts"
import type { ApiError } from "../errors/errors.ts"
import { type Caller, json } from "../handle.ts"
import { passed, sessionPage } from "./session-page.ts"

/** The status with which a session's object answers when D1 has the page. */
const STORED = 204

export const readConversation = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  query: MessagesQuery & { readonly format?: "parts" | "sdk" },
): Effect.fn.Return<Response, ApiError> {
  const { env, tenant, requestId } = caller
  const first = yield* sessionPage(caller, id, "messages", { ...query })
  if (first.status !== STORED) return passed(first)
  const known = first.headers.get(PLACE_HEADER)
  const place = known === null ? {} : { place: Number(known) }
  const stored = yield* Effect.catch(storedMessages(env.DB, tenant, id, { ...query, ...place }), ({ operation }) => {
    // The log has the same messages.
    console.error(JSON.stringify({ level: "warn", request_id: requestId, message: `D1: ${operation} failed` }))
    return Effect.succeed(null)
  })
  if (stored === null) return passed(yield* sessionPage(caller, id, "messages", { ...query, source: "log" }))
  // The session's own projection wrote these rows.
  const messages = stored.messages as ReadonlyArray<Message>
  const last_seq = Number(first.headers.get(LAST_SEQ_HEADER))
  return json(200, shownMessages(id, { ...stored, messages, last_seq }, query.format === "sdk"))
})
