// Receives the entries of a conversation in order: prompts, answers, results. Keeps the last ones as objects, since blocks
// may be added to them, and all earlier ones as the JSON that requests send.
// Invariant: the held JSON is a function of the entries alone, however often and whenever the messages are read.
import { HeldMessages, type HeldIndex } from "../../model/conversation-cache/held-messages.ts"
import { modelOf, writtenBy } from "../../model/conversation-cache/model-of-message.ts"
import { isOwnText } from "./reminders.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { type ApiMessage, type Entry, isBlank, joined } from "./sent-messages.ts"

/** An entry without the fields that only unfinished answers have. */
type SavedEntry = Pick<Entry, "role" | "content" | "id" | "model" | "complete">

/** The conversation in the form in which it is stored; the pages of its held messages are stored separately. */
export interface SavedMessages {
  readonly held: HeldIndex
  readonly carried: ReadonlyArray<ApiMessage>
  readonly carriedModel?: string | undefined
  readonly entries: ReadonlyArray<SavedEntry>
  /** How many blocks of the last entry precede each report of a failed request, if any. A number in rows of earlier versions. */
  readonly reported?: number | ReadonlyArray<number>
}

/** How many entries at least become JSON at a time, and how many last ones stay: a withdrawn answer is among the last two. */
const HELD_AT_ONCE = 4
const KEPT = 4

export class ConversationMessages {
  #held = new HeldMessages()
  /** The message after the held ones, if any: blocks of the first entry may still be joined to it. */
  #carried: ReadonlyArray<ApiMessage> = []
  #entries: Array<Entry> = []
  /** The last message of the user and the number of its blocks, when the last prompt began or the last reminder was added. */
  #before: { readonly entry: Entry | undefined; readonly blocks: number } | null = null

  /** The last message of the user and the numbers of its blocks, when failed requests were reported. */
  #reported: { readonly entry: Entry | undefined; readonly blocks: ReadonlyArray<number> } | null = null

  static of(saved: SavedMessages, pages: ReadonlyArray<Uint8Array>): ConversationMessages {
    const made = new ConversationMessages()
    made.#held = HeldMessages.of(pages, saved.held)
    made.#carried = saved.carried.map((message) => writtenBy(message, saved.carriedModel))
    made.#entries = saved.entries.map((entry) => ({ ...entry }))
    if (saved.reported !== undefined) made.#reported = { entry: made.last(), blocks: [saved.reported].flat() }
    return made
  }

  save(): SavedMessages {
    const entries = this.#entries.map(({ sent: _, head: __, bytes: ___, ...entry }) => entry)
    const [carried] = this.#carried
    const carriedModel = carried && modelOf(carried)
    const reported = this.#reported?.entry === this.last() ? this.#reported?.blocks : undefined
    return {
      held: this.#held.index,
      carried: this.#carried,
      carriedModel,
      entries,
      ...(reported === undefined ? {} : { reported }),
    }
  }

  /** The messages that are held as JSON. */
  get held(): HeldMessages {
    return this.#held
  }

  /** Counts the bytes of an event that has made, or changed, the last entry. */
  noteBytes(bytes: number): void {
    const last = this.last()
    if (last !== undefined) last.bytes = (last.bytes ?? 0) + bytes
  }

  /** About how many bytes of events are not held as JSON yet. */
  get looseBytes(): number {
    return this.#entries.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
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

  /** Adds blocks to the user's message, which ends the conversation, or to a new one. */
  add(blocks: ReadonlyArray<Block>): void {
    if (blocks.length === 0) return
    const last = this.last()
    if (last?.role === "user") last.content.push(...blocks)
    else this.push({ role: "user", content: [...blocks], complete: true })
  }

  /** Call it before the prompt of a turn is added. */
  beginPrompt(): void {
    this.#before = this.#end()
  }

  /** The user's messages so far were answered by the report of a failed request, which is not sent to the model. */
  report(): void {
    const end = this.#end()
    const earlier = end !== null && this.#reported?.entry === end.entry ? this.#reported.blocks : []
    this.#reported = end && { entry: end.entry, blocks: [...earlier, end.blocks] }
  }

  /** How many blocks of the last message, apart from results, follow each report of a failed request in it. */
  get sinceReports(): ReadonlyArray<number> {
    const { entry, blocks = [] } = this.#reported ?? {}
    if (entry === undefined || entry !== this.last()) return []
    return blocks.map(
      (at) => entry.content.slice(at).filter((block) => block.type !== "tool_result" && !isBlank(block)).length,
    )
  }

  #end() {
    const last = this.last()
    return last?.role === "user" ? { entry: last, blocks: last.content.length } : null
  }

  /**
   * Adds a reminder before the turn's prompt, if it has no answer yet, else after the tool results. Blocks before that prompt
   * may have been sent, and so has everything once a reminder was added, because a request follows.
   */
  remind(reminder: Block): void {
    const last = this.last()
    const from = this.#before?.entry === last ? (this.#before?.blocks ?? 0) : 0
    const at = last?.role === "user" ? last.content.findIndex((block, index) => index >= from && isOwnText(block)) : -1
    if (at < 0) this.add([reminder])
    else last?.content.splice(at, 0, reminder)
    this.beginPrompt()
  }

  remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry)
  }

  /** Converts complete entries to JSON, except for their last message. */
  #hold(): void {
    const open = this.#entries.findIndex(({ complete }) => !complete)
    const count = Math.min(this.#entries.length - KEPT, open < 0 ? Number.POSITIVE_INFINITY : open)
    if (count < HELD_AT_ONCE) return
    const messages = joined(this.#carried, this.#entries.splice(0, count))
    for (const message of messages.slice(0, -1)) this.#held.add(message)
    this.#carried = messages.slice(-1)
  }

  /** The messages of the next request. */
  all(): ReadonlyArray<ApiMessage> {
    // What is held was added as an ApiMessage.
    return [...this.#held.messages, ...joined(this.#carried, this.#entries)] as ReadonlyArray<ApiMessage>
  }
}
