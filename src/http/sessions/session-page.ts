// Requests a page from a session's object; returns the object's response, whose body is a stream.
// Invariant: a refusal of the object is an error value; the request only reads, so it can be repeated.
import * as Effect from "effect/Effect"
import type { ApiError } from "../errors/errors.ts"
import { rpcError } from "../object-call.ts"
import type { Caller } from "../handle.ts"
import { callSession } from "./session-call.ts"

/** Parameters of `query` that are undefined are omitted. */
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

/** Passes the page's JSON on to the client, without reading it. */
export const passed = (page: Response): Response =>
  new Response(page.body, { headers: { "content-type": "application/json" } })
