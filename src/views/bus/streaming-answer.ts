// Receives the stream events of the main thread's answers; returns the bus events of opencode for them before they are in the log:
// the message, its parts when they start, and the deltas of the parts.
// Invariant: everything here is provisional. Its ids are those that the log will have; the event that stores a block replaces what
// was sent of it, and what never gets into the log is removed again.
import type { RawBlockEvent } from "./stream-event.ts"
import type { AnswerToCome } from "../parts/answer-parts.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { isToolResult, partOfStartedBlock } from "../parts/part-of-block.ts"
import type { PartsProjection } from "../parts/parts.ts"
import type { BusEvent } from "./bus-event.ts"

/** A block that is streaming. */
interface OpenBlock {
  readonly block: Block
  /** Its index among the stored blocks of the answer. */
  readonly nth: number
  /** Whether its part has been sent. */
  isShown: boolean
  /** Text that has not been sent because it is only white space so far. */
  blankText: string
}

/** A stream event of an answer, with its turn, uuid and time. */
export interface StreamedPiece {
  readonly turn: string
  readonly at: number
  readonly uuid: string
  readonly event: RawBlockEvent
}

interface Streaming {
  readonly turn: string
  readonly piece: Parameters<PartsProjection["answerToCome"]>[1]
  readonly messageID: string
  isStored: boolean
  /** The index of the next block. */
  next: number
  readonly open: Map<number, OpenBlock>
  /** Ids of the parts that were sent and are not stored yet, by the index of their block. */
  readonly shown: Map<number, string>
}

export class StreamingAnswer {
  readonly #sessionID: string
  readonly #projection: PartsProjection
  #now: Streaming | null = null

  constructor(sessionID: string, projection: PartsProjection) {
    this.#sessionID = sessionID
    this.#projection = projection
  }

  take({ turn, at, uuid, event }: StreamedPiece): ReadonlyArray<BusEvent> {
    if (event.type === "message_start") return this.#start(turn, { at, uuid, ...event.message })
    const now = this.#now
    if (now === null || now.turn !== turn) return []
    switch (event.type) {
      case "content_block_start":
        return this.#begin(now, event.index, event.content_block, at)
      case "content_block_delta":
        return this.#add(now, event.index, event.delta, at)
      case "content_block_stop":
        return this.#end(now, event.index)
      default:
        return []
    }
  }

  /** Call it after a piece of an answer was stored. */
  stored(): void {
    const now = this.#now
    const known = now === null ? undefined : this.#known(now)
    if (now === null || known === undefined) return
    now.isStored ||= known.opened === null
    for (const nth of now.shown.keys()) if (nth < known.stored) now.shown.delete(nth)
  }

  /** Call it when the log contains the end of the answer: that event determines what has to be removed. */
  finished(): void {
    this.#now = null
  }

  /** Ends the answer that was streaming: returns the events that remove what is not in the log. */
  drop(): ReadonlyArray<BusEvent> {
    const now = this.#now
    this.#now = null
    if (now === null) return []
    const ids = { sessionID: this.#sessionID, messageID: now.messageID }
    if (!now.isStored) return [{ type: "message.removed", properties: ids }]
    return [...now.shown.values()].map((partID) => ({ type: "message.part.removed", properties: { ...ids, partID } }))
  }

  #start(turn: string, piece: Streaming["piece"]): ReadonlyArray<BusEvent> {
    // An answer that is sent again starts over, so that a client that joins or reconnects later gets it from the start.
    const dropped = this.drop()
    const known = this.#projection.answerToCome(turn, piece)
    if (known === undefined) return dropped
    const { messageID, opened, stored } = known
    const isStored = opened === null
    this.#now = { turn, piece, messageID, isStored, next: stored, open: new Map(), shown: new Map() }
    if (opened === null) return dropped
    const { sessionID } = opened.info
    return [
      ...dropped,
      { type: "message.updated", properties: { sessionID, info: opened.info } },
      { type: "message.part.updated", properties: { sessionID, part: opened.step, time: piece.at } },
    ]
  }

  #known({ turn, piece }: Streaming): AnswerToCome | undefined {
    return this.#projection.answerToCome(turn, piece)
  }

  #begin(now: Streaming, index: number, block: Block, at: number): ReadonlyArray<BusEvent> {
    const nth = Math.max(now.next, this.#known(now)?.stored ?? 0) + now.open.size
    const open: OpenBlock = { block, nth, isShown: false, blankText: "" }
    now.open.set(index, open)
    // A text is shown from its first character that is not white space on: a blank text is never stored.
    return block.type === "text" ? this.#addText(now, open, String(block["text"] ?? ""), at) : this.#show(now, open, at)
  }

  #show(now: Streaming, open: OpenBlock, at: number): ReadonlyArray<BusEvent> {
    const base = this.#known(now)?.base(open.nth)
    const part = base === undefined || isToolResult(open.block) ? null : partOfStartedBlock(open.block, base, at)
    if (part === null) return []
    open.isShown = true
    now.shown.set(open.nth, part.id)
    return [{ type: "message.part.updated", properties: { sessionID: this.#sessionID, part, time: at } }]
  }

  #add(now: Streaming, index: number, delta: Readonly<Record<string, unknown>>, at: number): ReadonlyArray<BusEvent> {
    const open = now.open.get(index)
    if (open === undefined) return []
    if (delta["type"] === "text_delta") return this.#addText(now, open, String(delta["text"] ?? ""), at)
    if (delta["type"] === "thinking_delta") return this.#delta(now, open, "text", String(delta["thinking"] ?? ""))
    if (delta["type"] === "input_json_delta")
      return this.#delta(now, open, "state.raw", String(delta["partial_json"] ?? ""))
    return []
  }

  #addText(now: Streaming, open: OpenBlock, text: string, at: number): ReadonlyArray<BusEvent> {
    if (open.isShown) return this.#delta(now, open, "text", text)
    open.blankText += text
    return open.blankText.trim() === ""
      ? []
      : [...this.#show(now, open, at), ...this.#delta(now, open, "text", open.blankText)]
  }

  #delta(now: Streaming, open: OpenBlock, field: "text" | "state.raw", delta: string): ReadonlyArray<BusEvent> {
    const partID = now.shown.get(open.nth)
    if (partID === undefined || delta === "") return []
    const { messageID } = now
    return [{ type: "message.part.delta", properties: { sessionID: this.#sessionID, messageID, partID, field, delta } }]
  }

  #end(now: Streaming, index: number): ReadonlyArray<BusEvent> {
    const open = now.open.get(index)
    now.open.delete(index)
    if (open !== undefined && (open.block.type !== "text" || open.isShown)) now.next = Math.max(now.next, open.nth + 1)
    return []
  }
}
