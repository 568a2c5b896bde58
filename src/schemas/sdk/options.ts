// The SDK's `Options` that a session accepts, and what it says of the others.
// Invariant: every option of the SDK has a status here; it is either honoured or refused by name; none is ignored in silence.
import { Schema } from "effect"
import { PermissionMode } from "./permissions.ts"

const Names = Schema.Array(Schema.String.check(Schema.isMaxLength(1000))).check(Schema.isMaxLength(500))

/** `systemPrompt`: a text of your own, or Perch's own prompt (the preset) with something appended. */
export const SystemPrompt = Schema.Union([
  Schema.String,
  Schema.Struct({
    type: Schema.Literal("preset"),
    preset: Schema.Literal("claude_code"),
    append: Schema.optionalKey(Schema.String),
  }),
])

export const ThinkingConfig = Schema.Union([
  Schema.Struct({ type: Schema.Literal("adaptive") }),
  Schema.Struct({
    type: Schema.Literal("enabled"),
    budgetTokens: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 1_000_000 }))),
  }),
  Schema.Struct({ type: Schema.Literal("disabled") }),
])
export type ThinkingConfig = typeof ThinkingConfig.Type

export const Effort = Schema.Literals(["low", "medium", "high", "xhigh", "max"])
export type Effort = typeof Effort.Type

/** Options of a session, or of one turn, under the SDK's own names. */
export const SessionOptions = Schema.Struct({
  model: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  systemPrompt: Schema.optionalKey(SystemPrompt),
  permissionMode: Schema.optionalKey(PermissionMode),
  allowDangerouslySkipPermissions: Schema.optionalKey(Schema.Boolean),
  /** Perch's own: whether a question waits for an answer (`ask`) or is denied at once (`deny`). */
  permission_prompts: Schema.optionalKey(Schema.Literals(["ask", "deny"])),
  allowedTools: Schema.optionalKey(Names),
  disallowedTools: Schema.optionalKey(Names),
  tools: Schema.optionalKey(
    Schema.Union([Names, Schema.Struct({ type: Schema.Literal("preset"), preset: Schema.Literal("claude_code") })]),
  ),
  maxTurns: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  includePartialMessages: Schema.optionalKey(Schema.Boolean),
  thinking: Schema.optionalKey(ThinkingConfig),
  maxThinkingTokens: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  effort: Schema.optionalKey(Effort),
})
export type SessionOptions = typeof SessionOptions.Type

const LATER = "is not supported by this version of Perch"
const CLIENT = "belongs to the client library and means nothing to the server"
const PROCESS = "needs a local process, and Perch starts none"

export interface OptionStatus {
  /** `differently`: what the option is for can be had, in the way that the note says. */
  readonly status: "supported" | "differently" | "refused"
  /** The end of a sentence that begins with "options.NAME"; the sentence is the refusal of what is not accepted. */
  readonly note: string
}

const supported = { status: "supported", note: "is supported" } as const
const differently = (note: string) => ({ status: "differently", note }) as const
const refused = (note: string) => ({ status: "refused", note }) as const

/** Every option of the SDK, and what becomes of it here. */
export const OPTION_STATUS = {
  abortController: differently(`${CLIENT}; use POST /v1/sessions/{id}/interrupt`),
  additionalDirectories: refused(LATER),
  agent: refused(LATER),
  agentProgressSummaries: refused(LATER),
  agents: refused(LATER),
  allowDangerouslySkipPermissions: supported,
  allowedTools: supported,
  betas: refused(LATER),
  canUseTool: differently(`${CLIENT}; answer asks with POST /v1/sessions/{id}/permissions/{request_id}`),
  continue: differently(`${LATER}; send prompts to the session's id`),
  cwd: differently("is set with `cwd` beside `options` when the session is created"),
  debug: refused(LATER),
  debugFile: refused(PROCESS),
  disallowedTools: supported,
  effort: supported,
  enableFileCheckpointing: refused(LATER),
  env: refused(PROCESS),
  executable: refused(PROCESS),
  executableArgs: refused(PROCESS),
  extraArgs: refused(PROCESS),
  fallbackModel: refused(LATER),
  forkSession: refused(LATER),
  forwardSubagentText: refused(LATER),
  hooks: refused(LATER),
  includeHookEvents: refused(LATER),
  includePartialMessages: supported,
  loadTimeoutMs: refused(CLIENT),
  managedSettings: refused(LATER),
  maxBudgetUsd: refused(LATER),
  maxThinkingTokens: supported,
  maxTurns: supported,
  mcpServers: refused(LATER),
  mcpServersDelivery: refused(CLIENT),
  model: supported,
  onElicitation: refused(CLIENT),
  onUserDialog: refused(CLIENT),
  outputFormat: refused(LATER),
  pathToClaudeCodeExecutable: refused(CLIENT),
  permissionMode: differently("is supported, but `auto` runs as `default`, and system/init says so"),
  permissionPromptToolName: refused(LATER),
  permissionPrompts: differently("is written `permission_prompts` here"),
  perTaskStopAffordance: refused(LATER),
  persistSession: refused(LATER),
  planModeInstructions: refused(LATER),
  pluginDelivery: refused(CLIENT),
  plugins: refused(PROCESS),
  projectConfigRoot: refused(PROCESS),
  promptSuggestions: refused(LATER),
  resume: differently(`${LATER}; send prompts to the session's id`),
  resumeDropsTurn: refused(LATER),
  resumeSessionAt: refused(LATER),
  sandbox: refused(LATER),
  sessionId: differently("is set with `id` beside `options` when the session is created"),
  sessionStore: refused(CLIENT),
  sessionStoreFlush: refused(CLIENT),
  settingSources: refused(LATER),
  settings: refused(LATER),
  skills: refused(LATER),
  spawnClaudeCodeProcess: refused(CLIENT),
  stderr: refused(CLIENT),
  strictMcpConfig: refused(LATER),
  supportedDialogKinds: refused(LATER),
  systemPrompt: differently("is a text, or the preset, which is Perch's own prompt, with `append`"),
  taskBudget: refused(LATER),
  thinking: differently("is supported without `display`"),
  title: differently("is set with `title` beside `options` when the session is created"),
  toolAliases: refused(LATER),
  toolConfig: refused(LATER),
  tools: differently("is supported; the preset means the tools that Perch has"),
  verbatimPrompts: refused(LATER),
} satisfies Readonly<Record<string, OptionStatus>>

const accepted = (name: string): boolean => Object.hasOwn(SessionOptions.fields, name)

/** Every option that a session's `options` may not hold, with the end of the sentence that refuses it: "options.NAME …". */
export const REFUSED_OPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(OPTION_STATUS)
    .filter(([name]) => !accepted(name))
    .map(([name, { note }]) => [name, note]),
)

/** The sentence that refuses an option, or undefined when it is accepted. */
export const refusalOf = (name: string): string | undefined => {
  if (accepted(name)) return undefined
  const reason = Object.hasOwn(REFUSED_OPTIONS, name) ? REFUSED_OPTIONS[name] : undefined
  return reason === undefined ? `options.${name} is not an option of the Claude Agent SDK` : `options.${name} ${reason}`
}
