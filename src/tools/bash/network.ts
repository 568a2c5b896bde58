// Receives the requests of a shell's curl; sends them with the guarded fetch.
// Invariant: a script reaches only what WebFetch reaches, a limited number of times, and rules that deny a host apply to
// every redirect.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BashOptions } from "just-bash/browser"
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { SchemaTool } from "../make-tool.ts"
import { onlyEdits, onlyReads } from "../../shell/syntax/commands.ts"
import { readScript } from "../../shell/syntax/script.ts"
import type { Violations } from "../../shell/violations.ts"
import type { ToolContext } from "../tool.ts"

/**
 * Bash for sessions whose scripts may fetch: a script that might fetch is recorded before it runs, so that it is never run
 * again after a crash.
 */
export const withNetwork = (bash: SchemaTool<BashInput>): SchemaTool<BashInput> => ({
  ...bash,
  description: `${bash.description} In this session curl can fetch public http and https URLs.`,
  hasOutsideEffects: ({ command }) => {
    const script = readScript(command)
    return !onlyReads(script) && !onlyEdits(script)
  },
})

type ShellFetch = NonNullable<BashOptions["fetch"]>

const MAX_FETCHES = 100
const MAX_BYTES = 10 << 20
const TIMEOUT_MS = 30_000

/** The `fetch` of a shell that runs one script. When it rejects, curl prints the error's message. */
export const shellFetch = (
  { fetch, closed, idempotencyKey }: Pick<ToolContext, "fetch" | "closed" | "idempotencyKey">,
  scriptSignal: AbortSignal,
  violations: Violations,
): ShellFetch => {
  let fetches = 0
  let changes = 0
  /** The Idempotency-Key of a request that may change something: the call's key for the first, then numbered ones. */
  const nextKey = () => {
    changes += 1
    return changes === 1 ? idempotencyKey : `${idempotencyKey}:${changes}`
  }
  return async (url, options = {}) => {
    const refused = (why: string): Error => {
      violations.add(`network ${hostOf(url)}: ${why}`)
      return new Error(why)
    }
    fetches += 1
    if (fetches > MAX_FETCHES) throw new Error(`A script may send at most ${MAX_FETCHES} requests.`)
    if (closed(url)) throw refused("A permission rule denies this host.")
    const { method, headers, body, followRedirects = true, timeoutMs = TIMEOUT_MS, signal } = options
    const order = {
      ...(method === undefined ? {} : { method }),
      headers: keyed(headers, isSafe(method) ? null : nextKey()),
      ...(body === undefined ? {} : { body }),
      maxBytes: MAX_BYTES,
      timeoutMs: Math.min(timeoutMs, TIMEOUT_MS),
      follows: (_: URL, to: URL) => followRedirects && !closed(to.href),
    }
    const result = await Effect.runPromise(Effect.result(fetch(url, order)), {
      signal: signal === undefined ? scriptSignal : AbortSignal.any([scriptSignal, signal]),
    })
    if (Result.isFailure(result) && result.failure.kind === "refused") throw refused(result.failure.message)
    if (Result.isFailure(result)) throw new Error(result.failure.message)
    const { status, statusText, bytes, cut, redirect, url: from, headers: received } = result.success
    if (cut && redirect === undefined) throw new Error(`The response is longer than ${MAX_BYTES} bytes.`)
    if (redirect !== undefined && followRedirects)
      throw refused("It redirects to a host that a permission rule denies.")
    return { status, statusText, headers: Object.fromEntries(received), body: bytes, url: from }
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "(no address)")

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

const isSafe = (method = "GET"): boolean => SAFE.has(method.toUpperCase())

/** Adds the Idempotency-Key by which a server recognizes a repeated request; a key that the script set is kept. */
const keyed = (headers: HeadersInit | undefined, key: string | null): Record<string, string> => {
  const all = new Headers(headers)
  if (key !== null && !all.has("idempotency-key")) all.set("idempotency-key", key)
  return Object.fromEntries(all)
}
