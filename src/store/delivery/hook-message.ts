// Receives the log's `hook:fired` and `bridge:called` events; packs them into messages of the Queue, several into one,
// because a message costs the Queue and its consumer more than its content.
// Invariant: messages are a pure function of the events; an event that is sent twice is recognised by its seq.
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { HookFired } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { hasMarks, wholeBytes } from "../../schemas/log/media-mark.ts"
import { attempt, type StoreError } from "../store-error.ts"

const Json = Schema.Record(Schema.String, Schema.Unknown)

/**
 * One hook event as the Queue carries it. `at` is milliseconds since 1970. An input or outcome too large for the Queue is
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
  /** The event was a dead letter, which is removed once the event is stored. */
  redelivery: Schema.optionalKey(Schema.Literal(true)),
})
export type HookMessage = typeof HookMessage.Type

/** A message of the Queue: hook events of one session, in their order. */
export interface HookPack {
  readonly events: ReadonlyArray<HookMessage>
}

/** A message may have 128 KB: these are the shares of input and outcome, and the rest is room for the other fields. */
const MAX_INPUT_BYTES = 64_000
const MAX_OUTCOME_BYTES = 32_000
const MAX_PACK_EVENTS = 100
const MAX_PACK_BYTES = 110_000
/** A call of `sendBatch` may have 256 KB. */
const PACKS_PER_CALL = 2

/** The events that go to the Queue: hook events, and calls of the coordination tools, by which a routed run talks to its app. */
export const QUEUED = [EventNames.hookFired, EventNames.bridgeCalled] as const

/** One hook message for each of the `QUEUED` events among `events`. */
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

/** The `hook_event_name` of a coordination tool's call is its event's name; like a hook's, its input names session and event. */
const firedIn = (event: LogEvent, sessionId: string): Omit<HookFired, "schema_fingerprint"> | null => {
  if (event.name === EventNames.hookFired) return event.payload
  if (event.name !== EventNames.bridgeCalled) return null
  const { name, uuid, turn, payload } = event
  const input = { session_id: sessionId, hook_event_name: name, turn_id: turn, ...payload }
  return { id: uuid, hook_event_name: name, input, outcome: {} }
}

/** The body, or a reference if it is longer than `maxBytes` or has media: the session's event of that seq has the whole. */
export const orReference = (
  body: Readonly<Record<string, unknown>>,
  maxBytes: number,
  seq: number,
): Readonly<Record<string, unknown>> => {
  const json = JSON.stringify(body)
  const marked = hasMarks(json)
  if (json.length * 3 <= maxBytes && !marked) return body
  const bytes = wholeBytes(json)
  // Media alone exceeds the size of a message, and its marks mean nothing outside the session.
  return bytes <= maxBytes && !marked ? body : { truncated: true, bytes, event_seq: seq }
}

const decodeEvent = Schema.decodeUnknownExit(HookMessage)

/** The hook events of a message's body, each decoded by itself. A body without `events` is one event. */
export const eventsOfPack = (body: unknown): ReadonlyArray<Exit.Exit<HookMessage, Schema.SchemaError>> => {
  const events = typeof body === "object" && body !== null && "events" in body ? body.events : [body]
  return Array.isArray(events) ? events.map((event) => decodeEvent(event)) : []
}

/** Packs events, in order, into messages of at most 100 events and 110 kB (a larger event gets one of its own). */
export const hookPacks = (events: ReadonlyArray<HookMessage>): ReadonlyArray<HookPack> => {
  const packs: Array<Array<HookMessage>> = []
  let bytes = 0
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event))
    const last = packs.at(-1)
    if (last === undefined || last.length >= MAX_PACK_EVENTS || bytes + size > MAX_PACK_BYTES) {
      packs.push([event])
      bytes = size
    } else {
      last.push(event)
      bytes += size
    }
  }
  return packs.map((list) => ({ events: list }))
}

/** Sends the events in order. After a failure all may be sent again: the consumer then receives some of them twice. */
export const sendToQueue = Effect.fn("store.sendToQueue")(function* (
  queue: Queue,
  events: ReadonlyArray<HookMessage>,
): Effect.fn.Return<void, StoreError> {
  const packs = hookPacks(events)
  for (let from = 0; from < packs.length; from += PACKS_PER_CALL) {
    const messages = packs.slice(from, from + PACKS_PER_CALL).map((body) => ({ body, contentType: "json" as const }))
    yield* attempt("queue", () => queue.sendBatch(messages), "queue")
  }
})
