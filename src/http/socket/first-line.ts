// Receives the Worker's end of a WebSocket whose client could not send headers; waits for the line that authenticates it,
// then opens the session's socket and relays messages both ways.
// Invariants: nothing reaches a session before its client is authenticated; messages that arrive meanwhile follow in order,
// unchanged; when one side closes, so does the other. The platform reports no backpressure of a slow client.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { AuthFrame, decodeControlFrame } from "../../schemas/sdk/control/control.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { parseClientJson } from "../../schemas/json/client-json.ts"
import { ERROR_STATUS } from "../../schemas/errors/rpc-error.ts"
import { authenticateToken, type Principal, type SignIn } from "../auth/auth.ts"
import { ApiError, unauthenticated, unexpected } from "../errors/errors.ts"
import { closeSocket } from "./feed-socket.ts"

export const FIRST_LINE_MS = 10_000
export const FIRST_LINE_LIMIT = 4 * 1024
/** The most bytes of a client's message, and of all that it sends before the session's socket is open. */
export const MESSAGE_LIMIT = PROMPT_BODY

/** The close code for an error of the API: 4000 plus its HTTP status. */
export const closeCodeOf = ({ type }: ApiError): number => 4000 + ERROR_STATUS[type]

const CLOSE = { unsupported: 1003, tooBig: 1009, restarted: 1012 } as const

export interface FirstLineDeps {
  readonly socket: WebSocket
  readonly signIn: SignIn
  readonly session: string
  /** Opens the session's socket for this client. */
  readonly open: (principal: Principal) => Effect.Effect<{ readonly webSocket: WebSocket }, ApiError>
  /** The request's id and route, for the log. */
  readonly at: { readonly requestId: string; readonly route: string }
}

export class FirstLine {
  readonly #deps: FirstLineDeps
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The received part of the first line; null once the line is complete. */
  #line: string | null = ""
  /** Messages after the first line, until the session's socket is open; then null. */
  #waiting: Array<string> | null = []
  #waitingSize = 0
  #closed = false
  #session: WebSocket | null = null

  constructor(deps: FirstLineDeps) {
    this.#deps = deps
  }

  listen(): void {
    const { socket } = this.#deps
    socket.addEventListener("message", ({ data }) => this.#onMessage(data))
    socket.addEventListener("close", ({ code, reason }) => this.#onClientGone(code, reason))
    socket.addEventListener("error", () => this.#onClientGone(1006, ""))
    socket.accept()
    this.#timer = setTimeout(
      () => this.#refuse(unauthenticated("No credentials were received within 10 seconds")),
      FIRST_LINE_MS,
    )
  }

  #onMessage(data: unknown): void {
    if (this.#closed) return
    if (typeof data !== "string") return this.#close(CLOSE.unsupported, "Only text is accepted here")
    if (isLonger(data, MESSAGE_LIMIT)) return this.#close(CLOSE.tooBig, "A message may have at most 20 MiB")
    if (this.#session !== null) return sendIfOpen(this.#session, data)
    if (this.#line === null) return this.#keep(data)
    this.#line += data
    const end = this.#line.indexOf("\n")
    if (isLonger(end < 0 ? this.#line : this.#line.slice(0, end), FIRST_LINE_LIMIT)) {
      return this.#refuse(unauthenticated("The first line is longer than 4 KiB"))
    }
    if (end < 0) return
    const [line, rest] = [this.#line.slice(0, end), this.#line.slice(end + 1)]
    this.#line = null
    clearTimeout(this.#timer)
    if (rest !== "") this.#keep(rest)
    void this.#open(line)
  }

  #keep(data: string): void {
    this.#waitingSize += data.length
    if (this.#waitingSize > MESSAGE_LIMIT) {
      return this.#close(CLOSE.tooBig, "At most 20 MiB may be sent before the first response")
    }
    this.#waiting?.push(data)
  }

  async #open(line: string): Promise<void> {
    const { signIn, session, open } = this.#deps
    const exit = await Effect.runPromiseExit(
      Effect.gen(function* () {
        const token = yield* tokenOf(line)
        const wanted = { session, roles: ["observe"], scope: "sessions:read" } as const
        return yield* open(yield* authenticateToken(token, wanted, signIn))
      }),
    )
    if (Exit.isSuccess(exit)) return this.#join(exit.value.webSocket)
    const error = Cause.squash(exit.cause)
    this.#refuse(error instanceof ApiError ? error : unexpected(error, this.#deps.at))
  }

  #join(session: WebSocket): void {
    const { socket } = this.#deps
    this.#session = session
    session.addEventListener("message", ({ data }) => sendIfOpen(socket, data))
    session.addEventListener("close", ({ code, reason }) => this.#onSessionGone(code, reason))
    session.addEventListener("error", () => this.#onSessionGone(1006, ""))
    session.accept()
    // The client may have disconnected while the session's socket was opened.
    if (this.#closed) return closeSocket(session, 1001, "")
    for (const text of this.#waiting ?? []) sendIfOpen(session, text)
    this.#waiting = null
  }

  #refuse(error: ApiError): void {
    this.#close(closeCodeOf(error), error.message)
  }

  /** Closes the client's side; the session's side follows. */
  #close(code: number, reason: string): void {
    if (this.#closed) return
    this.#end()
    closeSocket(this.#deps.socket, code, reason)
    if (this.#session !== null) closeSocket(this.#session, code, reason)
  }

  /** A session that closes without a code has finished; when its connection breaks, the client should reconnect. */
  #onSessionGone(code: number, reason: string): void {
    if (isSendable(code) || code === 1005) this.#close(isSendable(code) ? code : 1000, reason)
    else this.#close(CLOSE.restarted, "The session was restarted; connect again")
  }

  #onClientGone(code: number, reason: string): void {
    if (this.#closed) return
    this.#end()
    closeSocket(this.#deps.socket, forSession(code), reason)
    if (this.#session !== null) closeSocket(this.#session, forSession(code), reason)
  }

  #end(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#waiting = null
  }
}

const NOT_AUTH = 'The first line must be {"type":"auth","credential":{"type":"oauth","token":"…"}}'

const tokenOf = (line: string): Effect.Effect<string, ApiError> =>
  Effect.fromResult(parseClientJson(line)).pipe(
    Effect.mapError(() => unauthenticated(NOT_AUTH)),
    Effect.flatMap((frame) => {
      const decoded = decodeControlFrame(frame)
      if (Result.isFailure(decoded) || decoded.success.member !== "auth") {
        return Effect.fail(unauthenticated(NOT_AUTH))
      }
      // `member` names the schema that decoded the frame.
      return Effect.succeed((decoded.success.frame as AuthFrame).credential.token)
    }),
  )

/** The close code to send to the session: reserved codes can't be sent, and become 1001 (going away). */
const forSession = (code: number): number => (isSendable(code) ? code : 1001)

const isSendable = (code: number): boolean =>
  code >= 1000 && code < 5000 && code !== 1004 && code !== 1005 && code !== 1006 && code !== 1015

const sendIfOpen = (socket: WebSocket, data: string | ArrayBuffer): void => {
  if (socket.readyState === WebSocket.OPEN) socket.send(data)
}

/** Whether a text has more than this many bytes in UTF-8; they are counted only if its length does not decide it. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).byteLength > bytes)
