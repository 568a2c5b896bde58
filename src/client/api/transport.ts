// Sends the client's requests: address, key, time limit, retries. It only needs `fetch`, so it runs on every platform that has it.
// Invariant: a request is sent again only when that can't take effect twice: when it only reads, is idempotent by its method
// or carries an Idempotency-Key, and any other request only when the server refused it before doing anything.
import { ConnectionError, PerchError, perchError } from "./perch-error.ts"

/** The server that requests are sent to, and how they are sent. */
export interface TransportOptions {
  /** The server's address, such as `https://perch.example.workers.dev`. */
  readonly url: string
  /** A key of that server. */
  readonly apiKey: string
  /** Replaces the platform's `fetch`. A PerchError that it rejects with ends the request: that is not sent again. */
  readonly fetch?: typeof fetch
  /** How often a failed request is sent again (4); 0 or more. */
  readonly maxRetries?: number
  /**
   * Milliseconds until a response must start, and again until its body must end (60,000); more than 0, and `Infinity` for no
   * limit. Requests that wait for a turn or transfer files have limits of their own.
   */
  readonly timeoutMs?: number
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  /** Milliseconds from the start of a response to the end of its body, when it is read as a whole; `timeoutMs` by default. */
  readonly bodyMs?: number
  /**
   * `once`: sent again only after 429 or 503, with which the server refuses a request before doing anything. `safe`: always.
   * `never`: the caller sends it again.
   */
  readonly repeat?: "safe" | "once" | "never"
  /** Statuses other than 2xx that do not count as errors. */
  readonly accept?: ReadonlyArray<number>
  /** For a removal: a 404 is no error once an earlier attempt may have removed it and its response was lost. */
  readonly removes?: boolean
}

const FIRST_WAIT_MS = 300
const MAX_WAIT_MS = 8000
/** The longest `retry-after` that is waited for; beyond it the app gets the error with its `retry_after`. */
const MAX_RETRY_AFTER_S = 60
const REFUSED: ReadonlySet<number> = new Set([429, 503])
/** The longest delay of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class Transport {
  /** The address, without a slash at its end. */
  readonly url: string
  readonly maxRetries: number
  /** How often in a row a stream connects again: twice as often, because a turn or a log is worth a longer wait. */
  readonly reconnects: number
  readonly #authorization: string
  readonly #fetch: typeof fetch
  readonly #timeoutMs: number

  /** Throws a TypeError that names the option when one of them is not usable. */
  constructor({ url, apiKey, fetch: own, maxRetries = 4, timeoutMs = 60_000 }: TransportOptions) {
    this.url = baseOf(url)
    this.#authorization = authorizationOf(apiKey)
    if (own !== undefined && typeof own !== "function") throw new TypeError("fetch must be a function.")
    // Browsers refuse a fetch that is called as a method of something else.
    this.#fetch = own ?? ((input, init) => globalThis.fetch(input, init))
    this.maxRetries = numberAtLeast("maxRetries", maxRetries, 0)
    this.reconnects = this.maxRetries * 2
    this.#timeoutMs = Math.min(numberAtLeast("timeoutMs", timeoutMs, 1), MAX_TIMER_MS)
  }

  async json<A>(method: string, path: string, options: RequestOptions = {}): Promise<A> {
    return (await this.answer<A>(method, path, options)).body
  }

  /** Sends a request; returns the response's JSON and headers. */
  async answer<A>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<{ readonly body: A; readonly headers: Headers }> {
    const answer = await this.read(method, path, options, async (response) => ({
      text: await response.text(),
      headers: response.headers,
    }))
    try {
      return { body: JSON.parse(answer.text) as A, headers: answer.headers } // the contract of the route
    } catch (cause) {
      throw new ConnectionError({
        type: "connection_error",
        status: 0,
        message: `${this.url} did not answer as a Perch server does.`,
        cause,
      })
    }
  }

  /** Returns a successful response, whose body may still break. Throws a PerchError for any other, or the reason of `signal`. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    return this.read(method, path, options, async (response) => response)
  }

  /** Returns what `read` makes of the response. A body that breaks or does not end in time is retried like a missing response. */
  async read<A>(
    method: string,
    path: string,
    options: RequestOptions,
    read: (response: Response) => Promise<A>,
  ): Promise<A> {
    const { repeat = "safe" } = options
    let order = options
    for (let attempt = 0; ; attempt += 1) {
      const result = await this.#once(method, path, order, read)
      if (!(result instanceof PerchError)) return result
      if (options.removes === true && !REFUSED.has(result.status)) order = { ...options, accept: [404] }
      const again = repeat === "safe" || (repeat === "once" && REFUSED.has(result.status))
      const pause = attempt < this.maxRetries && again && result.retryable ? pauseOf(attempt, result) : null
      if (pause === null) throw result
      await wait(pause, options.signal)
    }
  }

  async #once<A>(
    method: string,
    path: string,
    options: RequestOptions,
    read: (response: Response) => Promise<A>,
  ): Promise<A | PerchError> {
    const { signal, query, json, headers, accept = [], timeoutMs = this.#timeoutMs, bodyMs = timeoutMs } = options
    signal?.throwIfAborted()
    if (!path.startsWith("/")) throw new TypeError(`The path must start with a slash. Got ${JSON.stringify(path)}.`)
    const body = json === undefined ? options.body : JSON.stringify(json)
    checkMethod(method, body !== undefined)
    // A header that can't be sent is an error of the caller, which no retry repairs.
    const sent = new Headers(
      Object.entries({
        authorization: this.#authorization,
        "content-type": json === undefined ? undefined : "application/json",
        ...headers,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const limit = new AbortController()
    let late = setTimeout(() => limit.abort(), timeoutMs)
    try {
      const response = await this.#fetch(`${this.url}${path}${searchOf(query)}`, {
        // `fetch` corrects the case of some methods, but not of `patch`.
        method: method.toUpperCase(),
        headers: sent,
        signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
        ...(body === undefined ? {} : { body }),
      })
      clearTimeout(late)
      late = setTimeout(() => limit.abort(), bodyMs)
      if (response.ok || accept.includes(response.status)) return await read(response)
      return perchError(response.status, await response.text(), response.headers)
    } catch (cause) {
      signal?.throwIfAborted()
      // The app's own `fetch` has given the request up.
      if (cause instanceof PerchError) throw cause
      return this.#unreachable(limit.signal.aborted ? "it did not answer in time" : reasonOf(cause), cause)
    } finally {
      clearTimeout(late)
    }
  }

  #unreachable(why: string, cause: unknown): ConnectionError {
    const message = `Perch at ${this.url} cannot be reached: ${why}`
    return new ConnectionError({ type: "connection_error", status: 0, message, cause })
  }
}

