// Receives a session's options; returns them as any reader may see them: in responses, lists, events and rows.
// Invariant: the result has the shape of the options, but no header values, no client secrets, and nothing after `?` or `#` in
// an address. Only the session's own record and the requests that it makes contain those.
import type { HttpHook, HttpHookMatcher, HttpHookMatchers } from "../hooks/http-hooks.ts"
import { HOOK_EVENTS } from "../hooks/hooks.ts"

/** Shown instead of a value that can be written but never read. */
export const MASK = "***"

/** Masks the secrets of options. Options without secrets are returned unchanged. */
export const maskOptions = <Options extends Readonly<Record<string, unknown>>>(options: Options): Options => {
  const masked = Object.entries(options).flatMap(([name, value]) => {
    const mask = Object.hasOwn(MASKS, name) ? MASKS[name] : undefined
    return mask === undefined || !isObject(value) ? [] : [[name, mask(value)] as const]
  })
  // The masks keep the shape of what they mask.
  return masked.length === 0 ? options : ({ ...options, ...Object.fromEntries(masked) } as Options)
}

/** An address without what comes after `?` or `#`. */
export const maskUrl = (url: string): string => url.replace(/[?#].*$/s, (rest) => `${rest.charAt(0)}${MASK}`)

const maskHook = (hook: HttpHook): HttpHook => ({
  ...hook,
  url: maskUrl(hook.url),
  ...(hook.headers === undefined ? {} : { headers: maskValues(hook.headers) }),
})

const maskMatcher = (matcher: HttpHookMatcher): HttpHookMatcher => ({ ...matcher, hooks: matcher.hooks.map(maskHook) })

const maskHooks = (matchers: HttpHookMatchers): HttpHookMatchers =>
  Object.fromEntries(
    HOOK_EVENTS.flatMap((event) => (matchers[event] === undefined ? [] : [[event, matchers[event].map(maskMatcher)]])),
  )

const maskValues = (values: object): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, MASK]))

/** The only fields that are shown of an unused entry, which is disabled or has no type. */
const OF_UNUSED: ReadonlySet<string> = new Set(["type", "enabled", "name", "url"])

/** Masks the secret fields of an MCP server's configuration, whatever the type of the server. */
export const maskServer = (server: object): Readonly<Record<string, unknown>> => {
  // The other fields of an unused entry are unknown, so they may be secret.
  const unused = Reflect.get(server, "enabled") === false || Reflect.get(server, "type") === undefined
  const shown = Object.entries(server).filter(([name]) => !unused || OF_UNUSED.has(name))
  const fields = shown.map(([name, value]) => {
    if (name === "url" && typeof value === "string") return [name, maskUrl(value)]
    if (name === "oauth" && isObject(value)) return [name, maskOAuth(value)]
    return [name, (name === "headers" || name === "env") && isObject(value) ? maskValues(value) : value]
  })
  return Object.fromEntries(fields)
}

/** Fields of `oauth` that are secrets. */
const OAUTH_SECRETS = ["clientSecret", "privateKey"] as const

const maskOAuth = (oauth: object): object => ({
  ...oauth,
  ...Object.fromEntries(OAUTH_SECRETS.filter((name) => name in oauth).map((name) => [name, MASK])),
})

/** True when a secret of `oauth` is only its mask. */
export const isMaskedOAuth = (oauth: unknown): boolean =>
  isObject(oauth) && OAUTH_SECRETS.some((name) => Reflect.get(oauth, name) === MASK)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const maskServers = (servers: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, isObject(server) ? maskServer(server) : server]),
  )

/** Masks definitions of subagents; definitions without servers of their own are returned unchanged. */
const maskAgents = (agents: object): object => {
  const masked = Object.entries(agents).flatMap(([name, definition]) => {
    const servers: unknown = isObject(definition) ? Reflect.get(definition, "mcpServers") : undefined
    if (!Array.isArray(servers) || !servers.some(isObject)) return []
    const shown = servers.map((server: unknown) => (isObject(server) ? maskServers(server) : server))
    return [[name, { ...definition, mcpServers: shown }] as const]
  })
  return masked.length === 0 ? agents : { ...agents, ...Object.fromEntries(masked) }
}

/** The masks of options that may contain secrets, by name. Each receives what the option's schema accepted. */
const MASKS: Readonly<Record<string, ((value: object) => object) | undefined>> = {
  hooks: (value) => maskHooks(value as HttpHookMatchers),
  mcpServers: maskServers,
  agents: maskAgents,
  shell_env: maskValues,
}
