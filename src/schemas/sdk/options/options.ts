// The SDK's `Options` that a session accepts, and the refusals of the others.
// Invariant: an option is either honoured or refused by name, as in option-status.ts; none is ignored silently.
import * as Schema from "effect/Schema"
import { AgentDefinition } from "./agents.ts"
import { EFFORTS } from "../efforts.ts"
import { ClaudeCodeConfig } from "../../interop/claude-code-config.ts"
import { ClientTools } from "../tools/client-tools.ts"
import { AnyRecord } from "../open.ts"
import { MessagingTools, ReplySettings } from "../../interop/reply-settings.ts"
import { CommandDefinitions } from "./commands.ts"
import { HttpHookMatchers } from "../hooks/http-hooks.ts"
import { McpServerEntry } from "./mcp-entries.ts"
import { OPTION_STATUS } from "../status/option-status.ts"
import { didYouMean, nearest } from "../../errors/nearest.ts"
import { PermissionRuleset } from "./permission-ruleset.ts"
import { DirectoryPath } from "../../absolute-path.ts"
import { PermissionMode } from "./permissions.ts"
import { SessionRuntime } from "./session-runtime.ts"
import { SettingSources } from "./setting-sources.ts"
import { Variant } from "./variants.ts"
import { UnknownOutcomes } from "./unknown-outcomes.ts"

const Names = Schema.Array(Schema.String.check(Schema.isMaxLength(1000))).check(Schema.isMaxLength(500))

const opt = Schema.optionalKey
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

/** True for the names that an MCP server may have, wherever it is set. */
export const isServerName = Schema.is(Name)
const Prompts = Schema.Union([Schema.String, Schema.Array(Schema.String).check(Schema.isMaxLength(50))])

/**
 * `systemPrompt`: a text of your own (or several, one block each), or Perch's own prompt (the preset) with something
 * appended. `snapshot` and `excludeDynamicSections` are accepted and change nothing: there are no dynamic sections here.
 */
export const SystemPrompt = Schema.Union([
  Prompts,
  Schema.Struct({
    type: Schema.Literal("custom"),
    prompt: Prompts,
    snapshot: opt(Schema.Boolean),
  }),
  Schema.Struct({
    type: Schema.Literal("preset"),
    preset: Schema.Literal("claude_code"),
    append: opt(Schema.String),
    excludeDynamicSections: opt(Schema.Boolean),
    snapshot: opt(Schema.Boolean),
  }),
])

const ThinkingDisplay = Schema.Literals(["summarized", "omitted", "highlights"])

export const ThinkingConfig = Schema.Union([
  Schema.Struct({ type: Schema.Literal("adaptive"), display: opt(ThinkingDisplay) }),
  Schema.Struct({
    type: Schema.Literal("enabled"),
    budgetTokens: opt(Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 1_000_000 }))),
    display: opt(ThinkingDisplay),
  }),
  Schema.Struct({ type: Schema.Literal("disabled") }),
])
export type ThinkingConfig = typeof ThinkingConfig.Type

export const Effort = Schema.Literals(EFFORTS)
export type Effort = typeof Effort.Type

/** `outputFormat`: the turn ends with a value of this JSON Schema, as `structured_output` of its result. */
export const OutputFormat = Schema.Struct({ type: Schema.Literal("json_schema"), schema: AnyRecord })
export type OutputFormat = typeof OutputFormat.Type

/** The API's betas that a session can ask for: the window of a million tokens, for the models that have it as a beta. */
export const Beta = Schema.Literal("context-1m-2025-08-07")

export const CacheTtl = Schema.Literals(["5m", "1h"])

/** The window's minimum, because the reserve for the summary would take most of a smaller window. */
export const AutoCompactWindow = Schema.Int.check(Schema.isBetween({ minimum: 40_000, maximum: 10_000_000 }))

/** The `settings` that apply to a session without a disk: permission rules, a default mode, more directories, effort. */
export const SessionSettings = Schema.Struct({
  permissions: opt(
    Schema.Struct({
      allow: opt(Names),
      deny: opt(Names),
      ask: opt(Names),
      defaultMode: opt(PermissionMode),
      additionalDirectories: opt(Schema.Array(DirectoryPath).check(Schema.isMaxLength(100))),
      disableBypassPermissionsMode: opt(Schema.Literal("disable")),
    }),
  ),
  model: opt(Name),
  effortLevel: opt(Schema.NullOr(Effort)),
  alwaysThinkingEnabled: opt(Schema.Boolean),
  /** False: the conversation is never compacted automatically. */
  autoCompactEnabled: opt(Schema.Boolean),
  /** Limits the window that automatic compaction assumes, in tokens, if the model's window is larger. */
  autoCompactWindow: opt(AutoCompactWindow),
  /** How long the API keeps what requests of the conversation write into its prompt cache. */
  promptCacheTtl: opt(CacheTtl),
  /** As `promptCacheTtl`, for requests of subagents. */
  subagentPromptCacheTtl: opt(CacheTtl),
})
export type SessionSettings = typeof SessionSettings.Type

