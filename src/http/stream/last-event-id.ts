// Receives the request of a reader that reconnects; returns the id of the last event that it received.
import * as Effect from "effect/Effect"
import { type ApiError, invalidField } from "../errors/errors.ts"

/** The seq in `Last-Event-ID`; null without the header. Fails when it is not a number. */
export const lastEventId = ({ headers }: Request): Effect.Effect<number | null, ApiError> => {
  const last = headers.get("last-event-id")
  if (last === null || last === "") return Effect.succeed(null)
  const seq = Number(last)
  return /^\d+$/.test(last) && Number.isSafeInteger(seq)
    ? Effect.succeed(seq)
    : Effect.fail(invalidField("Last-Event-ID", "must be the id of an event of this stream"))
}
