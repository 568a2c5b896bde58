// Receives the text messages of a socket; returns whole lines and the frames in them.
// Invariant: a line that is split between two messages is joined again, or its socket is closed; neither a line nor the
// unfinished lines of all sockets together grow without limit. A complete line that is too long is refused as a frame, and its
// client stays connected.
import * as Result from "effect/Result"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { withoutDeepLevels, wellFormed } from "../../schemas/bounded-json.ts"
import { parseClientJson } from "../../schemas/json/client-json.ts"

/** Maximum number of characters of one line: a prompt with several images, as much as over HTTP. */
const MAX_LINE = PROMPT_BODY
const TOO_LONG = `has more than ${MAX_LINE} characters (20 MiB). Write large content into the session's workspace (\`PUT /v1/sessions/{id}/files/{path}\`) and refer to the path.`

/** Most characters of the unfinished lines of all sockets together. */
export const MAX_UNFINISHED = 2 * MAX_LINE
/** How long the next part of an unfinished line may take (ms). */
export const REST_MS = 60_000

interface Unfinished {
  readonly text: string
  /** Closes the socket when the next part does not arrive; while it is pending, the object does not hibernate. */
  readonly timer: ReturnType<typeof setTimeout>
}

export class LineBuffer {
  /** Unfinished lines, in the order in which they started. */
  readonly #rest = new Map<WebSocket, Unfinished>()
  #unfinishedLength = 0

  /**
   * The lines that `text` completes; what follows the last newline waits for more. Closes the socket when that becomes too
   * long.
   */
  take(socket: WebSocket, text: string): ReadonlyArray<string> {
    const whole = (this.#rest.get(socket)?.text ?? "") + text
    const end = whole.lastIndexOf("\n")
    const rest = whole.slice(end + 1)
    if (end >= 0 || rest.length > MAX_LINE) this.drop(socket)
    if (rest.length > MAX_LINE) {
      socket.close(1009, "a line of the control protocol has at most 20 MiB")
      return []
    }
    if (rest.trim() !== "") this.#keep(socket, rest)
    return whole
      .slice(0, Math.max(end, 0))
      .split("\n")
      .filter((line) => line.trim() !== "")
  }

  #keep(socket: WebSocket, rest: string): void {
    const before = this.#rest.get(socket)
    clearTimeout(before?.timer)
    this.#unfinishedLength += rest.length - (before?.text.length ?? 0)
    this.#rest.set(socket, { text: rest, timer: setTimeout(() => this.#expire(socket), REST_MS) })
    for (const [oldest] of this.#rest) {
      if (this.#unfinishedLength <= MAX_UNFINISHED) return
      this.drop(oldest)
      oldest.close(1013, "the session's sockets have sent more than 40 MiB of lines without their ends")
    }
  }

  #expire(socket: WebSocket): void {
    this.drop(socket)
    socket.close(1013, `the rest of a line did not arrive within ${REST_MS / 1000} seconds`)
  }

  /** Discards the unfinished line of a socket that has closed. */
  drop(socket: WebSocket): void {
    const unfinished = this.#rest.get(socket)
    if (unfinished === undefined) return
    clearTimeout(unfinished.timer)
    this.#unfinishedLength -= unfinished.text.length
    this.#rest.delete(socket)
  }
}

/** `N<tab>JSON`: a line with its number. A line without one counts as the line 0. */
export const readNumbered = (line: string): { readonly n: number; readonly json: string } => {
  const tab = line.indexOf("\t")
  const n = Number(line.slice(0, Math.max(tab, 0)))
  return Number.isSafeInteger(n) && n > 0 ? { n, json: line.slice(tab + 1) } : { n: 0, json: line }
}

/** A frame, and the limit of length or JSON that it exceeds: of such a frame only the outer levels are read. */
export interface ReadFrame {
  readonly frame: unknown
  readonly problem?: string
}

/** Levels of a frame that have its type and its request id. */
const ENVELOPE = 2

/** The frame of a line, or undefined when it is no JSON. */
export const parseFrame = (json: string): ReadFrame | undefined => {
  if (json.length > MAX_LINE) return envelopeOf(json, TOO_LONG)
  const parsed = parseClientJson(json)
  if (Result.isSuccess(parsed)) return { frame: parsed.success }
  const { fault, message } = parsed.failure
  return fault === "syntax" ? undefined : envelopeOf(json, message)
}

const envelopeOf = (json: string, problem: string): ReadFrame | undefined => {
  const envelope = Result.getOrUndefined(Result.try(() => wellFormed(JSON.parse(withoutDeepLevels(json, ENVELOPE)))))
  return envelope === undefined ? undefined : { frame: envelope, problem }
}

/**
 * The same uuid for the same line of the same client, so that a line that is sent twice is one prompt. Random for a line
 * without a number, or a client whose name is no uuid.
 */
export const lineUuid = (client: string, n: number): string => {
  const hex = client.replaceAll("-", "").toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hex) || n === 0) return crypto.randomUUID()
  const tail = n.toString(16).padStart(12, "0").slice(-12)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${tail}`
}
