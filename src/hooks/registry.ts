// Receives how hooks were registered, by a client's `initialize` or in a session's options; returns what to call, by event.
// Invariant: every entry has an id of its own, in the order of registration, and a timeout that is neither zero nor endless.
import { HOOK_EVENTS, type HookEvent, type HookMatchers } from "../schemas/sdk/hooks/hooks.ts"
import type { HttpHookMatchers } from "../schemas/sdk/hooks/http-hooks.ts"

/** One hook to call. */
export interface HookEntry {
  /** Unique among the entries of a session, and the same each time the same matchers are read. */
  readonly id: string
  readonly kind: "client" | "http"
  readonly matcher?: string
  readonly timeoutMs: number
  /** Whether what the hook guards goes on when the hook fails; `ask`: a person is asked about the call. */
  readonly onFailure: "continue" | "block" | "ask"
  /** The client's own id of its callback. */
  readonly callbackId?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type HookRegistry = ReadonlyMap<HookEvent, ReadonlyArray<HookEntry>>

/** A hook without a timeout of its own has a minute, as the Agent SDK documents for callbacks. */
const DEFAULT_HOOK_TIMEOUT_MS = 60_000
/** No hook is waited for longer, whatever its client asked for. */
const MAX_HOOK_TIMEOUT_MS = 24 * 3600_000
/** Callbacks of one client; `clientHookCount` lets `initialize` refuse more instead of losing some. */
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

/** Events whose hooks can refuse something, or hold it back. */
export const DECIDING_EVENTS: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
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

/** The addresses of `options.hooks`; a hook's own settings come before its matcher's. */
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

/** All hooks, in the order of the registries; an id that was there already gets a number. */
export const mergeRegistries = (...all: ReadonlyArray<HookRegistry>): HookRegistry => {
  const merged = new Map<HookEvent, Array<HookEntry>>()
  const taken = new Set<string>()
  for (const registry of all) {
    for (const [event, entries] of registry) {
      const own = merged.get(event) ?? []
      merged.set(event, own)
      for (const entry of entries) {
        let id = entry.id
        for (let copy = 2; taken.has(id); copy += 1) id = `${entry.id}#${copy}`
        taken.add(id)
        own.push(id === entry.id ? entry : { ...entry, id })
      }
    }
  }
  return merged
}

/** A timeout of zero or less means the default, as with callbacks of the official SDK that set none. */
const timeoutMs = (seconds: number | undefined): number =>
  seconds === undefined || !(seconds > 0)
    ? DEFAULT_HOOK_TIMEOUT_MS
    : Math.min(Math.ceil(seconds * 1000), MAX_HOOK_TIMEOUT_MS)
