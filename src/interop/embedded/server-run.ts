// Executes a run on a Perch server: sends it, reads its stream, and reconnects when the stream breaks.
// Invariant: a run is sent under its id, so that sending it again starts nothing; a refusal is thrown and not retried.
import type { EmbeddedRunResult } from "../../schemas/runs/run-result.ts"
import { eventsOf, SILENCE_MS, silence } from "./event-lines.ts"
import type { RunDelivery } from "./run-callbacks.ts"

/** Pauses before each attempt to reconnect, in milliseconds; after a received event they start again with the first. */
const RETRY_MS = [100, 300, 1000, 2000, 4000, 8000, 8000, 8000] as const

export interface RunServer {
  readonly url: string
  readonly apiKey: string
  readonly fetch?: typeof fetch
}

/** A refusal of the server, with the fields of its error envelope. */
export class EmbeddedRunError extends Error {
  readonly status: number
  readonly type: string
  readonly field?: string

  constructor(status: number, { type, message, field }: { type: string; message: string; field?: string }) {
    super(message)
    this.name = "EmbeddedRunError"
    this.status = status
    this.type = type
    if (field !== undefined) this.field = field
  }
}

/** The error about a server that no request can be sent to; `field` is a parameter of the function. */
export const invalidServer = (field: string, problem: string): EmbeddedRunError =>
  new EmbeddedRunError(400, { type: "invalid_request_error", message: `${field}: ${problem}`, field })

/** The server with its address in the form that paths are appended to. Throws an EmbeddedRunError that names what is wrong. */
export const checkedServer = (server: RunServer): RunServer => {
  const address = URL.canParse(server.url) ? new URL(server.url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw invalidServer("perch.url", `must be an http or https address. Got ${JSON.stringify(server.url)}.`)
  if (typeof server.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(server.apiKey))
    throw invalidServer("perch.apiKey", "must be the key of a Perch server.")
  return { ...server, url: `${address.origin}${address.pathname.replace(/\/+$/, "")}` }
}

export interface ServerRun {
  readonly server: RunServer
  /** The body of `POST /v1/runs`. */
  readonly body: Readonly<Record<string, unknown>> & { readonly sessionId: string; readonly runId: string }
  readonly delivery: RunDelivery
  readonly signal?: AbortSignal
}

const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504, 529])

export const runOnServer = async (run: ServerRun): Promise<EmbeddedRunResult> => {
  const { signal } = run
  let stopping: Promise<void> | null = null
  const stop = () => void (stopping ??= stopRun(run))
  signal?.addEventListener("abort", stop, { once: true })
  try {
    return await readRun(run, () => signal?.aborted === true && stop())
  } finally {
    signal?.removeEventListener("abort", stop)
    // The compiler takes it for null, because only `stop` assigns it.
    await (stopping as Promise<void> | null)?.catch(() => undefined)
  }
}

/** Sends the run and reads its stream until the result. `sent` is called whenever the server has accepted the request. */
const readRun = async (run: ServerRun, sent: () => void): Promise<EmbeddedRunResult> => {
  const progress: Progress = { cursor: null, tries: 0 }
  let failure: unknown = new Error("The stream of the run ended early.")
  for (; progress.tries <= RETRY_MS.length; progress.tries += 1) {
    if (progress.tries > 0) await pause(RETRY_MS[progress.tries - 1] ?? 0)
    const attempt = await tryOnce(run, progress, sent)
    if (attempt.result !== null) return attempt.result
    failure = attempt.failure ?? failure
  }
  throw failure
}

/** Sends the run once; returns its result, or null when another attempt may have it. Throws a refusal that is final. */
const tryOnce = async (
  { server, body, delivery }: ServerRun,
  progress: Progress,
  sent: () => void,
): Promise<{ readonly result: EmbeddedRunResult | null; readonly failure?: unknown }> => {
  try {
    const response = await post(server, "/v1/runs", body, {
      accept: "text/event-stream",
      ...(progress.cursor === null ? {} : { "last-event-id": String(progress.cursor) }),
    })
    if (response.ok) {
      sent()
      return { result: await readFrames(response, delivery, progress) }
    }
    const refused = await errorOf(response)
    if (!TRANSIENT_STATUSES.has(response.status)) throw refused
    return { result: null, failure: refused }
  } catch (error) {
    if (error instanceof EmbeddedRunError) throw error
    return { result: null, failure: error }
  }
}

interface Progress {
  /** The id of the last frame that was delivered. */
  cursor: number | null
  /** Attempts to connect since the last received frame. */
  tries: number
}

/** Delivers the frames of one response; null when it ends without the run's result. */
const readFrames = async (
  { body, status }: Response,
  delivery: RunDelivery,
  progress: Progress,
): Promise<EmbeddedRunResult | null> => {
  if (body === null) return null
  for await (const { id, event, data } of eventsOf(body)) {
    if (event === "error") throw envelopeError(status, data)
    if (event !== "message") continue
    progress.tries = 0
    const kind = kindOf(data)
    if (kind === "result") return (JSON.parse(data) as { result: EmbeddedRunResult }).result // the server's own
    if (kind !== "run") await delivery.take(data, id !== null)
    if (id !== null) progress.cursor = id
  }
  return null
}

// The data of each frame is an object.
const kindOf = (data: string): unknown => (JSON.parse(data) as { type?: unknown }).type

/** Stops the run; retries while the server can't be reached. */
const stopRun = async ({ server, body: { sessionId, runId } }: ServerRun): Promise<void> => {
  for (const ms of [0, ...RETRY_MS]) {
    if (ms > 0) await pause(ms)
    const response = await post(server, `/v1/runs/${encodeURIComponent(runId)}/abort`, { sessionId }).catch(() => null)
    // A 404 is retried as well, because the server may not have accepted the run yet.
    if (response !== null && (response.ok || !(TRANSIENT_STATUSES.has(response.status) || response.status === 404)))
      return
  }
}

/** Sends a POST; rejects when the response does not start within `SILENCE_MS`. */
const post = async (
  { url, apiKey, fetch: send = fetch }: RunServer,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(silence()), SILENCE_MS)
  try {
    return await send(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: stop.signal,
    })
  } catch (cause) {
    if (stop.signal.aborted) throw cause
    throw new Error(`Perch at ${url} cannot be reached: ${reasonOf(cause)}`, { cause })
  } finally {
    clearTimeout(late)
  }
}

/** `fetch` hides the reason of a failure in its cause. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const errorOf = async (response: Response): Promise<EmbeddedRunError> =>
  envelopeError(response.status, await response.text())

const envelopeError = (status: number, text: string): EmbeddedRunError => {
  try {
    // The text is the server's error envelope, unless an intermediary answered.
    const { error } = JSON.parse(text) as { error: { type: string; message: string; field?: string } }
    return new EmbeddedRunError(status, error)
  } catch {
    return new EmbeddedRunError(status, { type: "api_error", message: `The server answered ${status}.` })
  }
}
