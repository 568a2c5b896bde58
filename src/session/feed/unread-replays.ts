// Counts the characters that replays have sent to clients of the control protocol. The platform buffers them in memory until
// the client reads them, and does not report how much is buffered.
// Invariant: all sockets of a session together have at most MOST_UNREAD such characters, plus a SHARE for each socket, so that
// each client makes progress. Sent characters count until the socket closes, or READ_AFTER_MS after the end of its replay.

/** Characters that the replays of all sockets together may have sent, in addition to the share of each. */
export const MOST_UNREAD = 32 * 1024 * 1024
/** Characters that each socket may always be sent. */
export const SHARE = 512 * 1024
/** After this time a client that was sent its whole replay counts as having read it (ms). */
const READ_AFTER_MS = 30_000

/** The close code: the client connects again, with its cursor. */
export const UNREAD = 1013
/** The reason of the close, with the cursor. */
export const unreadReason = (seq: number): string =>
  `the replay is longer than this server holds for clients that may not read; connect again with after=${seq}`

interface Sent {
  readonly size: number
  /** When the replay ended; null while it runs, and after it was broken off. */
  readonly endedAt: number | null
}

export class UnreadReplays {
  readonly #now: () => number
  readonly #sent = new Map<WebSocket, Sent>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a line that was sent; false when the socket may be sent no more. */
  add(socket: WebSocket, length: number): boolean {
    const size = (this.#sent.get(socket)?.size ?? 0) + length
    this.#sent.set(socket, { size, endedAt: null })
    return size <= SHARE || this.#total() <= MOST_UNREAD
  }

  /** Call it when the whole replay was sent. */
  ended(socket: WebSocket): void {
    const sent = this.#sent.get(socket)
    if (sent !== undefined) this.#sent.set(socket, { ...sent, endedAt: this.#now() })
  }

  /** Call it when the socket has closed. */
  left(socket: WebSocket): void {
    this.#sent.delete(socket)
  }

  #total(): number {
    const now = this.#now()
    let total = 0
    for (const [socket, { size, endedAt }] of this.#sent) {
      if (endedAt !== null && now - endedAt > READ_AFTER_MS) this.#sent.delete(socket)
      else total += size
    }
    return total
  }
}
