// Receives the messages that the HOOKS queue gave up on; writes one row of hook_dead_letters per hook event, and sends one
// of them to the queue again on request.
// Invariant: a dead letter is removed when its hook event is stored or its session erased. One that fails again keeps its row.
import * as Effect from "effect/Effect"
import type { DeadHookEvent } from "../../schemas/api/hooks.ts"
import { attempt, type StoreError } from "../store-error.ts"
import { cutJson } from "./cut-json.ts"
import { storeBatch } from "./hook-batch.ts"
import type { HookMessage } from "./hook-message.ts"
import { insertSql, writeRows } from "./json-rows.ts"

const COLUMNS = ["seq", "id", "hook_event_name", "at", "died_at", "reason", "redelivered_at", "input", "outcome"]
const DEAD_SQL = insertSql("hook_dead_letters", { columns: COLUMNS, key: ["seq"], conflict: "newest" })

/** Removes dead letters whose event is stored: the session may have sent it again meanwhile. */
const STORED_SQL = `DELETE FROM hook_dead_letters WHERE (tenant, session_id, seq) IN
  (SELECT json_extract(value, '$.tenant'), json_extract(value, '$.session_id'), json_extract(value, '$.seq') FROM json_each(?1))
  AND EXISTS (SELECT 1 FROM hook_events AS stored WHERE stored.tenant = hook_dead_letters.tenant
    AND stored.session_id = hook_dead_letters.session_id AND stored.seq = hook_dead_letters.seq)`

const REASON = "It could not be stored, and the queue gave up after the last retry."
/** The queue retries a hundred times, so that D1 may be unavailable for hours. */
const RETRY_SECONDS = 600

/** True for the queue of dead letters, whatever the prefix of its name. */
export const isDeadLetterQueue = (queue: string): boolean => queue.endsWith("-dead")

/** Never fails: messages that could not be stored are retried. */
export const consumeDeadLetters = Effect.fn("store.consumeDeadLetters")(function* (
  batch: MessageBatch,
  env: { readonly DB: D1Database },
  now: number,
): Effect.fn.Return<void> {
  const { read, unstored } = yield* storeBatch(batch, (events) => storeDeadLetters(env.DB, events, now))
  for (const { message } of unstored) message.retry({ delaySeconds: RETRY_SECONDS })
  if (read.length === 0) return
  yield* Effect.logWarning(unstored.length === 0 ? "hook events were given up" : "dead letters could not be stored", {
    queue: batch.queue,
    messages: read.length,
    unstored: unstored.length,
  })
})

/** Writes the rows of dead letters; each that is a stored event is removed. */
const storeDeadLetters = (
  db: D1Database,
  events: ReadonlyArray<HookMessage>,
  now: number,
): Effect.Effect<void, StoreError> => {
  const rows = events.map(({ redelivery: _, ...body }) => ({
    ...body,
    died_at: now,
    reason: REASON,
    redelivered_at: null,
    input: cutJson(body.input, body.seq),
    outcome: cutJson(body.outcome, body.seq),
  }))
  const keys = events.map(({ tenant, session_id, seq }) => ({ tenant, session_id, seq }))
  return writeRows(db, "consumeDeadLetters", [
    { sql: DEAD_SQL, rows },
    { sql: STORED_SQL, rows: keys },
  ])
}

/** Sends a dead letter to the queue again. What was cut from it stays cut, as in the row of a stored event. */
export const redeliver = (
  queue: Queue,
  tenant: string,
  { id, session_id, seq, hook_event_name, at, input, outcome }: DeadHookEvent,
): Effect.Effect<void, StoreError> => {
  const body: HookMessage = {
    id,
    tenant,
    session_id,
    seq,
    hook_event_name,
    at: Date.parse(at),
    input,
    outcome,
    redelivery: true,
  }
  return Effect.asVoid(attempt("redeliver", () => queue.send(body, { contentType: "json" }), "queue"))
}
