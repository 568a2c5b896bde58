// Receives the messages of a batch of a queue; returns those whose hook events could not be stored.
// Invariant: a message is acknowledged only when its rows are stored or never can be. One whose rows D1 always rejects does not
// keep the others from being stored.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CALL_LIMIT_MS, type StoreError } from "../store-error.ts"
import { eventsOfPack, type HookMessage } from "./hook-message.ts"

/** A message of a queue, with its hook events that are readable. */
export interface ReadMessage {
  readonly message: Message
  readonly events: ReadonlyArray<HookMessage>
}

/**
 * How many calls may fail for a batch. 15 separate two messages from a hundred; while D1 is away, no call succeeds. When one call
 * could have taken as long as it may, no other begins either, so that a batch ends well within an invocation of the consumer.
 */
const MAX_FAILURES = 16

/**
 * Reads the messages, and stores the events of all in one call; when it fails, those of each half in its own, and so on. Drops
 * messages, and parts of them, that are not hook events.
 */
export const storeBatch = Effect.fnUntraced(function* (
  { messages, queue }: MessageBatch,
  store: (events: ReadonlyArray<HookMessage>) => Effect.Effect<void, StoreError>,
): Effect.fn.Return<{ readonly read: ReadonlyArray<ReadMessage>; readonly unstored: ReadonlyArray<ReadMessage> }> {
  const read: Array<ReadMessage> = []
  for (const message of messages) {
    const decoded = eventsOfPack(message.body)
    const events = decoded.filter(Exit.isSuccess).map(({ value }) => value)
    // A retry would not make them readable, and their content must not be logged.
    if (events.length < Math.max(decoded.length, 1))
      yield* Effect.logWarning("dropped what is not a hook event", { queue, id: message.id })
    if (events.length === 0) message.ack()
    else read.push({ message, events })
  }
  const unstored: Array<ReadMessage> = []
  const parts: Array<ReadonlyArray<ReadMessage>> = [read]
  const latest = (yield* Clock.currentTimeMillis) + CALL_LIMIT_MS
  let failures = 0
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const isOver = failures === MAX_FAILURES || (yield* Clock.currentTimeMillis) >= latest
    if (part.length === 0 || isOver) unstored.push(...part)
    else if (Exit.isSuccess(yield* Effect.exit(store(part.flatMap(({ events }) => events))))) {
      for (const { message } of part) message.ack()
    } else {
      failures += 1
      const half = part.length >> 1
      if (half === 0) unstored.push(...part)
      else parts.push(part.slice(half), part.slice(0, half))
    }
  }
  return { read, unstored }
})
