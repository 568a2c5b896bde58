// Asks a session's object for a page that comes as a stream; returns the object's answer.
// Invariant: what the object refuses is an error value, and asking again changes nothing.
import * as Effect from "effect/Effect"
import type { ApiError } from "../errors/errors.ts"
import { rpcError } from "../socket/feed-socket.ts"
import type { Caller } from "../handle.ts"
import { callSession } from "./session-call.ts"

/** `undefined` values are left out. */
export const sessionPage = (
  { session }: Caller,
  id: string,
  page: "events" | "facts" | "messages",
  query: Readonly<Record<string, string | number | undefined>>,
): Effect.Effect<Response, ApiError> => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const url = `http://session/${page}?${new URLSearchParams(given)}`
  return callSession(session, id, async (stub) => {
    const response = await stub.fetch(url)
    return response.ok ? { ok: true, value: response } : { ok: false, error: await rpcError(response) }
  })
}

/** The page for the client, as it comes. */
export const passed = (page: Response): Response =>
  new Response(page.body, { headers: { "content-type": "application/json" } })