const limit = (maximum: number) => opt(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

export const WorkspaceLimits = Schema.Struct({
  files: limit(10_000),
  bytes: limit(256 << 20),
  file_bytes: limit(32 << 20),
})
export type WorkspaceLimits = typeof WorkspaceLimits.Type

/** Variables that the shell itself sets. */
const SHELLS_OWN = /^(?:PATH|HOME|USER|TMPDIR|PWD|OLDPWD|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS)$/

export const ShellEnv = Schema.Record(
  Schema.String.check(
    Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
      message: "Expected the name of a variable: letters, digits and _",
    }),
    Schema.makeFilter((name: string) => !SHELLS_OWN.test(name) || `${name} is reserved for the shell`),
  ),
  Schema.String.check(
    Schema.isMaxLength(32_768),
    // oxlint-disable-next-line no-control-regex -- a variable ends there
    Schema.isPattern(/^[^\u0000]*$/, { message: "Expected a string without a NUL character" }),
  ),
).check(Schema.isMaxProperties(100))

/** Options of a session, or of one turn, under the SDK's own names. */
export const SessionOptions = Schema.Struct({
  model: opt(Name),
  betas: opt(Schema.Array(Beta).check(Schema.isMaxLength(10))),
  fallbackModel: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000))),
  systemPrompt: opt(SystemPrompt),
  planModeInstructions: opt(Schema.String.check(Schema.isMaxLength(100_000))),
  permissionMode: opt(PermissionMode),
  allowDangerouslySkipPermissions: opt(Schema.Boolean),
  /** Perch's own: whether a permission ask waits for an answer (`ask`) or is denied at once (`deny`). */
  permission_prompts: opt(Schema.Literals(["ask", "deny"])),
  /** Perch's own: rules in opencode's terms, in addition to the SDK's rules; the last rule that matches counts. */
  permission: opt(PermissionRuleset),
  /** Perch's own: milliseconds that an ask waits before it is denied (default 24 hours). */
  ask_timeout_ms: opt(Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 604_800_000 }))),
  /** Perch's own: a prompt for the model is also sent back to clients, as a message with `isReplay`, when its turn starts. */
  replay_user_messages: opt(Schema.Boolean),
  /**
   * Perch's own: the limits of the workspace: nodes (files, folders, links; default and at most 10,000), bytes
   * (256 MiB) and bytes of one file (32 MiB). Existing files stay when a limit is lowered below them.
   */
  workspace_limits: opt(WorkspaceLimits),
  /** Perch's own: whether the session is recorded, or plays a recording instead of calling the model and other services. */
  runtime: opt(SessionRuntime),
  /** Perch's own: shell scripts may fetch from public addresses (`curl`). */
  shell_network: opt(Schema.Boolean),
  /** Perch's own: variables of the shell's environment. Their values are never shown again. */
  shell_env: opt(ShellEnv),
  allowedTools: opt(Names),
  disallowedTools: opt(Names),
  additionalDirectories: opt(Schema.Array(DirectoryPath).check(Schema.isMaxLength(100))),
  settings: opt(SessionSettings),
  /** The workspace files that apply: `project` and `local`; `user` has none on a server. Default: none. */
  settingSources: opt(SettingSources),
  /** The skills of the project that the session uses: all, or those that are named. */
  skills: opt(Schema.Union([Names, Schema.Literal("all")])),
  /** Only the MCP servers that the session names are used, none of those that its tenant has stored. */
  strictMcpConfig: opt(Schema.Boolean),
  tools: opt(
    Schema.Union([Names, Schema.Struct({ type: Schema.Literal("preset"), preset: Schema.Literal("claude_code") })]),
  ),
  toolAliases: opt(Schema.Record(Name, Name).check(Schema.isMaxProperties(200))),
  /** Servers over HTTP, and those inside the client; local processes are refused. */
  mcpServers: opt(Schema.Record(Name, McpServerEntry).check(Schema.isMaxProperties(50))),
  /** The main thread runs as this agent: one of `agents`, of the project, of the tenant, or Perch's own. */
  agent: opt(Name),
  /** Subagents by name, for the Agent tool; agent-status.ts lists the supported fields of a definition. */
  agents: opt(Schema.Record(Schema.String, AgentDefinition)),
  /** Perch's own: how the router chooses between the full agent and the minimal one. */
  claudeCode: opt(ClaudeCodeConfig),
  /** Perch's own: tools whose calls a client executes and answers with their results. */
  clientTools: opt(ClientTools),
  /** Perch's own: slash commands that a prompt may call (at most 100). */
  commands: opt(CommandDefinitions),
  /** Perch's own: how replies are shaped for a chat channel (`format=reply`). */
  reply: opt(ReplySettings),
  /** Perch's own: tools that send messages themselves, whose texts a reply does not repeat. */
  messaging_tools: opt(MessagingTools),
  /** HTTP hooks, in addition to the callbacks that a client registers over the control protocol. */
  hooks: opt(HttpHookMatchers),
  outputFormat: opt(OutputFormat),
  maxTurns: opt(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  maxBudgetUsd: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  /** Perch's own: how many times a failed model request is retried (default 10). */
  max_retries: opt(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))),
  /** Perch's own: what happens to a call with outside effects whose result was lost in a crash (default `tell_model`). */
  unknown_outcomes: opt(UnknownOutcomes),
  /** Perch's own: milliseconds within which a model's answer must start (default 300,000). */
  model_first_byte_timeout_ms: opt(Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 1_800_000 }))),
  /** Perch's own: the most milliseconds between two events of a model's answer, not counting pings (default 300,000). */
  model_idle_timeout_ms: opt(Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 1_800_000 }))),
  /** Perch's own: milliseconds within which a step must have its answer, every retry included (default 3,600,000). */
  model_timeout_ms: opt(Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 7_200_000 }))),
  includePartialMessages: opt(Schema.Boolean),
  forwardSubagentText: opt(Schema.Boolean),
  agentProgressSummaries: opt(Schema.Boolean),
  /** An option of the SDK that its types do not have: text that is appended to every subagent's system prompt. */
  appendSubagentSystemPrompt: opt(Schema.String.check(Schema.isMaxLength(100_000))),
  thinking: opt(ThinkingConfig),
  maxThinkingTokens: opt(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  effort: opt(Effort),
  /** Perch's own: how much the model thinks, by opencode's names: a token budget or an effort, as the model supports. */
  variant: opt(Variant),
  /** False: the session is erased when the client that opened it ends. */
  persistSession: opt(Schema.Boolean),
  /** Accepted, and always on: every prompt is a checkpoint. */
  enableFileCheckpointing: opt(Schema.Boolean),
})
export type SessionOptions = typeof SessionOptions.Type

