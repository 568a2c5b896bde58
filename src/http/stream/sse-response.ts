// Receives the caller of a route, and the feed and the view of its stream; returns the response that the client reads.
// Invariant: the stream ends when the client disconnects, or when the caller's credential is no longer valid.
import { unexpected } from "../errors/errors.ts"
import { type Caller, stillValid } from "../handle.ts"
import { SSE_HEADERS, type SseSource, sseStream } from "./sse.ts"

export const sseResponse = (
  caller: Caller,
  source: Omit<SseSource, "signal" | "stillValid" | "onLost">,
  headers: Readonly<Record<string, string>> = {},
): Response => {
  const { request, requestId, route } = caller
  const stream = sseStream({
    ...source,
    signal: request.signal,
    stillValid: stillValid(caller),
    onLost: (cause) => unexpected(cause, { requestId, route }),
  })
  return new Response(stream, { headers: { ...SSE_HEADERS, ...headers } })
}
