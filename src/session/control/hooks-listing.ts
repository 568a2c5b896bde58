// Receives the hooks of a session, as its client and its options registered them; returns them as `get_hooks_listing` does.
// Invariant: one row for each hook that is called, without headers and without the query of a URL.
import { takesMatcher } from "../../hooks/matcher.ts"
import { clientHooks, type HookEntry, httpHooks, mergeRegistries } from "../../hooks/registry.ts"
import type { ControlAnswers } from "../../schemas/sdk/control/control-responses.ts"
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import type { HookMatchers } from "../../schemas/sdk/hooks/hooks.ts"
import { maskUrl } from "../../schemas/sdk/options/masked-options.ts"
import type { FiredHookEvent } from "../../schemas/sdk/status/hook-status.ts"

type HooksListing = (typeof ControlAnswers)["get_hooks_listing"]["Type"]

/** The events that fire here, in the order in which a session comes to them. */
const SUMMARIES = {
  SessionStart: "A session starts, is resumed, or starts over",
  InstructionsLoaded: "A file of instructions was loaded",
  UserPromptSubmit: "A prompt was received and not yet sent to the model",
  UserPromptExpansion: "A slash command was expanded",
  PreModelSwitch: "The model is about to change",
  PostModelSwitch: "The model has changed",
  PreToolUse: "A tool is about to run",
  PreSkillShellCommand: "A script of a skill or command is about to run",
  PermissionRequest: "A call needs permission",
  PermissionDenied: "A call was denied without asking",
  PostToolUse: "A tool has run",
  PostToolUseFailure: "A tool has failed",
  PostToolBatch: "All calls of one answer have their results",
  Notification: "The session waits for its user",
  Elicitation: "An MCP server asks the user",
  ElicitationResult: "The user has answered an MCP server",
  SubagentStart: "A subagent starts",
  SubagentStop: "A subagent is about to end",
  TaskCreated: "A task was created",
  TaskCompleted: "A task was completed",
  MessageDisplay: "Text of the model is displayed",
  PreCompact: "The conversation is about to be compacted",
  PostCompact: "The conversation was compacted",
  Stop: "The turn is about to end",
  StopFailure: "The turn ends with an API error",
  SessionEnd: "A session ends or is cleared",
} satisfies Record<FiredHookEvent, string>

// Every key above is the name of an event.
const EVENTS = Object.keys(SUMMARIES) as ReadonlyArray<FiredHookEvent>

const CATALOGUE = EVENTS.map((name) => ({ name, summary: SUMMARIES[name], supportsMatcher: takesMatcher(name) }))

export const hooksListing = (client: HookMatchers, http: HttpHookMatchers): HooksListing => {
  const registry = mergeRegistries(clientHooks(client), httpHooks(http))
  const rowsOf = (event: FiredHookEvent) => (registry.get(event) ?? []).map((entry) => row(event, entry))
  return {
    events: CATALOGUE.map((event) => ({ ...event, hookCount: rowsOf(event.name).length })).filter(
      ({ hookCount }) => hookCount > 0,
    ),
    hooks: CATALOGUE.flatMap(({ name }) => rowsOf(name)),
    eventCatalog: CATALOGUE,
    policy: { disabledByPolicy: false, managedOnly: false, pluginOnly: false, allDisabled: false, policyHookCount: 0 },
  }
}

const row = (event: string, { kind, matcher = "", timeoutMs, callbackId = "", url = "" }: HookEntry) => {
  const text = kind === "client" ? callbackId : maskUrl(url)
  return {
    event,
    matcher,
    ...(kind === "client"
      ? { source: "sessionHook", sourceLabel: "Client of the session", type: "callback", contentLabel: "Callback" }
      : { source: "sessionOptions", sourceLabel: "options.hooks", type: "http", contentLabel: "URL" }),
    displayText: text,
    commandText: text,
    timeout: timeoutMs / 1000,
  }
}
