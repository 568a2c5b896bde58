// Keeps a session's socket open: sends the lines that wait, hands over the frames that come, connects again when it breaks.
// Invariant: a line is sent again until it is taken; a connection that is dead is noticed, and one that cannot be had again
// is reported once as lost.
import type { IncomingMessage } from "node:http"
import { WebSocket } from "ws"
import { type Frame, readFrames } from "./numbered-frames.ts"
import type { OutgoingLine, OutgoingLines } from "./outgoing-lines.ts"
import { errorMessage, reasonOf } from "./server.ts"

export interface Timing {
  /** Waits before each further attempt; there are no more attempts than waits. */
  readonly backoffMs: ReadonlyArray<number>
  /** How often the server is asked for a sign of life. Without one until the next time, the connection is dead. */
  readonly heartbeatMs: number
  readonly handshakeMs: number
  /** How long a server may take to answer our close, or to take an interrupt. */
  readonly closeMs: number
}

export const TIMING: Timing = {
  backoffMs: [200, 500, 1200, 2500, 5000],
  heartbeatMs: 30_000,
  handshakeMs: 20_000,
  closeMs: 1000,
}

export interface ConnectionUser {
  /** The address, each time a connection is made. */
  readonly url: () => string
  readonly headers: Readonly<Record<string, string>>
  /** A connection begins; what comes now may repeat what came before. */
  readonly opened: () => void
  readonly frames: (frames: ReadonlyArray<Frame>) => void
  /** There will be no further connection. */
  readonly lost: (why: string) => void
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

export class Connection {
  readonly #user: ConnectionUser
  readonly #outgoing: OutgoingLines
  readonly #timing: Timing
  #socket: WebSocket | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #attempts = 0
  #why = ""
  #ended = false
  #paused = false
  #lively = true

  constructor(user: ConnectionUser, outgoing: OutgoingLines, timing: Timing) {
    this.#user = user
    this.#outgoing = outgoing
    this.#timing = timing
    this.#connect()
  }

  get open(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Sends a line of `outgoing` if there is a connection; without one it is sent when there is. */
  send({ frame }: OutgoingLine): void {
    if (this.open) this.#socket?.send(frame)
  }

  /** Reads nothing until `resume`: the network holds back what the SDK has no room for. */
  pause(): void {
    this.#paused = true
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#lively = true
    this.#socket?.resume()
  }

  /** Closes the socket; the other side has a moment to answer. */
  close(): void {
    this.#end()
    const socket = this.#socket
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return
    if (socket.readyState === WebSocket.CONNECTING) return socket.terminate()
    socket.resume()
    socket.close(1000)
    const timer = setTimeout(() => socket.terminate(), this.#timing.closeMs)
    socket.once("close", () => clearTimeout(timer))
  }

  /** Ends it at once, without a closing handshake. */
  terminate(): void {
    this.#end()
    this.#socket?.terminate()
  }

  #end(): void {
    this.#ended = true
    clearTimeout(this.#retry)
    clearInterval(this.#heartbeat)
  }

  #connect(): void {
    const socket = new WebSocket(this.#user.url(), {
      headers: this.#user.headers,
      handshakeTimeout: this.#timing.handshakeMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    })
    this.#socket = socket
    socket.on("open", () => this.#begin(socket))
    socket.on("pong", () => {
      this.#lively = true
    })
    socket.on("message", (data) => {
      if (this.#ended) return
      this.#lively = true
      this.#attempts = 0
      // Text messages come as one Buffer, as long as `binaryType` is left alone.
      this.#user.frames(readFrames((data as Buffer).toString("utf8")))
    })
    socket.on("unexpected-response", (request, response) => {
      void refusalOf(response).then((why) => {
        request.destroy()
        this.#why = why
        // A refusal (4xx) would be repeated; a failure of the server (5xx) may be temporary.
        if ((response.statusCode ?? 500) < 500) this.#lose()
        else this.#again(socket)
      })
    })
    socket.on("error", (error) => {
      if (socket === this.#socket) this.#why = reasonOf(error)
    })
    socket.on("close", (code, reason) => {
      if (this.#why === "") this.#why = reason.toString("utf8") || `closed with ${code}`
      // An error closes a socket with 4000 plus its HTTP status. 1009: a line is too long, and would be so again.
      if (socket === this.#socket && ((code >= 4400 && code < 4500) || code === 1009)) this.#lose()
      else this.#again(socket)
    })
  }

  #begin(socket: WebSocket): void {
    this.#why = ""
    this.#lively = true
    if (this.#paused) socket.pause()
    this.#user.opened()
    for (const line of this.#outgoing.waiting) this.send(line)
    clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(() => this.#beat(socket), this.#timing.heartbeatMs)
  }

  /** While nothing is read, no sign of life can be seen either. */
  #beat(socket: WebSocket): void {
    if (this.#paused) return
    if (!this.#lively) {
      this.#why = "the server has stopped responding"
      return socket.terminate()
    }
    this.#lively = false
    if (this.open) socket.ping()
  }

  #again(socket: WebSocket): void {
    if (this.#ended || socket !== this.#socket) return
    clearInterval(this.#heartbeat)
    this.#socket = undefined
    const wait = this.#timing.backoffMs[this.#attempts]
    if (wait === undefined) return this.#lose()
    this.#attempts += 1
    this.#retry = setTimeout(() => this.#connect(), wait)
  }

  #lose(): void {
    if (this.#ended) return
    this.#end()
    this.#user.lost(this.#why)
  }
}

/** The error that the server answered instead of opening the socket. */
const refusalOf = async (response: IncomingMessage): Promise<string> => {
  let text = ""
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      text += String(chunk)
      if (text.length > MAX_ERROR_BYTES) break
    }
  } catch {
    // An answer that broke off still has its status.
  }
  return errorMessage(response.statusCode ?? 0, text)
}
