// Receives a URL that a model, a page or a script chose; fetches it if every address on the way is public or allowed by name.
// Invariant: each hop is checked before it is requested, at most MAX_REDIRECTS are followed, and neither more bytes nor
// more time are spent than the caller allows. Requests are marked as Perch's own, so that no server of it serves them.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isAddress, isPublicUrl } from "./public-address.ts"
import { readUpTo } from "./read-body.ts"
import { DEFAULT_RESOLVER, resolveName } from "./resolve.ts"

export const MAX_REDIRECTS = 5

/** A header on every request that a session makes; a Perch server answers no request that has it. */
export const FETCH_MARK = "x-perch-fetch"

/** Why nothing was fetched. `message` may be shown to a model: it reveals no more of an address than was asked for. */
export class FetchError extends Schema.TaggedError<FetchError>()("FetchError", {
  kind: Schema.Literals(["refused", "failed", "timeout", "too_many_redirects"]),
  message: Schema.String,
}) {}

export interface FetchSettings {
  /** Hosts, or `host:port`, that may be fetched from whatever their address. */
  readonly allow: ReadonlySet<string>
  /** Every host may be fetched from whatever its address. */
  readonly allowPrivate?: boolean
  /** The DNS-over-HTTPS address that resolves names; null when names are not checked. */
  readonly resolver: string | null
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

export interface FetchOrder {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly maxBytes: number
  /** Milliseconds for all hops and the body together. */
  readonly timeoutMs: number
  /** Replaces http by https, except for hosts that are allowed by name. */
  readonly secure?: boolean
  /** Whether a redirect is followed; by default all are. A redirect that is not followed ends the fetch with `redirect`. */
  readonly follows?: (from: URL, to: URL) => boolean
}

export interface Fetched {
  /** The URL that answered, after redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** True when the body was longer than `maxBytes`. */
  readonly cut: boolean
  /** The target of the redirect that was not followed. */
  readonly redirect?: string
}

export type GuardedFetch = (url: string, order: FetchOrder) => Effect.Effect<Fetched, FetchError>

/**
 * Receives `allow` and `resolver` as the environment has them; `resolver` may be `off`. Entries of the list that are no
 * hosts allow nothing, and with a resolver that is not an https address no name can be fetched from.
 */
export const fetchSettings = (allow: string | undefined, resolver: string | undefined): FetchSettings => ({
  allow: new Set((allow ?? "").split(",").flatMap((host) => hostNamed(host.trim()) ?? [])),
  resolver: resolver?.trim() === "off" ? null : resolver?.trim() || DEFAULT_RESOLVER,
  // `fetch` is looked up at each call, and called on the global object, as workerd requires.
  fetch: (url, init) => globalThis.fetch(url, init),
})

/** The settings for HTTP hooks: those of `fetchSettings`, and every host is allowed when the environment allows private hooks. */
export const hookFetchSettings = (env: {
  readonly PERCH_FETCH_ALLOW?: string
  readonly PERCH_FETCH_RESOLVER?: string
  readonly PERCH_ALLOW_PRIVATE_HOOKS?: string
}): FetchSettings => ({
  ...fetchSettings(env.PERCH_FETCH_ALLOW, env.PERCH_FETCH_RESOLVER),
  allowPrivate: env.PERCH_ALLOW_PRIVATE_HOOKS === "true",
})

/** `host` or `host:port` in the URL parser's spelling. */
const hostNamed = (text: string): string | null => {
  const url = `http://${text}/`
  if (text === "" || /[/?#@\\\s]/.test(text) || !URL.canParse(url)) return null
  // The parser leaves out the default port of http, but here `:80` restricts the host to that port.
  return text.endsWith(":80") ? `${new URL(url).hostname}:80` : new URL(url).host
}

/** True for a host that the settings allow whatever its address. */
export const isAllowedHost = (
  { port, hostname, protocol }: URL,
  { allow, allowPrivate = false }: Pick<FetchSettings, "allow" | "allowPrivate">,
): boolean =>
  allowPrivate || allow.has(hostname) || allow.has(`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`)

/** Fails with a FetchError when there is no response in time, or none may be requested; an error status is a response. */
export const guardedFetch =
  (settings: FetchSettings): GuardedFetch =>
  (url, order) =>
    // Aborts the request, and a body that was not read to its end, however the fetch ends.
    Effect.acquireUseRelease(
      Effect.sync(() => new AbortController()),
      (controller) => walk(settings, url, order, controller.signal),
      (controller) => Effect.sync(() => controller.abort()),
    ).pipe(
      Effect.timeoutOrElse({
        duration: order.timeoutMs,
        orElse: () => failed("timeout", `No response within ${order.timeoutMs} ms.`),
      }),
    )

const failed = (kind: FetchError["kind"], message: string) => Effect.fail(new FetchError({ kind, message }))

const unreachable = (host: string) => new FetchError({ kind: "failed", message: `${host} could not be reached.` })

const walk = Effect.fnUntraced(function* (
  settings: FetchSettings,
  start: string,
  order: FetchOrder,
  signal: AbortSignal,
): Effect.fn.Return<Fetched, FetchError> {
  const { secure = false } = order
  let url = yield* checkAddress(settings, start, secure, signal)
  let request = requestOf(order)
  for (let hops = 0; ; hops += 1) {
    const { href, host } = url
    const response = yield* Effect.tryPromise({
      try: () => settings.fetch(href, { ...request, redirect: "manual", signal }),
      catch: () => unreachable(host),
    })
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null) return yield* answerOf(response, url, order.maxBytes)
    if (hops >= MAX_REDIRECTS) return yield* failed("too_many_redirects", `More than ${MAX_REDIRECTS} redirects.`)
    if (!URL.canParse(location, href)) return yield* failed("failed", `${host} redirects to an invalid URL.`)
    const next = new URL(location, href)
    if (order.follows?.(url, next) === false) {
      return { ...(yield* answerOf(response, url, 0)), redirect: next.href }
    }
    // The body of a redirect is not waited for.
    void response.body?.cancel().catch(() => undefined)
    request = redirected(request, response.status, next.origin === url.origin)
    url = yield* checkAddress(settings, next.href, secure, signal)
  }
})

export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Returns the URL to request: one that is allowed by name, or is public and resolves only to public addresses. Fails with
 * `refused` for any other, and with `failed` when its name can't be looked up. `secure` turns http into https.
 */
export const checkAddress = Effect.fnUntraced(function* (
  settings: FetchSettings,
  address: string,
  secure: boolean,
  signal: AbortSignal,
): Effect.fn.Return<URL, FetchError> {
  if (!isPublicUrl(address, true)) {
    return yield* failed("refused", "Only http and https URLs without a user name or password can be fetched.")
  }
  const url = new URL(address)
  if (isAllowedHost(url, settings)) return url
  const refusal = `${url.host} is not a public address, and only public addresses can be fetched.`
  if (!isPublicUrl(address)) return yield* failed("refused", refusal)
  if (secure) url.protocol = "https:"
  const { resolver } = settings
  if (resolver === null || isAddress(url.hostname)) return url
  if (!resolver.startsWith("https://") || !URL.canParse(resolver)) {
    return yield* failed(
      "failed",
      "The server's setting PERCH_FETCH_RESOLVER is not an https URL, so host names can't be resolved.",
    )
  }
  const resolution = yield* Effect.tryPromise({
    try: () => resolveName(url.hostname, resolver, settings.fetch, signal),
    catch: () => unreachable(url.host),
  })
  if (resolution === "private") return yield* failed("refused", refusal)
  if (resolution === "missing") return yield* failed("failed", `The name ${url.hostname} could not be resolved.`)
  return url
})

const answerOf = (response: Response, url: URL, maxBytes: number): Effect.Effect<Fetched, FetchError> =>
  Effect.map(
    Effect.tryPromise({
      try: () => readUpTo(maxBytes === 0 ? null : response.body, maxBytes),
      catch: () => new FetchError({ kind: "failed", message: `The response of ${url.host} was interrupted.` }),
    }),
    (body) => ({
      url: url.href,
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      ...body,
    }),
  )

interface Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const requestOf = ({ method = "GET", headers = {}, body }: FetchOrder): Request => ({
  method,
  headers: { ...lowerCased(headers), [FETCH_MARK]: "1" },
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
})

const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Headers that are not sent to another origin after a redirect. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key"])

/** The request after a redirect. As in browsers, a 303, and a 301 or 302 after a POST, make it a GET. */
const redirected = ({ method, headers, body }: Request, status: number, sameOrigin: boolean): Request => {
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST"
  const kept = Object.entries(headers).filter(
    ([name]) => (sameOrigin || !SECRET_HEADERS.has(name)) && !(becomesGet && name.startsWith("content-")),
  )
  return {
    method: becomesGet ? "GET" : method,
    headers: Object.fromEntries(kept),
    ...(becomesGet || body === undefined ? {} : { body }),
  }
}
