// Receives messages from a page's first one on; keeps those that are in the page.
// Invariant: a page is bounded in bytes, read from the log or from D1, and has at least one message when there is one.
import { createHash } from "node:crypto"
import { uuidOfDigest } from "../../schemas/ids.ts"
import { wholeBytes } from "../../schemas/log/media-mark.ts"
import type { Message } from "../../schemas/parts.ts"
import { partsToSdkMessages } from "../../schemas/sdk/adapters/message-adapter.ts"

/** Bytes of JSON in a page; one message or event may have more. */
export const PAGE_BYTES = 4 * 1024 * 1024

/** Of an answer that leaves a page to D1: the place in the log of the message before the page. */
export const PLACE_HEADER = "x-perch-place"

/** Of the same answer: the seq of the newest event, which D1 has. */
export const LAST_SEQ_HEADER = "x-perch-last-seq"

interface ReadPage {
  readonly messages: ReadonlyArray<Message>
  readonly has_more: boolean
  /** Of the newest event when the page was read: what changes the conversation later has a larger one. */
  readonly last_seq: number
}

export class MessagePage<A> {
  readonly messages: Array<A> = []
  readonly #limit: number
  #room = PAGE_BYTES

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the message is not in the page any more. */
  take(message: A): boolean {
    if (this.messages.length === this.#limit) return false
    this.#room -= wholeBytes(JSON.stringify(message))
    if (this.#room < 0 && this.messages.length > 0) return false
    this.messages.push(message)
    return true
  }
}

/** The page as it is answered: as parts, or as SDK messages. */
export const shownMessages = (session: string, { messages, has_more, last_seq }: ReadPage, asSdk: boolean) => ({
  messages: asSdk ? partsToSdkMessages(messages, (piece) => uuidOf(session, piece)) : messages,
  has_more,
  next_cursor: has_more ? (messages.at(-1)?.info.id ?? null) : null,
  last_seq,
})

/** A piece of a conversation has the same uuid whenever it is read. */
const uuidOf = (session: string, piece: string): string =>
  uuidOfDigest(createHash("sha256").update(`${session}/${piece}`).digest())
