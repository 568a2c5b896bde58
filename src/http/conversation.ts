// Receives a session and a page's bounds; returns that page of its conversation, from D1 or from the session's log.
// Invariant: the session says first whether D1 has everything, so a caller reads its own writes either way.
import { Effect } from "effect"
import type { SessionStub } from "../schemas/env.ts"
import type { MessagesPage } from "../schemas/session-rpc.ts"
import { type MessagesQuery, storedMessages } from "../store/messages.ts"
import type { ApiError } from "./errors.ts"
import type { Caller } from "./handle.ts"
import { callSession } from "./session-call.ts"

export const readConversation = Effect.fnUntraced(function* (
  { env, tenant, session, requestId }: Caller,
  id: string,
  query: MessagesQuery,
): Effect.fn.Return<MessagesPage, ApiError> {
  const ask = (call: (stub: SessionStub) => ReturnType<SessionStub["messages"]>) => callSession(() => session(id), call)
  const first = yield* ask((stub) => stub.messages(query))
  if (!("stored" in first)) return first
  const stored = yield* Effect.catch(storedMessages(env.DB, tenant, id, query), ({ operation }) => {
    // The log has the same messages.
    console.error(JSON.stringify({ level: "warn", request_id: requestId, message: `D1: ${operation} failed` }))
    return Effect.succeed(null)
  })
  if (stored !== null) return stored
  const page = yield* ask((stub) => stub.messages({ ...query, source: "log" }))
  return "stored" in page ? yield* Effect.die(new Error("a session did not give a page of its log")) : page
})
