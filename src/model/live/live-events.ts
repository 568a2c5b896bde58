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
  const answer = new ReadAnswer(body, requestId, call, secrets)
  const read = Effect.matchEffect(Effect.tryPromise({ try: () => body.read(), catch: (error) => error }), {
    onSuccess: (chunk) => Effect.sync(() => answer.feed(chunk)),
    onFailure: () => Effect.sync(() => answer.breakOff()),
  })
  const next: OpenedStream["next"] = Effect.suspend(() => {
    if (answer.isSplit) {
      answer.isSplit = false
      return Effect.flatMap(afterSends, () => next)
    }
    const events = answer.take()
    if (events.length > 0) return Effect.succeed(events)
    if (answer.failure !== null) return Effect.fail(answer.failure)
    return answer.ended ? Effect.succeed(null) : Effect.flatMap(read, () => next)
  })
  return { next, breaks: () => answer.failure !== null }
}

/** What was read of an answer: the events that were not taken yet, and how it ended. */
class ReadAnswer {
  failure: ModelError | null = null
  ended = false
  /** The last events that were taken end with the first text; the rest of their chunk follows. */
  isSplit = false
  readonly #body: ReadableStreamDefaultReader<Uint8Array>
  readonly #at: FailedAt
  readonly #call: LiveCall
  readonly #secrets: ReadonlyArray<string>
  readonly #decoder = idleDecoders.pop() ?? new TextDecoder()
  readonly #parser = makeParser((event) => this.#parsed(event))
  #batch: Array<RawStreamEvent> = []
  #size = 0
  #blocks = 0
  #hasContent = false
  #isOpen = false
  #hasBegun = false
  #hasReason = false
  #hasText = false

  constructor(
    body: ReadableStreamDefaultReader<Uint8Array>,
    requestId: string | null,
    call: LiveCall,
    secrets: ReadonlyArray<string>,
  ) {
    this.#body = body
    this.#at = { requestId, midStream: true }
    this.#call = call
    this.#secrets = secrets
  }

  feed(chunk: ReadableStreamReadResult<Uint8Array>): void {
    const before = this.#batch.length
    this.#size += chunk.value?.byteLength ?? 0
    const text = chunk.done ? this.#decoder.decode() : this.#decoder.decode(chunk.value, { stream: true })
    const overflow = this.#parser.feed(text)
    // A chunk with nothing but pings does not extend the deadline.
    if (this.#batch.length > before) this.#call.progressed()
    if (this.ended) {
      this.#decoder.decode()
      if (idleDecoders.length < MAX_IDLE) idleDecoders.push(this.#decoder)
      return chunk.done ? this.#call.ended() : this.#call.drain(this.#body)
    }
    if (overflow !== undefined) this.failure ??= lost("An event of the model's answer was too large.", this.#at)
    if (this.#size > ANSWER_BYTES) this.failure ??= tooLarge(this.#at)
    if (!chunk.done) return
    const hasContent = this.#hasContent || this.#isOpen
    this.failure ??= brokenOff({ hasBlocks: this.#blocks > 0, hasContent }, this.#at.requestId)
  }

  /** Call it when the connection was lost. */
  breakOff(): void {
    this.failure ??= timedOut(this.#call, this.#at) ?? lost("The connection to the model was lost.", this.#at)
  }

  take(): ReadonlyArray<RawStreamEvent> {
    const events = this.#batch
    const end = this.#hasText ? 0 : events.findIndex(isText) + 1
    if (end > 0) this.#hasText = true
    this.isSplit = end > 0 && end < events.length
    this.#batch = this.isSplit ? events.slice(end) : []
    return this.isSplit ? events.slice(0, end) : events
  }

  #parsed(event: AnyEvent): void {
    if (event._tag !== "Event" || this.failure !== null || this.ended || event.event === "ping") return
    const parsed = parse(event.data)
    if (parsed === null) {
      // As the official SDK: data without the name of an event, such as `[DONE]`, is not the API's own.
      if (event.event === "message") return
      this.failure = unreadable("The model's answer contained something that is not an event.", this.#at.requestId)
    } else if (event.event === "error" || parsed.type === "error") {
      this.failure = streamError(parsed, this.#at.requestId, this.#secrets)
    } else if (parsed.type !== "ping") this.#add(parsed)
  }

  #add(event: RawStreamEvent): void {
    const { type } = event
    this.#hasBegun ||= type === "message_start"
    this.#hasReason ||= isPlainObject(event["delta"]) && typeof event["delta"]["stop_reason"] === "string"
    const isEmpty = type === "message_stop" && this.#blocks === 0 && !this.#hasReason
    // As the official SDK: a server whose answers lack their beginning, or are empty, can't stream.
    if (isEmpty || (type === "content_block_start" && !this.#hasBegun)) {
      this.failure = unreadable(NEVER_STARTED, this.#at.requestId)
      return
    }
    this.ended = type === "message_stop"
    if (type === "content_block_start") this.#blocks += 1
    if (this.#blocks > ANSWER_BLOCKS) {
      this.failure = lost("The model's answer had too many blocks.", this.#at)
      return
    }
    this.#hasContent ||= type === "content_block_start" && !beginsThinking(event)
    if (type.startsWith("content_block")) this.#isOpen = type !== "content_block_stop"
    this.#batch.push(event)
  }
}

const NEVER_STARTED = "The model's answer ended before it started."

/**
 * The error for a stream that ended too early. As the official SDK: before the first block, the request is sent again without
 * streaming, since such a server can't stream; after complete thinking, it is sent again as it was.
 */
const brokenOff = (
  { hasBlocks, hasContent }: { readonly hasBlocks: boolean; readonly hasContent: boolean },
  requestId: string | null,
): ModelError => {
  if (hasContent) return lost("The model's answer was interrupted.", { requestId, midStream: true })
  return hasBlocks ? thoughtOnly(requestId) : unreadable(NEVER_STARTED, requestId)
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
