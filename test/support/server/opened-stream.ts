// Receives an answer that has started; yields its events one by one.
import { Effect } from "effect"
import type { ModelError, OpenedStream, RawStreamEvent } from "../../../src/model/messages-api.ts"

export const each = Effect.fnUntraced(function* (
  { next }: OpenedStream,
  onEvent: (event: RawStreamEvent) => Effect.Effect<unknown>,
): Effect.fn.Return<void, ModelError> {
  for (let events = yield* next; events !== null; events = yield* next) {
    for (const event of events) yield* onEvent(event)
  }
})
