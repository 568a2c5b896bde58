// Receives the cursor of a reader that reconnects after the last event of its turn or run; returns the stream, which ends at
// once.
// Invariant: a cursor ahead of the session's log is reported as on every other stream, so that no reader takes a turn as read
// because of an id that belongs to another session.
import * as Effect from "effect/Effect"
import type { Caller } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"
import { SSE_HEADERS } from "./sse.ts"
import { encodeComment, encodeFrame, RETRY_FIELD } from "./sse-text.ts"

interface EndedReader {
  readonly session: string
  /** What has ended, as the start of a sentence: `the turn has ended`. */
  readonly what: string
  /** The reader's cursor, and the seq of the last event of the turn or run, which is not after it. */
  readonly last: number
  readonly end: number
  readonly headers: Readonly<Record<string, string>>
}

export const endedStream = Effect.fnUntraced(function* (
  { session: sessions }: Caller,
  { session, what, last, end, headers }: EndedReader,
) {
  const send = (text: string) => new Response(text, { headers: { ...SSE_HEADERS, ...headers } })
  const { last_seq } = last === end ? { last_seq: end } : yield* callSession(sessions, session, (stub) => stub.info())
  if (last <= last_seq) return send(encodeComment(`${what}, and all of it was read`))
  const truncated = { id: null, event: "catch_up_truncated", data: JSON.stringify({ last_seq }) }
  return send(RETRY_FIELD + encodeFrame(truncated) + encodeComment(what))
})
