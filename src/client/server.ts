// The HTTP requests to a Perch server that a process needs: opens a session, erases one, returns the address of its socket.
// Invariant: an expected failure is a LaunchError with the server's own message; the key goes only to the server's address.
import { PerchError } from "./api/perch-error.ts"
import { onceOnly } from "./api/session-client.ts"
import { authorizationOf, reasonOf, sessionPath, Transport } from "./api/transport.ts"
import { LaunchError } from "./launch/launch-error.ts"
import type { Launch } from "./launch/launch.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

export interface OpenedSession {
  readonly id: string
  /** The log's last seq when the session was opened. */
  readonly lastSeq: number | undefined
  /** Whether this request created the session. */
  readonly created: boolean
  /** The session's working directory. */
  readonly cwd: string
}

/** Where a socket's lines start: after a seq, or with the next event. */
export type SocketStart = number | "head"

const OPEN_WITHIN_MS = 60_000
/** How often a request is sent again: for about as long as a server takes to restart. */
const RETRIES = 5

export class PerchServer {
  readonly #transport: Transport
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, apiKey: string, maxRetries = RETRIES) {
    this.#transport = new Transport({ url, apiKey, maxRetries })
    this.headers = { authorization: authorizationOf(apiKey) }
  }

  /** The address, without a slash at its end. */
  get url(): string {
    return this.#transport.url
  }

  /** Creates a session, or attaches to the one that the body selects. Throws LaunchError when that fails. */
  async open(body: Launch["body"], stopped: AbortSignal): Promise<OpenedSession> {
    const { resume, continue: goOn, forkSession: fork } = body.options
    // A request to continue a session has the same effect when it is sent again.
    const order = (resume ?? goOn) === undefined || fork === true ? onceOnly(body, {}) : {}
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(OPEN_WITHIN_MS)])
    const read = async (response: Response) => ({
      session: parsedObject(await response.text()),
      created: response.status === 201 || response.headers.has("idempotent-replayed"),
    })
    try {
      const { session, created } = await this.#transport.read(
        "POST",
        "/v1/sessions",
        { json: body, signal, ...order },
        read,
      )
      if (typeof session?.id !== "string") throw new LaunchError(`${this.url} did not answer as a Perch server does`)
      const lastSeq = typeof session.last_seq === "number" ? session.last_seq : undefined
      const cwd = typeof session.cwd === "string" ? session.cwd : "/workspace"
      return { id: session.id, lastSeq, created, cwd }
    } catch (error) {
      throw this.#failureOf(error, body)
    }
  }

  /** The reason why no session was opened. It starts with the official process's text, which apps match. */
  #failureOf(error: unknown, { id, options }: Launch["body"]): LaunchError {
    if (error instanceof LaunchError) return error
    if (!(error instanceof PerchError)) {
      return new LaunchError(`Perch at ${this.url} cannot be reached: ${reasonOf(error)}`)
    }
    const { status, message } = error
    if (status === 401) {
      return new LaunchError(`Invalid API key · The Perch server at ${this.url} refused its key: ${message}`, status)
    }
    if (status === 404 && message.startsWith("there is no message ")) {
      // Without the status: the session exists, and is not created from a local transcript.
      return new LaunchError(`No message found with message.uuid of: ${String(options.resumeSessionAt)}`)
    }
    if (status === 404 && options.resume !== undefined) {
      return new LaunchError(`No conversation found with session ID: ${String(options.resume)}`, status)
    }
    if (status !== 409 || id === undefined) return new LaunchError(message, status)
    const advice = "Go on with it by options.resume, or give it to spawnPerch as sessionId."
    return new LaunchError(`Session ID ${id} is already in use. ${advice} (${message})`, status)
  }

  /** Erases a session. Throws a PerchError when that fails, or the reason of the time limit. */
  async erase(id: string, withinMs: number): Promise<void> {
    await this.#transport.send("DELETE", sessionPath(id), { signal: AbortSignal.timeout(withinMs), removes: true })
  }

  /** The address of a session's socket for one client. */
  socketUrl(id: string, query: { readonly client: string; readonly after: SocketStart }): string {
    const search = new URLSearchParams({
      client: query.client,
      framing: "numbered",
      after: String(query.after),
    })
    return `${this.url.replace(/^http/, "ws")}${sessionPath(id)}/socket?${search}`
  }
}

const parsedObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    // A proxy in front of the server may answer in HTML.
    return undefined
  }
}
