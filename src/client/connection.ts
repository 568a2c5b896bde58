// Keeps a session's socket open: sends pending lines, delivers received frames, reconnects when the connection breaks.
// Invariant: a line is sent on each new connection until it is acknowledged; a dead connection is detected by its heartbeat, and
// a connection that can't be re-established is reported as lost, once.
import http, { type IncomingMessage } from "node:http"
import https from "node:https"
import { WebSocket } from "ws"
import { type PerchError, perchError } from "./api/perch-error.ts"
import { pauseOf, reasonOf } from "./api/transport.ts"
import { type Frame, readFrames } from "./numbered-frames.ts"
import type { OutgoingLine, OutgoingLines } from "./outgoing-lines.ts"

export interface Timing {
  /** The delay before each reconnect attempt, in ms; its length is the number of attempts in a row. */
  readonly backoffMs: ReadonlyArray<number>
  /** The interval of pings. A connection that receives nothing between two of them is dead. */
  readonly heartbeatMs: number
  readonly handshakeMs: number
  /** How long the server may take to answer a close frame, to end a socket after it, or to acknowledge an interrupt. */
  readonly closeMs: number
}

export const TIMING: Timing = {
  backoffMs: [200, 800, 3000, 8000, 18_000],
  heartbeatMs: 30_000,
  handshakeMs: 20_000,
  closeMs: 1000,
}

export interface ConnectionUser {
  /** Returns the address; called for each connection. */
  readonly url: () => string
  readonly headers: Readonly<Record<string, string>>
  /** Called when a connection is open; frames on it may repeat earlier ones. */
  readonly opened: () => void
  readonly frames: (frames: ReadonlyArray<Frame>) => void
  /** Called once when the connection is lost and will not be retried. */
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
  /** How many attempts to connect have failed in a row. */
  #attempts = 0
  /** Why the connection broke, as far as it is known. */
  #why = ""
  #ended = false
  #paused = false
  /** False if nothing was received since the last ping. */
  #hasReceived = true

  constructor(user: ConnectionUser, outgoing: OutgoingLines, timing: Timing) {
    this.#user = user
    this.#outgoing = outgoing
    this.#timing = timing
    this.#connect()
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Sends a line of `outgoing` if the connection is open; otherwise it is sent when the next one opens. */
  send({ frame }: OutgoingLine): void {
    if (this.isOpen) this.#socket?.send(frame)
  }

  /** Stops reading until `resume`, so that backpressure reaches the server while the SDK's buffer is full. */
  pause(): void {
    this.#paused = true
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#hasReceived = true
    this.#socket?.resume()
  }

  /** Closes the socket; terminates it when the server does not answer the close frame within `closeMs`. */
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

  /** Ends the connection at once, without a closing handshake. */
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
    const url = this.#user.url()
    const options = {
      headers: this.#user.headers,
      // Without an agent, `ws` connects by itself, and not through the proxy that Node uses for all other requests.
      agent: url.startsWith("wss:") ? https.globalAgent : http.globalAgent,
      handshakeTimeout: this.#timing.handshakeMs,
      // A session's object ends a socket that it has closed only when it hibernates. (The types lack this option.)
      closeTimeout: this.#timing.closeMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    }
    const socket = new WebSocket(url, options)
    this.#socket = socket
    socket.on("open", () => this.#begin(socket))
    socket.on("pong", () => {
      this.#hasReceived = true
    })
    socket.on("message", (data) => {
      if (this.#ended) return
      this.#hasReceived = true
      this.#attempts = 0
      // Messages are delivered as one Buffer as long as `binaryType` has its default.
      const frames = readFrames((data as Buffer).toString("utf8"))
      this.#user.frames(frames)
      for (const frame of frames) if (frame.kind === "receipt") this.#confirm(socket, frame.line)
    })
    socket.on("unexpected-response", (request, response) => {
      // The next attempt must not use this connection, which the server may be closing.
      request.shouldKeepAlive = false
      void refusalOf(response).then((refusal) => {
        request.destroy()
        this.#why = refusal.message
        const pause = refusal.retry_after === undefined ? 0 : pauseOf(0, refusal)
        // Most refusals (4xx) would only be repeated; a server error (5xx) and a limit may be temporary.
        if (pause !== null && (refusal.status >= 500 || refusal.retryable)) this.#again(socket, pause)
        else this.#lose()
      })
    })
    socket.on("error", (error) => {
      if (socket === this.#socket) this.#why = reasonOf(error)
    })
    socket.on("close", (code, reason) => {
      if (this.#why === "") this.#why = reason.toString("utf8") || `closed with ${code}`
      // Perch closes a socket with 4000 plus the HTTP status of an error. 1009 means that a line is too long to send at all.
      if (socket === this.#socket && ((code >= 4400 && code < 4500) || code === 1009)) this.#lose()
      else this.#again(socket)
    })
  }

  /** Confirms that everything before the server's line was read. */
  #confirm(socket: WebSocket, line: string): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(`${line}\n`)
  }

  #begin(socket: WebSocket): void {
    this.#why = ""
    this.#hasReceived = true
    if (this.#paused) socket.pause()
    this.#user.opened()
    for (const line of this.#outgoing.waiting) this.send(line)
    clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(() => this.#beat(socket), this.#timing.heartbeatMs)
  }

  /** Terminates a connection that received nothing since the last ping. While reading is paused this can't be known. */
  #beat(socket: WebSocket): void {
    if (this.#paused) return
    if (!this.#hasReceived) {
      this.#why = "the server has stopped responding"
      return socket.terminate()
    }
    this.#hasReceived = false
    if (this.isOpen) socket.ping()
  }

  /** Connects again after the next delay, and after `pauseMs`, which the server has asked for. */
  #again(socket: WebSocket, pauseMs = 0): void {
    if (this.#ended || socket !== this.#socket) return
    clearInterval(this.#heartbeat)
    this.#socket = undefined
    const wait = this.#timing.backoffMs[this.#attempts]
    if (wait === undefined) return this.#lose()
    this.#attempts += 1
    this.#retry = setTimeout(() => this.#connect(), Math.max(wait, pauseMs))
  }

  #lose(): void {
    if (this.#ended) return
    this.#end()
    this.#user.lost(this.#why)
  }
}

/** Reads the error with which the server refused to open the socket. */
const refusalOf = async (response: IncomingMessage): Promise<PerchError> => {
  let text = ""
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      text += String(chunk)
      if (text.length > MAX_ERROR_BYTES) break
    }
  } catch {
    // A response whose body breaks off still has its status.
  }
  const after = response.headers["retry-after"]
  return perchError(response.statusCode ?? 500, text, new Headers(after === undefined ? {} : { "retry-after": after }))
}
