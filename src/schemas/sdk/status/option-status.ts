// Every option of the official SDK, and what becomes of it here: the table that refusals and documentation are made of.
// Invariant: all of the SDK's options are named, each once; this file imports nothing, so that clients can hold it too.

const LATER = "is not supported by this version of Perch"
const CLIENT = "belongs to the client library and means nothing to the server"
const NODE = "belongs to the Node client"
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
  additionalDirectories: supported,
  agent: refused(LATER),
  agentProgressSummaries: refused(LATER),
  agents: refused(LATER),
  allowDangerouslySkipPermissions: supported,
  allowedTools: supported,
  betas: refused(LATER),
  canUseTool: differently(`${CLIENT}; answer asks with POST /v1/sessions/{id}/permissions/{request_id}`),
  continue: differently(
    "is `options.continue` beside `cwd` when a session is opened: the newest session of that directory",
  ),
  cwd: differently("is set with `cwd` beside `options` when the session is created"),
  debug: refused("belongs to a local process; the server keeps its own log"),
  debugFile: refused(PROCESS),
  disallowedTools: supported,
  effort: supported,
  enableFileCheckpointing: supported,
  env: differently("is not sent; of `CLAUDE_CODE_MAX_RETRIES` the Node client makes `max_retries`"),
  executable: refused(PROCESS),
  executableArgs: refused(PROCESS),
  extraArgs: differently(`${NODE}, which takes the flags that it knows and names any other`),
  fallbackModel: supported,
  forkSession: differently("is `options.forkSession` beside `options.resume` when a session is opened"),
  forwardSubagentText: refused(LATER),
  hooks: differently(
    'takes HTTP hooks, `{EVENT: [{matcher?, timeout?, hooks: [{type: "http", url, headers?}]}]}`; callbacks travel over the control protocol',
  ),
  includeHookEvents: differently(
    "is taken from the Node SDK and changes nothing: hook events tell of commands in settings files",
  ),
  includePartialMessages: supported,
  loadTimeoutMs: refused(CLIENT),
  managedSettings: refused(LATER),
  maxBudgetUsd: supported,
  maxThinkingTokens: supported,
  maxTurns: supported,
  mcpServers: differently(
    "takes servers of type `sdk` from clients of the control protocol; local processes are never started",
  ),
  mcpServersDelivery: refused(CLIENT),
  model: supported,
  onElicitation: refused(CLIENT),
  onUserDialog: refused(CLIENT),
  outputFormat: supported,
  pathToClaudeCodeExecutable: differently(`${NODE}, whose perch() sets it`),
  permissionMode: differently("is supported, but `auto` runs as `default`, and system/init says so"),
  permissionPromptToolName: refused(LATER),
  permissionPrompts: differently("is written `permission_prompts` here"),
  perTaskStopAffordance: refused(LATER),
  persistSession: supported,
  planModeInstructions: supported,
  pluginDelivery: refused(CLIENT),
  plugins: refused(PROCESS),
  projectConfigRoot: refused(PROCESS),
  promptSuggestions: refused(LATER),
  resume: differently("is `options.resume` when a session is opened"),
  resumeDropsTurn: refused(LATER),
  resumeSessionAt: differently("is `options.resumeSessionAt` beside `options.resume` when a session is opened"),
  sandbox: refused(LATER),
  sessionId: differently("is set with `id` beside `options` when the session is created"),
  sessionStore: refused("needs transcript files, and a Perch session writes none: it is stored on the server"),
  sessionStoreFlush: refused(CLIENT),
  settingSources: refused("means nothing here: there are no settings files"),
  settings: differently(
    "is an object with `permissions`, `model`, `effortLevel` and `alwaysThinkingEnabled`; there are no settings files",
  ),
  skills: refused(LATER),
  spawnClaudeCodeProcess: differently(`${NODE}, whose spawnPerch() makes it`),
  stderr: refused(CLIENT),
  strictMcpConfig: refused("is always so: only the servers that a session names are used"),
  supportedDialogKinds: refused(LATER),
  systemPrompt: differently("is a text, a list of texts, or the preset, which is Perch's own prompt, with `append`"),
  taskBudget: refused(LATER),
  thinking: supported,
  title: differently("is set with `title` beside `options` when the session is created"),
  toolAliases: supported,
  toolConfig: refused(LATER),
  tools: differently("is supported; the preset means the tools that Perch has"),
  verbatimPrompts: refused(LATER),
} satisfies Readonly<Record<string, OptionStatus>>
