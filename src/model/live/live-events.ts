// Receives the body of a streamed answer; returns its events as the API sent them, those of one network chunk together.
// Invariant: the events end at `message_stop`, or with a ModelError after all earlier events; no answer is read forever.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type AnyEvent, makeParser } from "effect/encoding/Sse"
import { parsePiece } from "../../schemas/bounded-json.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { LiveCall } from "./live-call.ts"
import { type FailedAt, lost, streamError, thoughtOnly, timedOut, unreadable } from "./live-errors.ts"
import type { ModelError, OpenedStream, RawStreamEvent } from "../messages-api.ts"

/** The largest streamed answer that is read, in bytes: many times the size of a model's longest answer. */
const ANSWER_BYTES = 64 * 1024 * 1024

/** The most content blocks of an answer, since each is a row of the log. A model's longest answer has far fewer. */
const ANSWER_BLOCKS = 10_000

export const tooLarge = (at: FailedAt): ModelError => lost("The model's answer was too large.", at)

/** Idle decoders for reuse: making a new one costs more than decoding an answer. */
const idleDecoders: Array<InstanceType<typeof TextDecoder>> = []
const MAX_IDLE = 16

/**
 * Pulls the events of each chunk. Pings, which only keep the connection open, are left out as in the SDK. A chunk is split
 * after the first text of the answer, so that clients get it before the rest, which may end the turn, is processed.
 */
export const pullEvents = (
  body: ReadableStreamDefaultReader<Uint8Array>,
  requestId: string | null,
  call: LiveCall,
  secrets: ReadonlyArray<string> = [],
): Pick<OpenedStream, "next" | "breaks"> => {
  const at = { requestId, midStream: true }
  let batch: Array<RawStreamEvent> = []
  let failure: ModelError | null = null
  let ended = false
  let size = 0
  let blocks = 0
  let hasContent = false
  let isOpen = false
  const decoder = idleDecoders.pop() ?? new TextDecoder()
  const parser = makeParser((event: AnyEvent) => {
    if (event._tag !== "Event" || failure !== null || ended || event.event === "ping") return
    const parsed = parse(event.data)
    if (parsed === null) {
      failure = unreadable("The model's answer contained something that is not an event.", requestId)
    } else if (event.event === "error" || parsed.type === "error") {
      failure = streamError(parsed, requestId, secrets)
    } else if (parsed.type !== "ping") {
      ended = parsed.type === "message_stop"
      if (parsed.type === "content_block_start") blocks += 1
      if (blocks > ANSWER_BLOCKS) {
        failure = lost("The model's answer had too many blocks.", at)
        return
      }
      hasContent ||= parsed.type === "content_block_start" && !beginsThinking(parsed)
      if (parsed.type.startsWith("content_block")) isOpen = parsed.type !== "content_block_stop"
      batch.push(parsed)
    }
  })
  const feed = (chunk: Awaited<ReturnType<typeof body.read>>): void => {
    const before = batch.length
    size += chunk.value?.byteLength ?? 0
    const overflow = parser.feed(chunk.done ? decoder.decode() : decoder.decode(chunk.value, { stream: true }))
    // A chunk with nothing but pings does not extend the deadline.
    if (batch.length > before) call.progressed()
    if (ended) {
      decoder.decode()
      if (idleDecoders.length < MAX_IDLE) idleDecoders.push(decoder)
      return chunk.done ? call.ended() : call.drain(body)
    }
    if (overflow !== undefined) failure ??= lost("An event of the model's answer was too large.", at)
    if (size > ANSWER_BYTES) failure ??= tooLarge(at)
    if (chunk.done) failure ??= brokenOff({ hasBlocks: blocks > 0, hasContent: hasContent || isOpen }, requestId)
  }
  const broken = (): void => {
    failure ??= timedOut(call, at) ?? lost("The connection to the model was lost.", at)
  }
  const read = Effect.matchEffect(Effect.tryPromise({ try: () => body.read(), catch: (error) => error }), {
    onSuccess: (chunk) => Effect.sync(() => feed(chunk)),
    onFailure: () => Effect.sync(broken),
  })
  let hasText = false
  let isSplit = false
  const taken = (): ReadonlyArray<RawStreamEvent> => {
    const events = batch
    const end = hasText ? 0 : events.findIndex(isText) + 1
    if (end > 0) hasText = true
    isSplit = end > 0 && end < events.length
    batch = isSplit ? events.slice(end) : []
    return isSplit ? events.slice(0, end) : events
  }
  const next: OpenedStream["next"] = Effect.suspend(() => {
    if (isSplit) {
      isSplit = false
      return Effect.flatMap(afterSends, () => next)
    }
    const events = taken()
    if (events.length > 0) return Effect.succeed(events)
    if (failure !== null) return Effect.fail(failure)
    return ended ? Effect.succeed(null) : Effect.flatMap(read, () => next)
  })
  return { next, breaks: () => failure !== null }
}

/**
 * As the official SDK: a server that ends a stream before the first block can't stream, and is asked without streaming; if
 * the stream ends after complete thinking, the request is sent again.
 */
const brokenOff = (
  { hasBlocks, hasContent }: { readonly hasBlocks: boolean; readonly hasContent: boolean },
  requestId: string | null,
): ModelError => {
  if (hasContent) return lost("The model's answer was interrupted.", { requestId, midStream: true })
  return hasBlocks ? thoughtOnly(requestId) : unreadable("The model's answer ended before it started.", requestId)
}

const beginsThinking = ({ content_block: block }: RawStreamEvent): boolean =>
  isPlainObject(block) && THINKING.has(block["type"])

const THINKING: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"])

const isText = ({ type, delta }: RawStreamEvent): boolean =>
  type === "content_block_delta" && isPlainObject(delta) && delta["type"] === "text_delta"

/** Resolves after the text emitted before it was sent: a timer runs after pending sends, a microtask or a yield before them. */
const afterSends = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))

/** The event: a JSON object with a type, within the bounds of JSON. Null for anything else. */
const parse = (data: string): RawStreamEvent | null => {
  const parsed = parsePiece(data)
  if (Result.isFailure(parsed)) return null
  const value = parsed.success
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return null
  // Checked just above: an object whose `type` is a string.
  return value as RawStreamEvent
}
