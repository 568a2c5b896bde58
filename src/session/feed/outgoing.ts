// Buffers the lines for each socket, so that all lines of one moment are sent as one message.
// Counts what clients of the control protocol were sent, and asks them to confirm it.
// Invariant: a socket gets its lines in their order; a control request comes after the lines of the same moment, in a message
// of its own, so that a client has read what it is about before it answers.
import { receiptLine } from "./listener.ts"
import type { Listeners } from "./listeners.ts"
import type { Unread } from "./unread.ts"

/** Lines are joined up to about this many characters. */
const MAX_MESSAGE = 64 * 1024

export class Outgoing {
  readonly #listeners: Listeners
  readonly #unread: Unread
  /** Called soon after a message with which too much is unread. */
  readonly #onExcess: () => void
  /** Lines since the last flush, by socket. */
  readonly #lines = new Map<WebSocket, string>()
  /** Control requests since the last flush, and frames that must stay behind them. */
  readonly #requests = new Map<WebSocket, string>()
  /** True when the next flush lets a model request go first. */
  #deferred = false
  /** True while a control frame is unsent: a client waits for it, or must not answer any more. */
  #urgent = false

  constructor(listeners: Listeners, unread: Unread, onExcess: () => void) {
    this.#listeners = listeners
    this.#unread = unread
    this.#onExcess = onExcess
  }

  /** Buffers a line; false when the socket is gone. */
  line(socket: WebSocket, text: string): boolean {
    if (socket.readyState !== WebSocket.OPEN) return false
    const before = this.#lines.get(socket)
    this.#flushSoon()
    this.#lines.set(socket, before === undefined ? text : `${before}\n${text}`)
    if ((before?.length ?? 0) + text.length >= MAX_MESSAGE) this.flush()
    return true
  }

  /** Buffers a control frame of an ask. The withdrawal of an ask never comes before the ask. */
  askFrame(socket: WebSocket, text: string, type: unknown): void {
    if (type === "control_request" || this.#requests.has(socket)) this.#request(socket, text)
    else this.line(socket, text)
    this.#flushNow()
  }

  /**
   * Buffers any other control frame; false when the socket is gone. A request stays behind an unsent ask: the first answer
   * counts.
   */
  frame(socket: WebSocket, text: string, type: unknown): boolean {
    const isBehind = type === "control_request" && this.#requests.has(socket)
    if (isBehind) this.#request(socket, text)
    const sent = isBehind || this.line(socket, text)
    if (sent) this.#flushNow()
    return sent
  }

  #request(socket: WebSocket, text: string): void {
    if (socket.readyState !== WebSocket.OPEN) return
    const before = this.#requests.get(socket)
    this.#flushSoon()
    this.#requests.set(socket, before === undefined ? text : `${before}\n${text}`)
  }

  /**
   * Call it when a model request is about to be sent: earlier lines are sent a moment later, since otherwise the request
   * would wait until the Worker has written them.
   */
  deferFlush(): void {
    this.#deferred = this.#lines.size > 0 && !this.#urgent
  }

  /** Makes everything unsent go out at the end of this moment, deferred or not. */
  #flushNow(): void {
    this.#urgent = true
    if (!this.#deferred) return
    this.#deferred = false
    queueMicrotask(() => this.flush())
  }

  /** Call it before the first line of a moment is buffered. */
  #flushSoon(): void {
    if (this.#lines.size > 0 || this.#requests.size > 0) return
    queueMicrotask(() => {
      if (this.#deferred) setTimeout(() => this.flush(), 0)
      else this.flush()
    })
  }

  /** Sends every unsent line. */
  flush(): void {
    this.#deferred = false
    this.#urgent = false
    const unsent = [...this.#lines, ...this.#requests]
    this.#lines.clear()
    this.#requests.clear()
    for (const [socket, lines] of unsent) {
      // The client of a socket that closed meanwhile reconnects with its cursor.
      if (socket.readyState !== WebSocket.OPEN) continue
      // The Worker reads its feeds whatever their clients do, and has its own bound.
      if (this.#listeners.formOf(socket) === "feed") socket.send(lines)
      else this.#sendCounted(socket, lines)
    }
    if (unsent.length > 0 && this.#unread.mayHaveExcess) queueMicrotask(this.#onExcess)
  }

  #sendCounted(socket: WebSocket, lines: string): void {
    // Clients of the control protocol accept a line only with its newline.
    socket.send(`${lines}\n`)
    this.#unread.sent(socket, lines)
    this.requestReceipt(socket)
  }

  /** Asks the client to confirm what it has read, if that is due. */
  requestReceipt(socket: WebSocket): void {
    const id = this.#unread.requestReceipt(socket)
    if (id !== null) socket.send(`${receiptLine(this.#listeners.formOf(socket), id)}\n`)
  }
}
