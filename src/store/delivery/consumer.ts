// Receives a batch of the HOOKS queue; leaves one row of hook_events per hook event.
// Invariant: delivering a message again, or after its session was deleted, changes nothing. A message is acknowledged
// only when its row is there or never will be.
import { Effect, Exit, Schema } from "effect"
import { cutJson } from "./cut-json.ts"
import { HookMessage } from "./hook-message.ts"
import { insertSql, writeRows } from "./json-rows.ts"

const HOOK_SQL = insertSql("hook_events", ["seq", "id", "hook_event_name", "at", "input", "outcome"], ["seq"], "keep")

const MAX_RETRY_SECONDS = 600

const decode = Schema.decodeUnknownExit(HookMessage)

/** Never fails: what could not be written is asked for again, later at each attempt. */
export const consumeHookBatch = Effect.fn("store.consumeHookBatch")(function* (
  batch: MessageBatch,
  env: { readonly DB: D1Database },
): Effect.fn.Return<void> {
  const readable: Array<{ readonly message: Message; readonly body: HookMessage }> = []
  for (const message of batch.messages) {
    const body = decode(message.body)
    if (Exit.isSuccess(body)) {
      readable.push({ message, body: body.value })
      continue
    }
    // It will not get better, and its content is not ours to log.
    yield* Effect.logWarning("dropped a queue message that is not a hook event", { queue: batch.queue, id: message.id })
    message.ack()
  }
  if (readable.length === 0) return
  const rows = readable.map(({ body }) => ({
    ...body,
    input: cutJson(body.input, body.seq),
    outcome: cutJson(body.outcome, body.seq),
  }))
  const written = yield* Effect.exit(writeRows(env.DB, "hook_events", [{ sql: HOOK_SQL, rows }]))
  if (Exit.isSuccess(written)) {
    for (const { message } of readable) message.ack()
    return
  }
  yield* Effect.logWarning("hook events were not stored", { queue: batch.queue, messages: readable.length })
  for (const { message } of readable) message.retry({ delaySeconds: retrySeconds(message.attempts) })
})

/** 5, 10, 20 … seconds, at most ten minutes. `attempts` counts from 1. */
const retrySeconds = (attempts: number): number => Math.min(MAX_RETRY_SECONDS, 5 * 2 ** Math.min(attempts - 1, 10))
