// The answer that streams now, and the events that are made from it.
// Invariant: clients get each stream event unchanged, and each request has one `call:finished`.
import { billedModel, PRICE_VERSION } from "../../model/catalogue/models.ts"
import type { ModelError, RawStreamEvent } from "../../model/messages-api.ts"
import { costOf } from "../../model/catalogue/prices.ts"
import { type AssistantBlock, StreamDecoder } from "../../model/answer/stream-decoder.ts"
import type { CallFinished } from "../../schemas/log/event-payloads.ts"
import { type EphemeralEvent, EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { currentModelOf } from "../fallback.ts"
import { isFirstAnswer, stamp } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import type { TurnEnd } from "./result.ts"
import { repliesTo, systemMessage } from "./sdk-messages.ts"

/** The state of the streaming answer, for an interrupt and for clients that join in the middle. */
export class LiveAnswer {
  decoder = new StreamDecoder()
  requestId: string | null = null
  /** True when clients were sent `status: requesting` for this answer. */
  announced = false
  /** The model that was requested: a client may change the turn's while the answer streams. Null before the first request. */
  model: string | null = null
  startedAt = 0
  /** Estimated thinking tokens so far. */
  thought = 0
  /** True from the first event until the answer's `call:finished` is written. */
  open = false
  /** True if its blocks so far are all blank texts, which are left out; null before the first block. */
  blank: boolean | null = null
  /** Calls that are not started until the answer continues after them or has ended without an error. */
  delayedCalls: Array<AssistantBlock> = []
  /** Set while the turn's Stop hooks run: how the turn ends if it is stopped now. */
  end: TurnEnd | null = null
  /** The error with which the API refused the conversation: as too long, or because of an image or a document in it. */
  refusal: ModelError | null = null
  /** True when an image or a document was removed from the conversation since the last answer. */
  removedMedia = false
}

/** The API's message with empty content: the head of the SDK message for each of its blocks. */
export const headOf = (live: LiveAnswer): Record<string, unknown> => ({ ...live.decoder.message, content: [] })

export const callFinished = (
  turn: Turn,
  live: LiveAnswer,
  end: {
    readonly stopReason: string | null
    readonly stopDetails?: unknown
    readonly usage: Record<string, unknown>
    readonly wasted: boolean
    readonly head?: Readonly<Record<string, unknown>>
    readonly billedUsage?: Record<string, unknown>
    readonly unbilled?: true
    readonly blank?: boolean
  },
): NewEvent<"call:finished"> => {
  const message = end.head ?? live.decoder.message ?? {}
  const model = billedModel(live.model ?? currentModelOf(turn), message["model"])
  const payload: CallFinished = {
    message_id: String(message["id"] ?? ""),
    request_id: live.requestId,
    model,
    stop_reason: end.stopReason,
    ...(end.stopDetails === undefined || end.stopDetails === null ? {} : { stop_details: end.stopDetails }),
    usage: end.usage,
    usd: end.unbilled === true ? 0 : costOf(model, end.billedUsage ?? end.usage),
    price_version: PRICE_VERSION,
    duration_ms: turn.now() - live.startedAt,
    wasted: end.wasted,
    ...(end.billedUsage === undefined ? {} : { billed_usage: end.billedUsage }),
    ...(end.unbilled === true ? { unbilled: true } : {}),
    ...(end.blank === true ? { blank: true } : {}),
  }
  return { name: EventNames.callFinished, payload, turn: turn.id }
}

/** The stream events that close an answer which broke off. */
export const closingEvents = (live: LiveAnswer): Array<RawStreamEvent> => {
  // A call that was cut off is not closed: a client must not mistake it for a complete one.
  const open = live.decoder
    .partial()
    .filter((event) => event.type === "content_block_start" && typeOf(event["content_block"]) !== "tool_use")
  return [...open.map((event) => ({ type: "content_block_stop", index: event["index"] })), { type: "message_stop" }]
}

const typeOf = (block: unknown): unknown =>
  typeof block === "object" && block !== null && "type" in block ? block.type : undefined

/** The count of thinking tokens so far, also for clients that do not subscribe to stream events. */
export const thinkingEvent = (turn: Turn, delta: number, live: LiveAnswer): EphemeralEvent => {
  live.thought += delta
  const last = turn.promptUuids.at(-1)
  const fields = {
    estimated_tokens: live.thought,
    estimated_tokens_delta: delta,
    ...(last === undefined ? {} : { user_message_uuid: last }),
  }
  const { name, payload } = systemMessage(stamp(turn), "thinking_tokens", fields)
  return { name, turn: turn.id, payload }
}

/** A stream event in the form that clients get. */
export const partialEvent = (turn: Turn, event: RawStreamEvent, live: LiveAnswer): EphemeralEvent => ({
  name: "sdk:stream_event",
  turn: turn.id,
  payload: {
    type: "stream_event",
    event,
    session_id: turn.sessionId,
    parent_tool_use_id: null,
    uuid: turn.newUuid(),
    ...(event.type === "message_start"
      ? { ttft_ms: turn.now() - live.startedAt, ...(isFirstAnswer(turn) ? repliesTo(turn.promptUuids) : {}) }
      : {}),
  },
})
