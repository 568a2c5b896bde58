// Receives one hook that is an address; sends it the hook's input by POST and gives the JSON that it answers.
// Invariant: no redirect is followed, at most 1 MiB is read, nothing but a public address is called, and no message holds
// more of the address than its origin, nor a header.
import { Effect } from "effect"
import { isPublicUrl } from "../net/public-address.ts"
import { readUpTo } from "../net/read-body.ts"
import { type CallHook, HookFailure } from "./runner.ts"

/** How the request is made: `fetch` of the platform, or one that tests give. */
export type HttpFetch = (url: string, init: RequestInit) => Promise<Response>

const MAX_ANSWER = 1024 * 1024

/** Headers that are the connection's own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/**
 * Asks HTTP hooks. An empty answer with a 2xx status is no opinion; any other status fails. `allowPrivate` also lets it
 * call private addresses. The caller sets the time limit and interrupts.
 */
export const callHttpHook =
  (fetchHook: HttpFetch, { allowPrivate = false }: { readonly allowPrivate?: boolean } = {}): CallHook =>
  ({ entry, input }) => {
    const address = entry.url ?? ""
    if (!isPublicUrl(address, allowPrivate)) return failed("threw", "The hook has no address that may be called.")
    const url = new URL(address)
    const request = (controller: AbortController) =>
      Effect.tryPromise({
        try: () =>
          fetchHook(url.href, {
            method: "POST",
            redirect: "manual",
            headers: headersOf(entry.headers ?? {}),
            body: JSON.stringify(input),
            signal: controller.signal,
          }),
        catch: () => new HookFailure({ kind: "threw", message: `The hook at ${url.origin} could not be reached.` }),
      }).pipe(Effect.flatMap((response) => answerOf(url.origin, response)))
    // Ends the request, and the body when it was not read to its end, however this ends.
    return Effect.acquireUseRelease(
      Effect.sync(() => new AbortController()),
      request,
      (controller) => Effect.sync(() => controller.abort()),
    )
  }

const failed = (kind: HookFailure["kind"], message: string) => Effect.fail(new HookFailure({ kind, message }))

const headersOf = (own: Readonly<Record<string, string>>): Record<string, string> => ({
  accept: "application/json",
  ...Object.fromEntries(
    Object.entries(own)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OWN_HEADERS.has(name)),
  ),
  "content-type": "application/json",
})

const answerOf = Effect.fnUntraced(function* (origin: string, response: Response) {
  const { status } = response
  if (status >= 300 && status < 400) {
    return yield* failed("threw", `The hook at ${origin} answered with a redirect, which is not followed.`)
  }
  if (status < 200 || status > 299) {
    return yield* failed("threw", `The hook at ${origin} answered with status ${status}.`)
  }
  const { bytes, cut } = yield* Effect.tryPromise({
    try: () => readUpTo(response.body, MAX_ANSWER),
    catch: () => new HookFailure({ kind: "threw", message: `The answer of the hook at ${origin} broke off.` }),
  })
  if (cut) {
    return yield* failed("invalid", `The answer of the hook at ${origin} is longer than ${MAX_ANSWER} bytes.`)
  }
  return yield* Effect.try({
    try: (): unknown => parse(bytes),
    catch: () => new HookFailure({ kind: "invalid", message: `The answer of the hook at ${origin} is not JSON.` }),
  })
})

/** Undefined when the body is empty. */
const parse = (bytes: Uint8Array): unknown => {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes).trim()
  return text === "" ? undefined : JSON.parse(text)
}
