// Receives the log's `hook:fired` and `bridge:called` events; returns their messages for the Queue, in batches that it takes.
// Invariant: messages are a pure function of the events; one that is sent twice is recognised by its seq.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HookFired } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { hasMarks, wholeBytes } from "../../schemas/log/media-mark.ts"
import { attempt, type StoreError } from "../store-error.ts"
import { utf8Bytes } from "./cut-json.ts"

const Json = Schema.Record(Schema.String, Schema.Unknown)

/**
 * One hook event on the Queue. `at` is milliseconds since 1970. An input or outcome too large for the Queue is
 * `{truncated: true, bytes, event_seq}`: the session's event of that seq has the whole.
 */
export const HookMessage = Schema.Struct({
  id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  tenant: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  session_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  seq: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  hook_event_name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  at: Schema.Int,
  input: Json,
  outcome: Json,
  /** It was a dead letter: once it is stored, that is removed. */
  redelivery: Schema.optionalKey(Schema.Literal(true)),
})
export type HookMessage = typeof HookMessage.Type

/** A message may have 128 KB: this much input, this much outcome, and room for the names. */
const MAX_INPUT_BYTES = 64_000
const MAX_OUTCOME_BYTES = 32_000
const MAX_BATCH_MESSAGES = 100
const MAX_BATCH_BYTES = 256_000
/** What the Queue counts for a message beside its body. */
const MESSAGE_OVERHEAD_BYTES = 100

/** The events that the Queue carries: hook events, and calls of the tools by which a routed run speaks to its app. */
export const QUEUED = [EventNames.hookFired, EventNames.bridgeCalled] as const

/** One message per event of these among `events`. */
export const queueMessagesOf = (
  tenant: string,
  sessionId: string,
  events: ReadonlyArray<LogEvent>,
): ReadonlyArray<HookMessage> =>
  events.flatMap((event) => {
    const fired = firedIn(event, sessionId)
    if (fired === null) return []
    const message = {
      id: fired.id,
      tenant,
      session_id: sessionId,
      seq: event.seq,
      hook_event_name: fired.hook_event_name,
      at: event.at,
      input: orReference(fired.input, MAX_INPUT_BYTES, event.seq),
      outcome: orReference(fired.outcome, MAX_OUTCOME_BYTES, event.seq),
    }
    return [message]
  })

/** A call of a coordination tool goes by the name of its event; like a hook's, its input names session and event. */
const firedIn = (event: LogEvent, sessionId: string): Omit<HookFired, "schema_fingerprint"> | null => {
  if (event.name === EventNames.hookFired) return event.payload
  if (event.name !== EventNames.bridgeCalled) return null
  const { name, uuid, turn, payload } = event
  const input = { session_id: sessionId, hook_event_name: name, turn_id: turn, ...payload }
  return { id: uuid, hook_event_name: name, input, outcome: {} }
}

/** The body, or for a longer one a reference: the session's event of that seq has the whole. */
export const orReference = (
  body: Readonly<Record<string, unknown>>,
  maxBytes: number,
  seq: number,
): Readonly<Record<string, unknown>> => {
  const json = JSON.stringify(body)
  const marked = hasMarks(json)
  if (json.length * 3 <= maxBytes && !marked) return body
  const bytes = wholeBytes(json)
  // Media alone is more than any message has room for, and its marks mean nothing elsewhere.
  return bytes <= maxBytes && !marked ? body : { truncated: true, bytes, event_seq: seq }
}

/** Splits messages, in order, into batches that one `sendBatch` takes. */
export const queueBatches = (messages: ReadonlyArray<HookMessage>): ReadonlyArray<ReadonlyArray<HookMessage>> => {
  const batches: Array<Array<HookMessage>> = []
  let bytes = 0
  for (const message of messages) {
    const size = utf8Bytes(JSON.stringify(message)) + MESSAGE_OVERHEAD_BYTES
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_BATCH_MESSAGES || bytes + size > MAX_BATCH_BYTES) {
      batches.push([message])
      bytes = size
    } else {
      last.push(message)
      bytes += size
    }
  }
  return batches
}

/** Sends the batches in order. After a failure all may be sent again: who reads the Queue sees some messages twice. */
export const sendToQueue = Effect.fn("store.sendToQueue")(function* (
  queue: Queue,
  batches: ReadonlyArray<ReadonlyArray<HookMessage>>,
): Effect.fn.Return<void, StoreError> {
  for (const batch of batches) {
    yield* attempt(
      "queue",
      () => queue.sendBatch(batch.map((body) => ({ body, contentType: "json" as const }))),
      "queue",
    )
  }
})
