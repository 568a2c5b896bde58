// Receives the hooks of a client's `initialize` or of a session's options; returns the entries to call, by event.
// Invariant: entries are in the order of registration, each with a unique id and a timeout that is neither zero nor endless.
import { HOOK_EVENTS, type HookEvent, type HookMatchers } from "../schemas/sdk/hooks/hooks.ts"
import type { HttpHookMatchers } from "../schemas/sdk/hooks/http-hooks.ts"

/** One hook to call. */
export interface HookEntry {
  /** Unique among the entries of a session, and the same each time the same matchers are read. */
  readonly id: string
  readonly kind: "client" | "http"
  readonly matcher?: string
  readonly timeoutMs: number
  /** Whether the guarded action continues when the hook fails; `ask`: a person is asked about the tool call. */
  readonly onFailure: "continue" | "block" | "ask"
  /** The client's own id of its callback. */
  readonly callbackId?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type HookRegistry = ReadonlyMap<HookEvent, ReadonlyArray<HookEntry>>

/** The timeout of a hook that sets none, as the Agent SDK documents for callbacks. */
const DEFAULT_HOOK_TIMEOUT_MS = 60_000
/** The longest timeout of a hook, whatever its client asked for. */
const MAX_HOOK_TIMEOUT_MS = 24 * 3600_000
/** The most callbacks of one client; with `clientHookCount`, `initialize` refuses more instead of dropping some. */
export const MAX_CLIENT_HOOKS = 1000

/** The callbacks that a client registers in `initialize.hooks`; those after the first 1000 are left out. */
export const clientHooks = (matchers: HookMatchers): HookRegistry => {
  const registry = new Map<HookEvent, Array<HookEntry>>()
  let room = MAX_CLIENT_HOOKS
  for (const event of HOOK_EVENTS) {
    const entries = (matchers[event] ?? []).flatMap((group, at) =>
      group.hookCallbackIds.map((callbackId, index): HookEntry => ({
        id: `client:${event}:${at}:${index}`,
        kind: "client",
        ...(group.matcher === undefined ? {} : { matcher: group.matcher }),
        timeoutMs: timeoutMs(group.timeout),
        onFailure: group.onFailure ?? "continue",
        callbackId,
      })),
    )
    if (entries.length > 0 && room > 0) registry.set(event, entries.slice(0, room))
    room -= entries.length
  }
  return registry
}

/** How many callbacks `initialize.hooks` registers. */
export const clientHookCount = (matchers: HookMatchers): number =>
  HOOK_EVENTS.flatMap((event) => matchers[event] ?? []).reduce((sum, group) => sum + group.hookCallbackIds.length, 0)

/** Events whose hooks can refuse or defer an action. */
export const DECIDING_EVENTS: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PreSkillShellCommand",
  "PermissionRequest",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PostToolBatch",
  "PreCompact",
  "PreModelSwitch",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
])

/** The HTTP hooks of `options.hooks`; a hook's own settings override its matcher's. */
export const httpHooks = (matchers: HttpHookMatchers): HookRegistry => {
  const registry = new Map<HookEvent, Array<HookEntry>>()
  for (const event of HOOK_EVENTS) {
    const entries = (matchers[event] ?? []).flatMap((group, at) =>
      group.hooks.map((hook, index): HookEntry => ({
        id: `http:${event}:${at}:${index}`,
        kind: "http",
        ...(group.matcher === undefined ? {} : { matcher: group.matcher }),
        timeoutMs: timeoutMs(hook.timeout ?? group.timeout),
        onFailure: hook.onFailure ?? group.onFailure ?? (DECIDING_EVENTS.has(event) ? "block" : "continue"),
        url: hook.url,
        ...(hook.headers === undefined ? {} : { headers: hook.headers }),
      })),
    )
    if (entries.length > 0) registry.set(event, entries)
  }
  return registry
}

/** All hooks, in the order of the registries; a number is appended to an id that is already taken. */
export const mergeRegistries = (...all: ReadonlyArray<HookRegistry>): HookRegistry => {
  const merged = new Map<HookEvent, Array<HookEntry>>()
  const usedIds = new Set<string>()
  for (const registry of all) {
    for (const [event, entries] of registry) {
      const own = merged.get(event) ?? []
      merged.set(event, own)
      for (const entry of entries) {
        let id = entry.id
        for (let copy = 2; usedIds.has(id); copy += 1) id = `${entry.id}#${copy}`
        usedIds.add(id)
        own.push(id === entry.id ? entry : { ...entry, id })
      }
    }
  }
  return merged
}

/** Converts seconds to milliseconds. Zero or less means the default, as for callbacks of the official SDK that set none. */
const timeoutMs = (seconds: number | undefined): number =>
  seconds === undefined || !(seconds > 0)
    ? DEFAULT_HOOK_TIMEOUT_MS
    : Math.min(Math.ceil(seconds * 1000), MAX_HOOK_TIMEOUT_MS)
