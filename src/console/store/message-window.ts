// Which messages of a long session a page holds: a contiguous range. Drops what is far from the visible messages.
// Invariant: whatever is missing before or after the range can be read again in pages, from the cursor at that end.
import { signal } from "@preact/signals"
import type { Conversation } from "./conversation.ts"
import type { MessageInfo } from "./frames.ts"

/** Whether messages must be dropped is checked each time that this many were added. */
const STEP = 50

export class MessageWindow {
  /** The first loaded message; null when it is the session's first. */
  readonly older = signal<string | null>(null)
  /** The last loaded message, when newer ones are missing; null while the newest are loaded and followed. */
  readonly newer = signal<string | null>(null)
  readonly #conversation: Conversation
  #isAtEnd = true

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** Whether the last loaded message is visible. */
  set isAtEnd(isAtEnd: boolean) {
    const isBack = isAtEnd && !this.#isAtEnd
    this.#isAtEnd = isAtEnd
    if (isBack) this.bound()
  }

  /** Whether a message from the stream is part of the range. */
  has(info: MessageInfo): boolean {
    if (this.#conversation.message(info.id) !== undefined) return true
    const first = this.#conversation.message(this.older.peek() ?? "")?.info.peek()
    if (first !== undefined && info.time.created < first.time.created) return false
    // Queued prompts are always shown.
    return this.newer.peek() === null || info.sdk?.queued === true
  }

  /** Call it after the stream has added or changed a message. */
  noteAdded(): void {
    const { length } = this.#conversation.ids.peek()
    if (length % STEP !== 0) return
    if (this.#isAtEnd) this.bound()
    // What is visible can't be far from the messages that were loaded before: those that follow are read later.
    else if (this.newer.peek() === null && this.#conversation.isTooLong())
      this.newer.value = this.#conversation.ids.peek().at(-1) ?? null
  }

  /** Drops the oldest messages while the end is visible, if there are too many or their texts are too long. */
  bound(): void {
    if (!this.#isAtEnd) return
    const first = this.#conversation.keepBounded()
    if (first !== null) this.older.value = first
  }

  /** Moves the cursors away from a message that was removed; returns true if no message before it is loaded. */
  noteRemoved(removed: string): boolean {
    // What followed it was removed, too.
    if (removed === this.newer.peek()) this.newer.value = null
    if (removed !== this.older.peek()) return false
    this.older.value = this.#conversation.ids.peek()[0] ?? null
    return this.older.value === null
  }
}
