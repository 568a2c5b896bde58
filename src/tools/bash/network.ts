// Receives what a shell's curl asks for; answers from the guarded fetch.
// Invariant: a script reaches what WebFetch reaches and no more, a counted number of times, and rules that deny a host
// hold for every hop.
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
 * Bash where scripts may fetch: a script that may have fetched is written ahead, and a crash never runs it twice.
 */
export const withNetwork = (bash: SchemaTool<BashInput>): SchemaTool<BashInput> => ({
  ...bash,
  description: `${bash.description} In this session curl can fetch public http and https URLs.`,
  outside: ({ command }) => {
    const script = readScript(command)
    return !onlyReads(script) && !onlyEdits(script)
  },
})

type ShellFetch = NonNullable<BashOptions["fetch"]>

const MAX_FETCHES = 100
const MAX_BYTES = 10 << 20
const TIMEOUT_MS = 30_000

/** The `fetch` of a shell that runs one script. What it rejects with is the error that curl prints. */
export const shellFetch = (
  { fetch, closed, idempotencyKey }: Pick<ToolContext, "fetch" | "closed" | "idempotencyKey">,
  scriptSignal: AbortSignal,
  violations: Violations,
): ShellFetch => {
  let fetches = 0
  let changes = 0
  /** Requests that change something: the key of the call for the first, numbered ones for those behind it. */
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

/** The headers of a request, with the key under which its server knows it again; a key that the script set stays. */
const keyed = (headers: HeadersInit | undefined, key: string | null): Record<string, string> => {
  const all = new Headers(headers)
  if (key !== null && !all.has("idempotency-key")) all.set("idempotency-key", key)
  return Object.fromEntries(all)
}
