// Counts the bytes that each client of the control protocol was sent and has not confirmed. The platform buffers them in memory
// until the client reads them, and does not report how much is buffered.
// Invariant: all sockets of a session together have at most MAX_UNREAD such bytes, plus a few SHAREs for each open socket; those
// that have not confirmed for the longest time are closed first, and while too much is unread, no large line is sent and no
// socket opened. A client confirms with a random id, which only a client that has read it knows.

/** Unread bytes of all sockets together, in addition to the share of each, while all clients confirm. */
export const MAX_UNREAD = 64 * 1024 * 1024
/** The same while there is a client that has not confirmed for `GRACE_MS`. */
export const MAX_UNREAD_WHILE_STALLED = 32 * 1024 * 1024
/** A client that has not confirmed for so long may be closed to make room (ms). */
const GRACE_MS = 2000
/** Unread bytes that each socket may always have. */
export const SHARE = 512 * 1024
/** A client is asked to confirm whenever it has this many unread bytes. */
const RECEIPT_EVERY = 256 * 1024
/** From this many unread bytes of all sockets on, replays wait until their clients have confirmed. */
const PRESSURE = MAX_UNREAD_WHILE_STALLED / 2
/** How long a replay waits for a confirmation; clients that have not sent one by then are not waited for again (ms). */
const RECEIPT_MS = 5000

/** The close code: the client connects again, with its cursor. */
export const UNREAD = 1013
/** The reason in the close frame; `seq` is the cursor with which the client connects again. */
export const unreadReason = (seq: number): string =>
  `more is unread than this server holds for clients that may not read; connect again with after=${seq}`

/** A confirmation that was requested: it covers the bytes that were unread at that time. */
interface Receipt {
  readonly id: string
  readonly requestedAt: number
  readonly size: number
}

interface Reader {
  size: number
  receipt: Receipt | null
  /** True for a client that did not confirm in time: replays do not wait for it again. */
  isSilent: boolean
  /** Ends the wait of the replay that waits for the confirmation. */
  proceed: (() => void) | null
}

export class Unread {
  readonly #now: () => number
  readonly #readers = new Map<WebSocket, Reader>()
  #total = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** True while replays must wait until their clients have confirmed. */
  get mustPauseReplays(): boolean {
    return this.#total > PRESSURE
  }

  /** True when `excess` may have sockets to close. */
  get mayHaveExcess(): boolean {
    return this.#total > MAX_UNREAD_WHILE_STALLED
  }

  /** True while no new socket may be opened. */
  get mustRefuseSockets(): boolean {
    return this.#total > MAX_UNREAD
  }

  /** Whether a line may be sent: a large one only if what is unread stays bounded with it. */
  fits(line: string): boolean {
    if (line.length * 3 <= SHARE) return true
    const length = Buffer.byteLength(line)
    return length <= SHARE || this.#total + length <= MAX_UNREAD
  }

  /** Counts a message that was sent. */
  sent(socket: WebSocket, message: string): void {
    const length = Buffer.byteLength(message)
    const reader = this.#readers.get(socket)
    if (reader === undefined) this.#readers.set(socket, { size: length, receipt: null, isSilent: false, proceed: null })
    else reader.size += length
    this.#total += length
  }

  /** Requests a confirmation if one is due: returns the id that the client must send back, else null. */
  requestReceipt(socket: WebSocket): string | null {
    const reader = this.#readers.get(socket)
    if (reader === undefined || reader.receipt !== null || reader.size < RECEIPT_EVERY) return null
    reader.receipt = { id: crypto.randomUUID(), requestedAt: this.#now(), size: reader.size }
    return reader.receipt.id
  }

  /** True when `line` confirms what the socket was sent before it was asked. */
  confirm(socket: WebSocket, line: string): boolean {
    const reader = this.#readers.get(socket)
    if (reader === undefined || reader.receipt === null || !line.includes(reader.receipt.id)) return false
    reader.size -= reader.receipt.size
    this.#total -= reader.receipt.size
    reader.receipt = null
    reader.isSilent = false
    reader.proceed?.()
    return true
  }

  /** Resolves when the client has confirmed, or can't be waited for. */
  confirmed(socket: WebSocket): Promise<void> {
    const reader = this.#readers.get(socket)
    if (reader === undefined || reader.receipt === null || reader.isSilent) return Promise.resolve()
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer)
        reader.proceed = null
        resolve()
      }
      const timer = setTimeout(() => {
        reader.isSilent = true
        proceed()
      }, RECEIPT_MS)
      reader.proceed = proceed
    })
  }

  /**
   * The sockets to close because too much is unread, those that have not confirmed for the longest time first. What was sent to a
   * closed socket stays in memory, and counts, until its client has read it or is gone.
   */
  excess(): ReadonlyArray<WebSocket> {
    const stalledSince = this.#now() - GRACE_MS
    const open = [...this.#readers].flatMap(([socket, { size, receipt }]) =>
      socket.readyState === WebSocket.OPEN && size > SHARE && receipt !== null
        ? [{ socket, size, at: receipt.requestedAt }]
        : [],
    )
    open.sort((a, b) => a.at - b.at || b.size - a.size)
    const closed: Array<WebSocket> = []
    let left = this.#total
    for (const { socket, size, at } of open) {
      if (left <= (at <= stalledSince ? MAX_UNREAD_WHILE_STALLED : MAX_UNREAD)) break
      left -= size
      closed.push(socket)
    }
    return closed
  }

  /** Call it when the socket has closed. */
  left(socket: WebSocket): void {
    const reader = this.#readers.get(socket)
    if (reader === undefined) return
    this.#readers.delete(socket)
    this.#total -= reader.size
    reader.proceed?.()
  }
}
