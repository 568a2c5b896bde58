// Receives messages in order, from the first one of a page on; collects those that fit into the page.
// Invariant: a page is bounded in bytes, whether read from the log or from D1, and contains at least one message if there is one.
import { createHash } from "node:crypto"
import { uuidOfDigest } from "../../schemas/ids.ts"
import { wholeBytes } from "../../schemas/log/media-mark.ts"
import type { Message } from "../../schemas/parts.ts"
import { partsToSdkMessages } from "../../schemas/sdk/adapters/message-adapter.ts"

/** Maximum bytes of JSON in a page; a single message or event may exceed it. */
export const PAGE_BYTES = 4 * 1024 * 1024

/** Response header when D1 has to read the page: the position in the log of the message before the page. */
export const PLACE_HEADER = "x-perch-place"

/** Header of the same response: the seq of the newest event, which is in D1. */
export const LAST_SEQ_HEADER = "x-perch-last-seq"

interface ReadPage {
  readonly messages: ReadonlyArray<Message>
  readonly has_more: boolean
  /** seq of the newest event when the page was read; later changes of the conversation have a larger one. */
  readonly last_seq: number
}

export class MessagePage<A> {
  readonly messages: Array<A> = []
  readonly #limit: number
  #room = PAGE_BYTES

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds a message; returns false, without adding it, when the page is full. */
  take(message: A): boolean {
    if (this.messages.length === this.#limit) return false
    this.#room -= wholeBytes(JSON.stringify(message))
    if (this.#room < 0 && this.messages.length > 0) return false
    this.messages.push(message)
    return true
  }
}

/** The response body of a page, with messages as parts or as SDK messages. */
export const shownMessages = (session: string, { messages, has_more, last_seq }: ReadPage, asSdk: boolean) => ({
  messages: asSdk ? partsToSdkMessages(messages, (piece) => uuidOf(session, piece)) : messages,
  has_more,
  next_cursor: has_more ? (messages.at(-1)?.info.id ?? null) : null,
  last_seq,
})

/** A stable uuid: the same piece of a conversation gets the same uuid on every read. */
const uuidOf = (session: string, piece: string): string =>
  uuidOfDigest(createHash("sha256").update(`${session}/${piece}`).digest())