const accepted = (name: string): boolean => Object.hasOwn(SessionOptions.fields, name)

/** Every option that a session's `options` may not contain, with the end of the sentence that refuses it: "options.NAME …". */
export const REFUSED_OPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(OPTION_STATUS)
    .filter(([name]) => !accepted(name))
    .map(([name, { note }]) => [name, note]),
)

/** Options of other APIs, with a hint at the equivalent here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  stream: "To stream the answer send the header `Accept: text/event-stream`",
  system: "Did you mean options.systemPrompt?",
  instructions: "Did you mean options.systemPrompt?",
  timeout: "Did you mean options.ask_timeout_ms?",
  lsp: "A language server is a local process, and Perch starts none: offer a tool of your own, as examples/ade-tools.mjs does",
  pty: "A terminal needs a local process, and Perch starts none: the tool Bash runs scripts",
  max_tokens: "The model determines the length of answers; options.maxBudgetUsd and options.maxTurns limit a turn",
}

const unknownOption = (name: string): string => {
  const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined
  const close = nearest(name, [...Object.keys(SessionOptions.fields), ...Object.keys(OPTION_STATUS)])
  const meant =
    elsewhere === undefined ? didYouMean(close === undefined ? undefined : `options.${close}`) : `. ${elsewhere}`
  return `is not an option of the Claude Agent SDK${meant}`
}

/** The sentence that refuses an option, or undefined when it is accepted. */
export const refusalOf = (name: string): string | undefined => {
  if (accepted(name)) return undefined
  const reason = Object.hasOwn(REFUSED_OPTIONS, name) ? REFUSED_OPTIONS[name] : undefined
  return reason === undefined ? `options.${name} ${unknownOption(name)}` : `options.${name} ${reason}`
}
