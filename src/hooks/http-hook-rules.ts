// Receives the HTTP hooks of a session's options, before they are stored; returns what is wrong with them, by field.
// Invariant: no issue repeats a header's value or more of an address than its host, and a hook that is refused here would
// not be called later either, because each call checks its address again.
import * as Effect from "effect/Effect"
import { checkAddress, type FetchSettings, isAllowedHost } from "../net/guarded-fetch.ts"
import { isAddress, isPublicUrl } from "../net/public-address.ts"
import { HOOK_EVENTS } from "../schemas/sdk/hooks/hooks.ts"
import type { HttpHook, HttpHookMatchers } from "../schemas/sdk/hooks/http-hooks.ts"
import { MASK } from "../schemas/sdk/options/masked-options.ts"
import { isMatcher } from "./matcher.ts"

export interface HookIssue {
  /** The path of the field within the options. */
  readonly field: string
  readonly message: string
}

/** At most this many names are resolved before a session is created; the others are resolved when their hook is called. */
const MAX_NAMES = 20
const RESOLVE_MS = 2000

/** The most hooks of all events together. A limit is needed because a session calls the hooks of an event at once. */
const MAX_HOOKS = 200

/** What is wrong with the hooks as they are written. Host names are checked by their spelling alone. */
export const hookIssues = (matchers: HttpHookMatchers, settings: FetchSettings): ReadonlyArray<HookIssue> => {
  const hooks = placedHooks(matchers)
  if (hooks.length > MAX_HOOKS)
    return [{ field: "hooks", message: `has ${hooks.length} hooks; the maximum is ${MAX_HOOKS}` }]
  return [
    ...matcherIssues(matchers),
    ...hooks.flatMap(({ field, hook, event, onFailure, failureField }) => [
      ...addressIssues(`${field}.url`, hook.url, settings),
      ...headerIssues(`${field}.headers`, hook.headers ?? {}),
      ...(onFailure === "ask" && event !== "PreToolUse"
        ? [{ field: failureField, message: `\`ask\` is for PreToolUse: there is no call to ask about at ${event}` }]
        : []),
    ]),
  ]
}

/** Refuses matchers that would match nothing, since such a guard would silently never be called. */
const matcherIssues = (matchers: HttpHookMatchers): ReadonlyArray<HookIssue> =>
  HOOK_EVENTS.flatMap((event) =>
    (matchers[event] ?? []).flatMap(({ matcher = "" }, at) =>
      isMatcher(matcher)
        ? []
        : [{ field: `hooks.${event}[${at}].matcher`, message: "is neither a list of names nor a regular expression" }],
    ),
  )

/**
 * Issues for the addresses whose names currently resolve to a private network. A name that can't be resolved within two
 * seconds is accepted: its hook fails when it is called.
 */
export const privateNames = (
  matchers: HttpHookMatchers,
  settings: FetchSettings,
): Effect.Effect<ReadonlyArray<HookIssue>> => {
  if (settings.resolver === null || settings.allowPrivate === true) return Effect.succeed([])
  const fields = new Map<string, { readonly field: string; readonly url: string }>()
  for (const { field, hook } of placedHooks(matchers)) {
    const url = new URL(hook.url)
    if (isAddress(url.hostname) || isAllowedHost(url, settings)) continue
    if (!fields.has(url.hostname)) fields.set(url.hostname, { field: `${field}.url`, url: hook.url })
  }
  const judge = ({ field, url }: { readonly field: string; readonly url: string }) => privateName(field, url, settings)
  return Effect.forEach([...fields.values()].slice(0, MAX_NAMES), judge, { concurrency: "unbounded" }).pipe(
    Effect.map((issues) => issues.flat()),
  )
}

/** The issue for an address whose name currently resolves to a private network. */
export const privateName = (
  field: string,
  url: string,
  settings: FetchSettings,
): Effect.Effect<ReadonlyArray<HookIssue>> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new AbortController()),
    ({ signal }) => checkAddress(settings, url, false, signal),
    (controller) => Effect.sync(() => controller.abort()),
  ).pipe(
    Effect.timeoutOrElse({ duration: RESOLVE_MS, orElse: () => Effect.succeed(null) }),
    Effect.match({
      onSuccess: () => [],
      onFailure: ({ kind }) => (kind === "refused" ? [{ field, message: NOT_PUBLIC }] : []),
    }),
  )

const NOT_PUBLIC =
  "is not a public address, and only public addresses are called. The server's settings can allow its host."

const placedHooks = (matchers: HttpHookMatchers) =>
  HOOK_EVENTS.flatMap((event) =>
    (matchers[event] ?? []).flatMap((group, at) =>
      group.hooks.map((hook, index) => {
        const place = `hooks.${event}[${at}]`
        const field = `${place}.hooks[${index}]`
        const failureField = `${hook.onFailure === undefined ? place : field}.onFailure`
        return { event, field, hook, onFailure: hook.onFailure ?? group.onFailure, failureField }
      }),
    ),
  )

/** Control characters and spaces, which the URL parser removes, and backslashes, which it turns into slashes. */
// oxlint-disable-next-line no-control-regex
const NOT_IN_URL = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/

/** What is wrong with an address as it is written; host names are checked by their spelling alone. */
export const addressIssues = (field: string, text: string, settings: FetchSettings): ReadonlyArray<HookIssue> => {
  if (NOT_IN_URL.test(text)) return [{ field, message: "has a space, a control character or a backslash in it" }]
  if (!URL.canParse(text)) return [{ field, message: "is not a valid URL" }]
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") {
    return [{ field, message: "has a user name or a password in it. Send them in a header." }]
  }
  if (!isPublicUrl(text, true)) return [{ field, message: "is not an http or https URL" }]
  if (text.includes(`?${MASK}`) || text.includes(`#${MASK}`)) return [{ field, message: MASKED }]
  return isAllowedHost(url, settings) || isPublicUrl(text) ? [] : [{ field, message: NOT_PUBLIC }]
}

const MASKED = `is masked (\`${MASK}\`): these values are never shown. Send the real value, or leave the option out.`

/** Headers that belong to the connection, or that Perch sets. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "cdn-loop",
  "cf-connecting-ip",
  "cf-ray",
  "cf-worker",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
])
const RESERVED_PREFIXES = ["webhook-", "perch-", "x-perch-", "sec-"]

/** True for a header that a hook can't set. */
export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase()
  return RESERVED_HEADERS.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** What is wrong with headers that a caller chose. */
export const headerIssues = (field: string, headers: NonNullable<HttpHook["headers"]>): ReadonlyArray<HookIssue> => {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]) => {
    // An invalid name is not repeated: it may be a secret value in the wrong place.
    if (!HEADER_NAME.test(name)) return [{ field, message: "has a name that is not valid for a header" }]
    const at = `${field}.${name}`
    const twice = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    if (twice) return [{ field: at, message: "is given twice: the names of headers are not case-sensitive" }]
    if (isReservedHeader(name)) return [{ field: at, message: "is set by the server and can't be chosen" }]
    if (!HEADER_VALUE.test(value)) {
      return [{ field: at, message: "has a line break, a control character or a character beyond Latin-1 in it" }]
    }
    return value === MASK ? [{ field: at, message: MASKED }] : []
  })
}
