// A raw client of the control protocol: one WebSocket, lines out, frames in. Stores all received frames in order.
// Invariant: no call waits forever, and a frame that never arrives is an error that shows what did arrive.
import { randomUUID } from "node:crypto"
import { WebSocket } from "ws"

const LIMIT_MS = 20_000

/** The fields of a control frame or an SDKMessage that tests use. */
export interface Frame {
  readonly type: string
  readonly subtype?: string
  readonly request_id?: string
  readonly request?: { readonly subtype: string; readonly callback_id?: string; readonly tool_use_id?: string } & Fields
  readonly response?: {
    readonly subtype: "success" | "error"
    readonly request_id: string
    readonly response?: Fields
    readonly error?: string
    readonly error_code?: string
    readonly pending_permission_requests?: ReadonlyArray<Frame>
  }
  readonly [key: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

export interface SocketOptions {
  /** The client's name on the server; a new one by default. */
  readonly client?: string
  /** The seq after which the log is replayed; by default its end. */
  readonly after?: number
  /** Called with every frame as it arrives. */
  readonly onFrame?: (frame: Frame, socket: ControlSocket) => void
}

interface Waiting {
  readonly fits: (frame: Frame) => boolean
  readonly found: (frame: Frame) => void
}

export class ControlSocket {
  readonly client: string
  /** All received frames, in order. */
  readonly frames: Array<Frame> = []
  /** How the socket was closed, or undefined while it is open. */
  closed: { readonly code: number; readonly reason: string } | undefined
  readonly #socket: WebSocket
  readonly #waiting = new Set<Waiting>()
  #taken = new Set<Frame>()

  private constructor(socket: WebSocket, client: string, onFrame: SocketOptions["onFrame"]) {
    this.#socket = socket
    this.client = client
    socket.on("message", (data) => {
      for (const line of String(data).split("\n")) {
        if (line.trim() === "") continue
        const frame = JSON.parse(line) as Frame // the server sends frames and SDK messages here
        this.frames.push(frame)
        onFrame?.(frame, this)
        for (const waiting of this.#waiting) if (waiting.fits(frame)) waiting.found(frame)
      }
    })
    socket.on("close", (code, reason) => (this.closed = { code, reason: String(reason) }))
  }

  /** Opens the socket of a session. */
  static open(
    server: { readonly url: string; readonly key: string },
    session: string,
    options: SocketOptions = {},
  ): Promise<ControlSocket> {
    const client = options.client ?? randomUUID()
    const query = new URLSearchParams({ client, ...(options.after === undefined ? {} : { after: `${options.after}` }) })
    const url = `${server.url.replace("http", "ws")}/v1/sessions/${session}/socket?${query}`
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${server.key}` },
      handshakeTimeout: LIMIT_MS,
    })
    const control = new ControlSocket(socket, client, options.onFrame)
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(control))
      socket.on("error", reject)
    })
  }

  /** Sends text, or bytes, unchanged, in one message. */
  raw(text: string | Uint8Array): void {
    this.#socket.send(text)
  }

  send(frame: unknown): void {
    this.raw(`${JSON.stringify(frame)}\n`)
  }

  /** Sends a control request and returns its answer. */
  async request(request: Fields & { readonly subtype: string }): Promise<NonNullable<Frame["response"]>> {
    const id = randomUUID()
    this.send({ type: "control_request", request_id: id, request })
    const frame = await this.next(({ type, response }) => type === "control_response" && response?.request_id === id)
    return frame.response! // the condition above
  }

  /** Sends a prompt. */
  prompt(text: string): void {
    this.send({
      type: "user",
      session_id: "",
      parent_tool_use_id: null,
      message: { role: "user", content: text },
    })
  }

  /** Answers a control request of the server. */
  answer(frame: Frame, response: Fields): void {
    this.send({ type: "control_response", response: { subtype: "success", request_id: frame.request_id, response } })
  }

  /** The first matching frame that was not returned before, now or when it arrives. */
  async next(fits: (frame: Frame) => boolean, limitMs = LIMIT_MS): Promise<Frame> {
    const known = this.frames.find((frame) => !this.#taken.has(frame) && fits(frame))
    const frame = known ?? (await this.#later(fits, limitMs))
    this.#taken.add(frame)
    return frame
  }

  #later(fits: (frame: Frame) => boolean, limitMs: number): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
      }
      const waiting: Waiting = {
        fits,
        found: (frame) => {
          end()
          resolve(frame)
        },
      }
      const timer = setTimeout(() => {
        end()
        const last = this.frames.slice(-8).map((frame) => JSON.stringify(frame).slice(0, 300))
        const closed = this.closed === undefined ? "" : `, closed with ${this.closed.code} ${this.closed.reason}`
        reject(new Error(`no such frame within ${limitMs} ms${closed}: ${fits.toString()}\n${last.join("\n")}`))
      }, limitMs)
      this.#waiting.add(waiting)
    })
  }

  /** The next control request of this subtype. */
  asked(subtype: string): Promise<Frame> {
    return this.next((frame) => frame.type === "control_request" && frame.request?.subtype === subtype)
  }

  result(): Promise<Frame> {
    return this.next(({ type }) => type === "result")
  }

  /** The control requests of a subtype that have arrived so far. */
  requests(subtype: string): ReadonlyArray<Frame> {
    return this.frames.filter((frame) => frame.type === "control_request" && frame.request?.subtype === subtype)
  }

  /**
   * Closes the socket and resolves once the server has answered that. With `broken` it just goes away, as a client
   * whose network fails.
   */
  async close(broken = false): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise((resolve) => this.#socket.once("close", resolve))
    if (broken) this.#socket.terminate()
    else this.#socket.close(1000)
    await closed
  }
}
