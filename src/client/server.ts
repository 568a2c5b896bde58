// The HTTP requests to a Perch server that a process needs: opens a session, erases one, returns the address of its socket.
// Invariant: an expected failure is a LaunchError with the server's own message; the key goes only to the server's address.
import { authorizationOf, baseOf, reasonOf, sessionPath } from "./api/transport.ts"
import { LaunchError } from "./launch-error.ts"
import type { Launch } from "./launch.ts"
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
const MAX_ERROR_CHARS = 4000

export class PerchServer {
  /** The address, without a slash at its end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, apiKey: string) {
    this.url = baseOf(url)
    this.headers = { authorization: authorizationOf(apiKey) }
  }

  /** Creates a session, or attaches to the one that the body selects. Throws LaunchError when that fails. */
  async open(body: Launch["body"], stopped: AbortSignal): Promise<OpenedSession> {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(OPEN_WITHIN_MS)])
    const { status, text } = await this.#request("POST", "/v1/sessions", signal, body)
    if (status === 404 && isOfMessage(text)) {
      // Without the status: the session exists, and is not created from a local transcript.
      throw new LaunchError(`No message found with message.uuid of: ${String(body.options.resumeSessionAt)}`)
    }
    if (status !== 200 && status !== 201) throw new LaunchError(this.#refusal(body, status, text), status)
    const session = parsedObject(text)
    if (typeof session?.id !== "string") throw new LaunchError(`${this.url} did not answer as a Perch server does`)
    const lastSeq = typeof session.last_seq === "number" ? session.last_seq : undefined
    const cwd = typeof session.cwd === "string" ? session.cwd : "/workspace"
    return { id: session.id, lastSeq, created: status === 201, cwd }
  }

  /** The reason why no session was opened. It starts with the official process's text, which apps match. */
  #refusal({ id, options }: Launch["body"], status: number, text: string): string {
    const message = errorMessage(status, text)
    if (status === 401) return `Invalid API key · The Perch server at ${this.url} refused its key: ${message}`
    if (status === 404 && options.resume !== undefined) {
      return `No conversation found with session ID: ${String(options.resume)}`
    }
    if (status !== 409 || id === undefined) return message
    return `Session ID ${id} is already in use. Go on with it by options.resume, or give it to spawnPerch as sessionId. (${message})`
  }

  /** Erases a session. Throws LaunchError when that fails. */
  async erase(id: string, withinMs: number): Promise<void> {
    const { status, text } = await this.#request("DELETE", sessionPath(id), AbortSignal.timeout(withinMs))
    if (status >= 300) throw new LaunchError(errorMessage(status, text))
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

  async #request(method: string, route: string, signal: AbortSignal, body?: unknown): Promise<Answer> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = body === undefined ? this.headers : { ...this.headers, "content-type": "application/json" }
    try {
      const response = await fetch(`${this.url}${route}`, { method, headers, signal, ...json })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      throw new LaunchError(`Perch at ${this.url} cannot be reached: ${reasonOf(error)}`)
    }
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** The message of an error response; a text with the status when the response is not one of Perch's own errors. */
export const errorMessage = (status: number, text: string): string => {
  const error = parsedObject(text)?.error
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : undefined
  return typeof message === "string" ? message.slice(0, MAX_ERROR_CHARS) : `the Perch server answered ${status}`
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

/** True for a 404 about the message at which a session is to be resumed, not about the session. */
const isOfMessage = (text: string): boolean => errorMessage(404, text).startsWith("there is no message ")
