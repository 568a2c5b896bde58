// Every flag that the official SDK passes to its process on the command line, and how it is handled here.
// Invariant: a flag is passed on to the session, ignored for a reason that is stated, or refused.
import { OPTION_STATUS } from "../../schemas/sdk/status/option-status.ts"
import type { Draft, LaunchOption } from "./draft.ts"
import type { PromptFlags } from "./prompt-flags.ts"
import { listOf, mcpServersOf, numberOf, objectOf, settingsOf } from "./flag-values.ts"
import { LaunchError } from "./launch-error.ts"

export type Flag =
  | { readonly kind: "carried"; readonly value: "none" | "one"; readonly take: (draft: Draft, value: string) => void }
  | { readonly kind: "left out"; readonly value: "none" | "one" | "optional"; readonly why: string }
  | { readonly kind: "refused"; readonly option: string; readonly why: string }

const carried = (take: (draft: Draft, value: string) => void): Flag => ({ kind: "carried", value: "one", take })
const bare = (take: (draft: Draft) => void): Flag => ({ kind: "carried", value: "none", take })
const leftOut = (value: "none" | "one" | "optional", why: string): Flag => ({ kind: "left out", value, why })
const refused = (option: keyof typeof OPTION_STATUS): Flag => ({
  kind: "refused",
  option,
  why: OPTION_STATUS[option].note,
})

const text = (name: LaunchOption) =>
  carried(({ options }, value) => {
    options[name] = value
  })

const on = (name: LaunchOption) =>
  bare(({ options }) => {
    options[name] = true
  })

const number = (flag: string, name: LaunchOption) =>
  carried(({ options }, value) => {
    options[name] = numberOf(flag, value)
  })

/** A list option; each occurrence of its flag appends to it. */
const list = (name: LaunchOption, read: (value: string) => ReadonlyArray<string>) =>
  carried(({ options }, value) => {
    const before = options[name]
    options[name] = [...(Array.isArray(before) ? before : []), ...read(value)]
  })

const promptText = (name: keyof PromptFlags) =>
  carried(({ prompt }, value) => {
    prompt[name] = value
  })

/** A flag of which Perch supports one value; any other throws LaunchError. */
const only = (flag: string, expected: string) =>
  carried((_draft, value) => {
    if (value !== expected) throw new LaunchError(`${flag} must be ${expected} here`)
  })

const LOCAL_LOG = "there is no local process to log; the server keeps its own log"

export const FLAGS: Readonly<Record<string, Flag>> = {
  // The format that both sides use.
  "--output-format": only("--output-format", "stream-json"),
  "--input-format": only("--input-format", "stream-json"),
  "--verbose": leftOut("none", "the stream of messages is always complete"),
  "--await-initialize": leftOut("none", "a session always reads `initialize` before the first prompt"),

  // Which session.
  "--session-id": carried((draft, value) => {
    draft.id = value.toLowerCase()
  }),
  "--resume": text("resume"),
  "--continue": on("continue"),
  "--fork-session": on("forkSession"),
  "--resume-session-at": text("resumeSessionAt"),
  "--no-session-persistence": bare(({ options }) => {
    options.persistSession = false
  }),
  "--replay-user-messages": bare(({ options }) => {
    options.replay_user_messages = true
  }),

  "--agent": text("agent"),
  "--agents": carried(({ options }, value) => {
    options.agents = objectOf("--agents", "agents", value)
  }),

  // The system prompt, which the SDK for Python configures here and the one for TypeScript in `initialize`.
  "--system-prompt": promptText("text"),
  "--system-prompt-file": promptText("file"),
  "--append-system-prompt": promptText("append"),
  "--append-system-prompt-file": promptText("appendFile"),

  // The model.
  "--model": text("model"),
  "--fallback-model": text("fallbackModel"),
  "--effort": text("effort"),
  "--thinking": carried(({ options }, value) => {
    options.thinking = { type: value }
  }),
  "--thinking-display": carried((draft, value) => {
    draft.thinkingDisplay = value
  }),
  "--max-thinking-tokens": number("--max-thinking-tokens", "maxThinkingTokens"),
  "--max-turns": number("--max-turns", "maxTurns"),
  "--max-budget-usd": number("--max-budget-usd", "maxBudgetUsd"),
  "--include-partial-messages": on("includePartialMessages"),
  "--json-schema": carried(({ options }, value) => {
    options.outputFormat = { type: "json_schema", schema: objectOf("--json-schema", "outputFormat", value) }
  }),

  // Tools and permissions.
  "--tools": carried(({ options }, value) => {
    options.tools = value === "default" ? { type: "preset", preset: "claude_code" } : listOf(value)
  }),
  "--allowedTools": list("allowedTools", listOf),
  "--disallowedTools": list("disallowedTools", listOf),
  "--betas": list("betas", listOf),
  "--add-dir": list("additionalDirectories", (value) => [value]),
  "--strict-mcp-config": on("strictMcpConfig"),
  "--mcp-config": carried((draft, value) => {
    const { remote, inApp } = mcpServersOf(value, draft.cwd)
    draft.options.mcpServers = Object.assign({}, draft.options.mcpServers, remote)
    draft.sdkServers = { ...draft.sdkServers, ...inApp }
  }),
  "--settings": carried(({ options, cwd }, value) => {
    options.settings = settingsOf(value, cwd)
  }),
  "--permission-mode": text("permissionMode"),
  "--allow-dangerously-skip-permissions": on("allowDangerouslySkipPermissions"),
  "--permission-prompt-tool": carried((draft, value) => {
    if (value !== "stdio")
      throw new LaunchError(`options.permissionPromptToolName ${OPTION_STATUS.permissionPromptToolName.note}`)
    draft.asks = true
  }),
  "--permission-prompts": carried((draft, value) => {
    draft.answered = value !== "none"
  }),

  // Files of the workspace.
  "--setting-sources": carried(({ options }, value) => {
    const sources = listOf(value)
    if (sources.length > 0) options.settingSources = sources
  }),

  // What only a local process has.
  "--debug": leftOut("optional", LOCAL_LOG),
  "--debug-to-stderr": leftOut("none", LOCAL_LOG),
  "--include-hook-events": leftOut("none", "these events report commands of settings files, and none of those is run"),
  "--debug-file": refused("debugFile"),
  "--plugin-dir": refused("plugins"),
  "--plugin-dir-no-mcp": refused("plugins"),
  "--project-config-root": refused("projectConfigRoot"),
  "--session-mirror": bare((draft) => {
    draft.mirrored = true
  }),

  // What Perch does not do.
  "--task-budget": refused("taskBudget"),
  "--managed-settings": refused("managedSettings"),
  "--managed-settings-in-initialize": refused("managedSettings"),
  "--resume-drops-turn": refused("resumeDropsTurn"),
}
