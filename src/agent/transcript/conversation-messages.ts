// Receives the entries of a conversation in order: prompts, answers, results. Keeps the last ones as they are, since blocks
// may be added to them, and all before as the JSON that requests send.
// Invariant: what is held is a function of the entries alone, however often and whenever the messages are read.
import { HeldMessages, type HeldIndex } from "../../model/conversation-cache/held-messages.ts"
import { type ApiMessage, type Entry, joined } from "./sent-messages.ts"

/** An entry without what only answers that go on have. */
type SavedEntry = Pick<Entry, "role" | "content" | "id" | "complete">

/** The conversation as it is stored; the pages of what is held go beside it. */
export interface SavedMessages {
  readonly held: HeldIndex
  readonly carried: ReadonlyArray<ApiMessage>
  readonly entries: ReadonlyArray<SavedEntry>
}

/** So many entries are held at once, when that many more are kept: an answer that is given up is among the last two. */
const HELD_AT_ONCE = 4
const KEPT = 4

export class ConversationMessages {
  #held = new HeldMessages()
  /** The message behind the held ones, if there are any: it may still get blocks of the first entry. */
  #carried: ReadonlyArray<ApiMessage> = []
  #entries: Array<Entry> = []

  static of(saved: SavedMessages, pages: ReadonlyArray<Uint8Array>): ConversationMessages {
    const made = new ConversationMessages()
    made.#held = HeldMessages.of(pages, saved.held)
    made.#carried = saved.carried
    made.#entries = saved.entries.map((entry) => ({ ...entry }))
    return made
  }

  save(): SavedMessages {
    const entries = this.#entries.map(({ sent: _, head: __, ...entry }) => entry)
    return { held: this.#held.index, carried: this.#carried, entries }
  }

  /** The messages that are held as JSON. */
  get held(): HeldMessages {
    return this.#held
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  last(): Entry | undefined {
    return this.#entries.at(-1)
  }

  lastAnswer(): Entry | undefined {
    return this.#entries.findLast(({ role }) => role === "assistant")
  }

  withId(id: string): Entry | undefined {
    return this.#entries.findLast((entry) => entry.id === id)
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    if (this.#entries.length >= HELD_AT_ONCE + KEPT) this.#hold()
  }

  remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry)
  }

  /** The entries that change no more become JSON, the last message of them excepted. */
  #hold(): void {
    const open = this.#entries.findIndex(({ complete }) => !complete)
    const count = Math.min(this.#entries.length - KEPT, open < 0 ? Number.POSITIVE_INFINITY : open)
    if (count < HELD_AT_ONCE) return
    const messages = joined(this.#carried, this.#entries.splice(0, count))
    for (const message of messages.slice(0, -1)) this.#held.add(message)
    this.#carried = messages.slice(-1)
  }

  /** What the next request sends. */
  all(): ReadonlyArray<ApiMessage> {
    return [...this.#held.messages, ...joined(this.#carried, this.#entries)] as ReadonlyArray<ApiMessage>
  }
}
