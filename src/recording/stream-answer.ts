// Receives the events of a streamed answer; collects them in the form that a recording stores, with deltas joined.
// Invariant: a decoder makes the same blocks, in the same order, from the collected events as from the original ones.
import { ownValue } from "../schemas/own-value.ts"
import type { RawStreamEvent } from "../model/messages-api.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

/** Deltas whose consecutive texts are joined, with the field of the text. */
const TEXTS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
}

interface OpenDelta {
  readonly index: unknown
  readonly type: string
  readonly event: {
    readonly type: "content_block_delta"
    readonly index: unknown
    readonly delta: Record<string, string>
  }
}

export class StreamAnswer {
  readonly #events: Array<RawStreamEvent> = []
  #delta: OpenDelta | null = null
  #isWhole = false
  /** The number of events before the last network chunk. */
  #before = 0

  /** True once the answer is complete: its stop reason and usage have come. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  get events(): ReadonlyArray<RawStreamEvent> {
    return this.#events
  }

  /** How many events came with the last network chunk. */
  get last(): number {
    return this.#events.length - this.#before
  }

  take(events: ReadonlyArray<RawStreamEvent>): void {
    this.#before = this.#events.length
    for (const event of events) this.#take(event)
  }

  #take(event: RawStreamEvent): void {
    if (event.type === "ping") return
    const { delta } = event
    if (event.type === "message_delta" && isPlainObject(delta) && typeof delta["stop_reason"] === "string")
      this.#isWhole = true
    const type = event.type === "content_block_delta" && isPlainObject(delta) ? delta["type"] : undefined
    const field = typeof type === "string" ? ownValue(TEXTS, type) : undefined
    const text = field !== undefined && isPlainObject(delta) ? delta[field] : undefined
    if (typeof type !== "string" || field === undefined || typeof text !== "string") {
      this.#delta = null
      this.#events.push(event)
      return
    }
    const open = this.#delta
    if (open !== null && open.type === type && open.index === event["index"]) {
      open.event.delta[field] = (open.event.delta[field] ?? "") + text
      return
    }
    const begun: OpenDelta["event"] = {
      type: "content_block_delta",
      index: event["index"],
      delta: { type, [field]: text },
    }
    this.#delta = { index: event["index"], type, event: begun }
    this.#events.push(begun)
  }
}

/**
 * The events in the batches in which they are played: all in one, unless the stream broke. Then `broken`, the number of
 * events in its last network chunk, are one batch, and each event before them is its own.
 */
export const batchesOf = (
  events: ReadonlyArray<RawStreamEvent>,
  broken: number | null,
): ReadonlyArray<ReadonlyArray<RawStreamEvent>> => {
  if (broken === null) return events.length === 0 ? [] : [events]
  const cut = Math.max(0, events.length - broken)
  const last = events.slice(cut)
  return [...events.slice(0, cut).map((event) => [event]), ...(last.length === 0 ? [] : [last])]
}