/** The header that a key is sent in. Throws a TypeError for what can be no key. */
export const authorizationOf = (apiKey: string): string => {
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey must be the key of a Perch server.")
  return `Bearer ${apiKey}`
}

/** The body of a response as a stream. Throws a TypeError where `fetch` has none, as that of React Native. */
export const streamOf = ({ body }: Response): ReadableStream<Uint8Array<ArrayBuffer>> | null => {
  if (body === undefined)
    throw new TypeError(
      "This platform's fetch can't stream a response. Pass one that can, as the client's option fetch.",
    )
  return body
}

/** Throws a TypeError for what `fetch` can't send: an error of the caller, which no retry repairs. */
const checkMethod = (method: string, hasBody: boolean): void => {
  if (typeof method !== "string" || !/^[a-z]+$/i.test(method))
    throw new TypeError(`The method must be that of an HTTP request. Got ${JSON.stringify(method)}.`)
  if (hasBody && /^(?:get|head)$/i.test(method))
    throw new TypeError(`A ${method.toUpperCase()} request has no body. Send its parameters as query.`)
}

const numberAtLeast = (name: string, value: number, least: number): number => {
  if (typeof value !== "number" || !(value >= least))
    throw new TypeError(
      `${name} must be a number from ${least}. Got ${typeof value === "number" ? value : JSON.stringify(value)}.`,
    )
  return value
}

/** Milliseconds to wait before the next attempt; null when the server asks for more than MAX_RETRY_AFTER_S. */
export const pauseOf = (attempt: number, { retry_after: seconds }: PerchError): number | null => {
  if (seconds !== undefined) return seconds <= MAX_RETRY_AFTER_S ? seconds * 1000 : null
  const full = Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS)
  return full / 2 + Math.random() * (full / 2)
}

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })

/**
 * Encodes a value as one segment of a path. Throws a TypeError for an empty value, `.` and `..`: `fetch` resolves these before
 * it sends a request, which would then reach another route.
 */
export const segment = (name: string, value: string): string => {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError(`${name} must be a string other than "", . and .. Got ${JSON.stringify(value)}.`)
  return encoded(name, value)
}

/** Encodes a text for a path. Throws a TypeError for half of a surrogate pair, which UTF-8 can't encode. */
export const encoded = (name: string, text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new TypeError(`${name} must be valid Unicode. Got ${JSON.stringify(text)}.`)
  }
}

/** The path of a session's route. Throws a TypeError for what cannot be a session's id. */
export const sessionPath = (id: string, rest = ""): string => `/v1/sessions/${segment("The session's id", id)}${rest}`

const searchOf = (query: RequestOptions["query"] = {}): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value))
  return given.size === 0 ? "" : `?${given}`
}

/** `fetch` hides the reason of a failure in its cause. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  return cause.message || code || cause.name
}

/**
 * Returns an http or https address without trailing slashes. Throws a TypeError for anything else, and for an address with a
 * user name, a query or a fragment, which no request would send.
 */
export const baseOf = (url: string): string => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`url must be the http or https address of a Perch server. Got ${JSON.stringify(url)}.`)
  }
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw new TypeError("url must be an address without a user name, a password, a query and a fragment.")
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`
}
