// Receives the messages of a batch of a queue; returns those whose hook events could not be stored.
// Invariant: a message is acknowledged only when its rows are stored. One whose rows D1 always rejects does not keep the others
// from being stored.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StoreError } from "../store-error.ts"
import type { HookMessage } from "./hook-message.ts"

/** A message of a queue, with its hook events that are readable. */
export interface ReadMessage {
  readonly message: Message
  readonly events: ReadonlyArray<HookMessage>
}

/** How many calls may fail for a batch. 15 separate two messages from a hundred; while D1 is away, no call succeeds. */
const MOST_FAILURES = 16

/** Stores all messages in one call; when it fails, each half in its own, and so on. */
export const storeMessages = Effect.fn("store.storeMessages")(function* (
  messages: ReadonlyArray<ReadMessage>,
  store: (events: ReadonlyArray<HookMessage>) => Effect.Effect<void, StoreError>,
): Effect.fn.Return<ReadonlyArray<ReadMessage>> {
  const unstored: Array<ReadMessage> = []
  const parts = messages.length === 0 ? [] : [messages]
  let failures = 0
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (failures === MOST_FAILURES) unstored.push(...part)
    else if (Exit.isSuccess(yield* Effect.exit(store(part.flatMap(({ events }) => events))))) {
      for (const { message } of part) message.ack()
    } else {
      failures += 1
      const half = part.length >> 1
      if (half === 0) unstored.push(...part)
      else parts.push(part.slice(half), part.slice(0, half))
    }
  }
  return unstored
})
