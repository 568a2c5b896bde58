// A raw client of the control protocol: one WebSocket, lines out, frames in. Receives frames; keeps all of them in order.
// Invariant: nothing here waits for ever, and a frame that never comes is an error that shows what came.
import { randomUUID } from "node:crypto"
import { WebSocket } from "ws"

const LIMIT_MS = 20_000

/** A frame of the control protocol or an SDKMessage, as far as tests look into it. */
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
  /** The name that the server knows this client by; a new one unless it is given. */
  readonly client?: string
  /** A seq, from which on the log is replayed; the default is the end of it. */
  readonly after?: number
  /** Called with every frame as it comes. */
  readonly onFrame?: (frame: Frame, socket: ControlSocket) => void
}

interface Waiting {
  readonly fits: (frame: Frame) => boolean
  readonly found: (frame: Frame) => void
}

export class ControlSocket {
  readonly client: string
  /** All that came, in order. */
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

  /** Sends text, or bytes, as they are, in one message. */
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

  /** The first frame that fits and was not given before, now or when it comes. */
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

  /** The control request of this subtype that comes next. */
  asked(subtype: string): Promise<Frame> {
    return this.next((frame) => frame.type === "control_request" && frame.request?.subtype === subtype)
  }

  result(): Promise<Frame> {
    return this.next(({ type }) => type === "result")
  }

  /** Control requests of a subtype that came so far. */
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
