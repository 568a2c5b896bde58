// Receives the messages of a conversation that no longer change, in order; keeps them as the JSON that requests send.
// Invariant: a message is serialized once, and there is no other copy of it. Media marks are in their stored form, so that
// the bytes can be stored unchanged and read by another process.
import { fromStoredText, hasMarks, toStoredText } from "../../schemas/log/media-mark.ts"
import { withoutBreakpoints } from "../request/cache-breakpoint.ts"
import { numberedFrom } from "../request/image-numbers.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { BytePages } from "./byte-pages.ts"
import { HeldMessage, heldMessage, type HeldJson } from "./held-message.ts"
import { modelOf } from "./model-of-message.ts"
import type { Immutable, ImmutableMessage } from "./immutable-message.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * What is stored about the messages in addition to their bytes. `kinds` has one character per message: ANSWER, or any other
 * for a message of the user. `models` has the model of each answer from a message's index on; in rows of earlier versions it
 * is missing.
 */
export interface HeldIndex {
  readonly kinds: string
  readonly lengths: ReadonlyArray<number>
  readonly images: number
  readonly marked: boolean
  readonly models?: ReadonlyArray<readonly [index: number, model: string]>
}

const ANSWER = "a"
const OTHER = "o"

export class HeldMessages implements HeldJson {
  #bytes = new BytePages()
  readonly #messages: Array<Immutable<HeldMessage>> = []
  marked = false
  images = 0
  readonly #models: Array<readonly [index: number, model: string]> = []

  /** Restores the messages from their `pages` and `index`. */
  static of(pages: ReadonlyArray<Uint8Array>, index: HeldIndex): HeldMessages {
    const made = new HeldMessages()
    made.#bytes = BytePages.of(pages)
    made.marked = index.marked
    made.images = index.images
    let from = 0
    const models = new Map(index.models)
    for (const [place, length] of index.lengths.entries()) {
      made.#answeredBy(models.get(place))
      made.#place(index.kinds[place] ?? OTHER, from, length)
      from += length + 1
    }
    return made
  }

  get messages(): ReadonlyArray<Immutable<HeldMessage>> {
    return this.#messages
  }

  /** Bytes of memory that the messages take. */
  get size(): number {
    return this.#bytes.size
  }

  get length(): number {
    return this.#bytes.length
  }

  pages(first = 0): ReadonlyArray<Uint8Array> {
    return this.#bytes.pages(first)
  }

  get index(): HeldIndex {
    const kinds = this.#messages.map(kindOf).join("")
    const lengths = this.#messages.map(({ from, to }) => to - from)
    return { kinds, lengths, images: this.images, marked: this.marked, models: this.#models }
  }

  /** Appends the next message. */
  add(message: ImmutableMessage): void {
    const { message: numbered, images } = numberedFrom(message, this.images)
    const sent = withoutBreakpoints(numbered)
    const json = JSON.stringify(sent)
    const marked = hasMarks(json)
    const bytes = encoder.encode(`${marked ? toStoredText(json) : json},`)
    this.marked ||= marked
    this.images = images
    this.#answeredBy(modelOf(message))
    this.#place(message.role === "assistant" ? ANSWER : OTHER, this.#bytes.length, bytes.length - 1)
    this.#bytes.add(bytes)
  }

  /** Notes the model of the next message, if it is another one than that of the answers before. */
  #answeredBy(model: string | undefined): void {
    if (model !== undefined && this.#models.at(-1)?.[1] !== model) this.#models.push([this.#messages.length, model])
  }

  #place(kind: string, from: number, length: number): void {
    const role = kind === ANSWER ? "assistant" : "user"
    const model = role === "assistant" ? this.#models.at(-1)?.[1] : undefined
    this.#messages.push(heldMessage(new HeldMessage(this, role, model, from, from + length)))
  }

  bytesAt(from: number, to: number): ReadonlyArray<Uint8Array> {
    return this.#bytes.between(from, to)
  }

  contentAt(from: number, to: number): ReadonlyArray<Block> {
    const text = decoder.decode(Buffer.concat(this.bytesAt(from, to)))
    // The JSON of a message that was written here.
    const { content } = JSON.parse(this.marked ? fromStoredText(text) : text) as { content: ReadonlyArray<Block> }
    return content
  }
}

const kindOf = ({ role }: HeldMessage): string => (role === "assistant" ? ANSWER : OTHER)
