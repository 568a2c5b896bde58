// Receives the blocks of one conversation's answers, as they stream and as they are logged; returns the AG-UI events for them.
// Invariant: all that is sent of a block adds up to the block as it is logged, however much of it was streamed before; a block
// that is never logged is closed, and does not count in the numbers of blocks.
import type { AgUiEvent } from "./ag-ui-event.ts"

type Json = Readonly<Record<string, unknown>>

interface Streamed {
  readonly id: string
  readonly kind: "text" | "reasoning"
  /** The text that has been sent; null before the first piece. */
  sent: string | null
  /** The text received since its answer started or restarted. */
  received: string
}

export class AnswerBlocks {
  #message = ""
  /** How many blocks of the message are logged. */
  #logged = 0
  /** Stream index of the first block that has not ended. It differs from `#logged`: blank blocks are never logged. */
  #next = 0
  /** Id of the AG-UI message that will be the parent of the next tool call. */
  #parentMessageId = ""
  readonly #streamed = new Map<number, Streamed>()

  /** Returns the events for a `stream_event`. */
  stream(event: Json): ReadonlyArray<AgUiEvent> {
    const index = Number(event["index"])
    switch (event["type"]) {
      case "message_start":
        return this.#begin(String(fieldsOf(event["message"])["id"]))
      case "content_block_start": {
        const { type } = fieldsOf(event["content_block"])
        const isNew = index >= this.#next && !this.#streamed.has(index)
        if (isNew && (type === "text" || type === "thinking")) {
          const kind = type === "text" ? "text" : "reasoning"
          this.#streamed.set(index, { id: this.#idOf(this.#logged), kind, sent: null, received: "" })
        }
        return []
      }
      case "content_block_stop": {
        // A block is logged before its `content_block_stop`, so a remaining one is never logged.
        const left = this.#streamed.get(index)
        this.#streamed.delete(index)
        this.#next = Math.max(this.#next, index + 1)
        return left === undefined ? [] : endOf(left)
      }
      case "content_block_delta": {
        const block = this.#streamed.get(index)
        const { text, thinking } = fieldsOf(event["delta"])
        const piece = typeof text === "string" ? text : thinking
        if (block === undefined || typeof piece !== "string") return []
        block.received += piece
        // A blank text is never logged.
        const isSeen = block.kind === "reasoning" || /\S/.test(block.received)
        return isSeen && block.received.startsWith(block.sent ?? "") ? pieceOf(block, block.received) : []
      }
      default:
        return []
    }
  }

  /** Returns the events for the blocks of a logged `assistant` message, after those of the streamed start. */
  log(message: string, content: ReadonlyArray<Json>): ReadonlyArray<AgUiEvent> {
    const events = message === this.#message ? [] : this.#begin(message)
    return [...events, ...content.flatMap((block) => this.#whole(block))]
  }

  /** Closes blocks that have started and are not logged, because no event of the log will close them soon. */
  close(): ReadonlyArray<AgUiEvent> {
    const events = [...this.#streamed.values()].flatMap(endOf)
    this.#streamed.clear()
    return events
  }

  /** When a message restarts, its text is received again from the start; what was sent of it is not sent twice. */
  #begin(message: string): ReadonlyArray<AgUiEvent> {
    if (message === this.#message) {
      for (const block of this.#streamed.values()) block.received = ""
      return []
    }
    const events = this.close()
    this.#message = message
    this.#parentMessageId = message
    this.#logged = 0
    this.#next = 0
    return events
  }

  #idOf(place: number): string {
    return `${this.#message}:${place}`
  }

  /** The streaming block, if the logged block has the same type. */
  #ofType(type: unknown): readonly [number, Streamed] | undefined {
    const [open] = this.#streamed
    if (open === undefined || type === "tool_use") return undefined
    return (open[1].kind === "text") === (type === "text") ? open : undefined
  }

  #whole(block: Json): ReadonlyArray<AgUiEvent> {
    const id = this.#idOf(this.#logged++)
    const [index = this.#next, known] = this.#ofType(block["type"]) ?? []
    this.#streamed.delete(index)
    this.#next = index + 1
    const held = (kind: Streamed["kind"]): Streamed => known ?? { id, kind, sent: null, received: "" }
    switch (block["type"]) {
      case "text": {
        const text = String(block["text"])
        if (text === "" && known?.sent == null) return []
        this.#parentMessageId = id
        const streamed = held("text")
        return [...pieceOf(streamed, text), ...endOf(streamed)]
      }
      case "thinking": {
        const streamed = held("reasoning")
        const begun = pieceOf(streamed, String(block["thinking"]))
        return [
          ...(streamed.sent === null ? startOf(streamed) : begun),
          ...endOf(streamed),
          ...sealed(id, block["signature"]),
        ]
      }
      case "redacted_thinking": {
        const streamed = held("reasoning")
        return [...startOf(streamed), ...endOf(streamed), ...sealed(id, block["data"])]
      }
      case "tool_use": {
        const toolCallId = String(block["id"])
        return [
          {
            type: "TOOL_CALL_START",
            toolCallId,
            toolCallName: String(block["name"]),
            parentMessageId: this.#parentMessageId,
          },
          { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(block["input"] ?? {}) },
          { type: "TOOL_CALL_END", toolCallId },
        ]
      }
      default:
        return []
    }
  }
}

const fieldsOf = (value: unknown): Json => Object(value) as Json // for a value that is no object: an object without fields

/** The events that extend what was sent of a block to `text`; none when `text` does not continue it. */
const pieceOf = (block: Streamed, text: string): ReadonlyArray<AgUiEvent> => {
  const before = block.sent ?? ""
  const delta = text.startsWith(before) ? text.slice(before.length) : ""
  if (delta === "") return []
  const start = block.sent === null ? startOf(block) : []
  block.sent = before + delta
  const type = block.kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT"
  return [...start, { type, messageId: block.id, delta }]
}

const startOf = (block: Streamed): ReadonlyArray<AgUiEvent> => {
  const { id: messageId, kind } = block
  block.sent ??= ""
  if (kind === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }]
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ]
}

const endOf = ({ id: messageId, kind, sent }: Streamed): ReadonlyArray<AgUiEvent> => {
  if (sent === null) return []
  if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }]
  return [
    { type: "REASONING_MESSAGE_END", messageId },
    { type: "REASONING_END", messageId },
  ]
}

/** The encrypted part of the model's thinking, which only the provider can read. */
const sealed = (entityId: string, value: unknown): ReadonlyArray<AgUiEvent> =>
  typeof value !== "string" || value === ""
    ? []
    : [{ type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId, encryptedValue: value }]
