// Receives the messages of a request; returns their JSON, of which only what is new is written.
// Invariant: what was written before, and is the same object, is not written again: a step costs what it adds, not what
// the session holds.
import { hasMarks } from "../../schemas/log/media-mark.ts"
import type { ImmutableMessage } from "./immutable-message.ts"

/** The last messages are other objects in the next request: a result is added to one, the breakpoint moves on. */
const UNSETTLED = 2

/** Room for more, whenever there is none left. */
const GROWTH = 1.5

const encoder = new TextEncoder()

/** Text that grows at its end, as bytes. */
class Bytes {
  #buffer = new Uint8Array(1024)
  #length = 0
  /** True when it contains marks of media. */
  marked = false

  add(text: string): void {
    this.marked ||= hasMarks(text)
    const bytes = encoder.encode(text)
    const needed = this.#length + bytes.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.ceil(needed * GROWTH))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = needed
  }

  get view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }
}

/** How a conversation begins, and the JSON of its first messages with a comma behind each. */
interface Beginning {
  readonly messages: ReadonlyArray<ImmutableMessage>
  readonly json: Bytes
}

export interface WrittenMessages {
  /** The JSON of the first messages, without brackets. */
  readonly begun: Uint8Array
  /** The JSON of the others, which follows it. */
  readonly rest: string
  /** True when `begun` or `rest` contains marks of media. */
  readonly marked: boolean
}

export class MessageWriter {
  /** By the first message of the conversation: kept as long as that message is referenced elsewhere. */
  readonly #beginnings = new WeakMap<ImmutableMessage, Beginning>()

  write(messages: ReadonlyArray<ImmutableMessage>): WrittenMessages {
    const { messages: known, json } = this.#beginning(messages)
    const texts = messages.slice(known.length).map((message) => JSON.stringify(message))
    const { view } = json
    // Behind the last message there is no comma.
    const begun = texts.length > 0 || view.length === 0 ? view : view.subarray(0, -1)
    const rest = texts.join(",")
    return { begun, rest, marked: json.marked || hasMarks(rest) }
  }

  /** What is known of the conversation's beginning, with the messages that have settled since. */
  #beginning(messages: ReadonlyArray<ImmutableMessage>): Beginning {
    const [first] = messages
    if (first === undefined) return { messages: [], json: new Bytes() }
    const known = this.#beginnings.get(first)
    const holds = known?.messages.every((message, index) => message === messages[index]) === true
    const { messages: before, json } = holds ? known : { messages: [], json: new Bytes() }
    const settled = messages.slice(before.length, Math.max(before.length, messages.length - UNSETTLED))
    if (settled.length === 0) return { messages: before, json }
    for (const message of settled) json.add(`${JSON.stringify(message)},`)
    const beginning = { messages: messages.slice(0, before.length + settled.length), json }
    this.#beginnings.set(first, beginning)
    return beginning
  }
}
