// Receives a batch of the HOOKS queue; writes one row of hook_events per hook event.
// Invariant: delivering a message again, or after its session was deleted, changes nothing. A message is acknowledged only
// when its rows are stored or never can be. An input that does not match the SDK's types is stored like any other, and logged.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { EventNames } from "../../schemas/log/events.ts"
import { decodeHookInput } from "../../schemas/sdk/hooks/hooks.ts"
import { storeBatch } from "./hook-batch.ts"
import type { HookMessage } from "./hook-message.ts"
import { storeHookEvents } from "./stored-hooks.ts"

const MAX_RETRY_SECONDS = 600

/** Never fails: messages that could not be stored are retried, with a longer delay at each attempt. */
export const consumeHookBatch = Effect.fn("store.consumeHookBatch")(function* (
  batch: MessageBatch,
  env: { readonly DB: D1Database },
): Effect.fn.Return<void> {
  const { read, unstored } = yield* storeBatch(batch, (events) => storeHookEvents(env.DB, events))
  for (const { events } of read) for (const event of events) yield* checkInput(event)
  if (unstored.length === 0) return
  yield* Effect.logWarning("hook events were not stored", {
    queue: batch.queue,
    messages: unstored.length,
    events: unstored.flatMap(({ events }) => events).length,
  })
  for (const { message } of unstored) message.retry({ delaySeconds: retrySeconds(message.attempts) })
})

/** Logs where an input differs from the SDK's type for its event; one that was sent as a reference can't be checked here. */
const checkInput = ({ hook_event_name: event, input, session_id, seq }: HookMessage): Effect.Effect<void> => {
  if (input["truncated"] === true || event === EventNames.bridgeCalled) return Effect.void
  const decoded = decodeHookInput(input)
  const named = Result.isSuccess(decoded) && input["hook_event_name"] === event
  if (named) return Effect.void
  const paths = Result.isSuccess(decoded)
    ? ["hook_event_name"]
    : decoded.failure.issues.map(({ path }) => path.join("."))
  return Effect.logWarning("stored a hook event whose input is not of its kind", { session_id, seq, event, paths })
}

/** 5, 10, 20 … seconds, at most ten minutes. `attempts` counts from 1. */
const retrySeconds = (attempts: number): number => Math.min(MAX_RETRY_SECONDS, 5 * 2 ** Math.min(attempts - 1, 10))
