// The SDK's `Options` that a session accepts, and what it says of the others.
// Invariant: an option is either honoured or refused by name; none is ignored in silence.
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

/** Every other option of the SDK, with the end of the sentence that refuses it: "options.NAME …". */
export const REFUSED_OPTIONS: Readonly<Record<string, string>> = {
  abortController: `${CLIENT}; use POST /v1/sessions/{id}/interrupt`,
  additionalDirectories: LATER,
  agent: LATER,
  agents: LATER,
  agentProgressSummaries: LATER,
  betas: LATER,
  canUseTool: `${CLIENT}; answer asks with POST /v1/sessions/{id}/permissions/{request_id}`,
  continue: `${LATER}; send prompts to the session's id`,
  cwd: "is set with `cwd` beside `options` when the session is created",
  debug: LATER,
  debugFile: PROCESS,
  enableFileCheckpointing: LATER,
  env: PROCESS,
  executable: PROCESS,
  executableArgs: PROCESS,
  extraArgs: PROCESS,
  fallbackModel: LATER,
  forkSession: LATER,
  forwardSubagentText: LATER,
  hooks: LATER,
  includeHookEvents: LATER,
  loadTimeoutMs: CLIENT,
  managedSettings: LATER,
  maxBudgetUsd: LATER,
  mcpServers: LATER,
  mcpServersDelivery: CLIENT,
  onElicitation: CLIENT,
  onUserDialog: CLIENT,
  outputFormat: LATER,
  pathToClaudeCodeExecutable: CLIENT,
  permissionPromptToolName: LATER,
  permissionPrompts: "is written `permission_prompts` here",
  perTaskStopAffordance: LATER,
  persistSession: LATER,
  planModeInstructions: LATER,
  pluginDelivery: CLIENT,
  plugins: PROCESS,
  projectConfigRoot: PROCESS,
  promptSuggestions: LATER,
  resume: `${LATER}; send prompts to the session's id`,
  resumeDropsTurn: LATER,
  resumeSessionAt: LATER,
  sandbox: LATER,
  sessionId: "is set with `id` beside `options` when the session is created",
  sessionStore: CLIENT,
  sessionStoreFlush: CLIENT,
  settings: LATER,
  settingSources: LATER,
  skills: LATER,
  spawnClaudeCodeProcess: CLIENT,
  stderr: CLIENT,
  strictMcpConfig: LATER,
  supportedDialogKinds: LATER,
  taskBudget: LATER,
  title: "is set with `title` beside `options` when the session is created",
  toolAliases: LATER,
  toolConfig: LATER,
  verbatimPrompts: LATER,
}

/** The sentence that refuses an option, or undefined when it is supported. */
export const refusalOf = (name: string): string | undefined => {
  if (name in SessionOptions.fields) return undefined
  const reason = REFUSED_OPTIONS[name]
  return reason === undefined ? `options.${name} is not an option of the Claude Agent SDK` : `options.${name} ${reason}`
}
