// Receives a pattern of a webhook; returns what is wrong with it when it matches no event that is ever delivered.
// Invariant: every event that Perch writes into a log is listed, since one that is missing here does not compile.
import type { EventPayloads } from "../schemas/log/event-payloads.ts"
import { matchesPattern } from "../schemas/log/event-pattern.ts"
import { EventNames } from "../schemas/log/events.ts"
import { didYouMean, nearest } from "../schemas/errors/nearest.ts"
import { BridgeTool } from "../schemas/interop/bridge.ts"
import { HOOK_EVENTS } from "../schemas/sdk/hooks/hooks.ts"
import { SDK_MESSAGES } from "../schemas/sdk/messages/messages.ts"

type Listed = (typeof EventNames)[keyof typeof EventNames] | `sdk:${keyof typeof SDK_MESSAGES}`

/** SDK messages of the loop that the SDK's own union does not have. */
const LOOP_MESSAGES: Readonly<Record<Exclude<keyof EventPayloads, Listed>, true>> = {
  "sdk:command_lifecycle": true,
  "sdk:system/model_fallback": true,
  "sdk:system/session_title_changed": true,
}

/** Events that are never written, and a name that is no event's. */
const NEVER: ReadonlySet<string> = new Set<Listed>([
  EventNames.toolPrinted,
  EventNames.fileChanged,
  "sdk:stream_event",
  "sdk:tool_progress",
  "sdk:system/thinking_tokens",
  "sdk:system/commands_changed",
  "sdk:user/replay",
])

/** Names that patterns match with what follows the slash; see `typeOf`. */
const DIVIDED: ReadonlyMap<string, ReadonlyArray<string>> = new Map<string, ReadonlyArray<string>>([
  [EventNames.hookFired, HOOK_EVENTS],
  [EventNames.bridgeCalled, BridgeTool.literals],
])

/** Events that are delivered and in no log. */
const UNLOGGED = ["session:erased", "webhook:test"]

/** The names of all events that a webhook can receive. */
const DELIVERED: ReadonlyArray<string> = [
  ...Object.values(EventNames).flatMap((name) => DIVIDED.get(name)?.map((rest) => `${name}/${rest}`) ?? [name]),
  ...Object.keys(SDK_MESSAGES).map((name) => `sdk:${name}`),
  ...Object.keys(LOOP_MESSAGES),
  ...UNLOGGED,
].filter((name) => !NEVER.has(name))

/** What a misspelt pattern may mean: an event, or all events that have the same name up to a slash. */
const SUGGESTED: ReadonlySet<string> = new Set(
  DELIVERED.flatMap((name) => (name.includes("/") ? [`${name.slice(0, name.indexOf("/"))}/*`, name] : [name])),
)

const HINT = ". The names are those of GET /v1/sessions/{id}/events, such as sdk:result/success or ask:opened"

/** The end of the sentence that refuses the pattern; undefined when it matches an event. */
export const patternIssue = (pattern: string): string | undefined => {
  if (DELIVERED.some((name) => matchesPattern(pattern, name))) return undefined
  return `matches no event${didYouMean(nearest(pattern, SUGGESTED)) || HINT}`
}
