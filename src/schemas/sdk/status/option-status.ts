// Every option of the official SDK, and how Perch handles it. Refusals and documentation are made from this table.
// Invariant: all of the SDK's options are listed, each once; this file imports nothing, so that clients can bundle it too.

const LATER = "is not supported by this version of Perch"
const CLIENT = "belongs to the client library and has no meaning for the server"
const NODE = "belongs to the Node client"
const PROCESS = "needs a local process, and Perch starts none"

export interface OptionStatus {
  /**
   * `honoured`: it works as in the SDK, or in another way that the note describes. `harmless`: it is accepted from the
   * SDK's clients and changes nothing, for the reason in the note. `refused`: asking for it is an error.
   */
  readonly status: "honoured" | "harmless" | "refused"
  /** The end of a sentence that begins with "options.NAME"; for a refused option, the sentence is the error message. */
  readonly note: string
}

const supported = { status: "honoured", note: "is supported" } as const
const honoured = (note: string) => ({ status: "honoured", note }) as const
const harmless = (note: string) => ({ status: "harmless", note }) as const
const refused = (note: string) => ({ status: "refused", note }) as const

/** The status of every option of the SDK. */
export const OPTION_STATUS = {
  abortController: honoured(`${CLIENT}; use POST /v1/sessions/{id}/interrupt`),
  additionalDirectories: supported,
  agent: honoured(
    "selects the agent that the main thread runs as: its prompt, tools, model, effort and `maxTurns` apply; its permission mode does not, and an explicit `model` overrides the agent's",
  ),
  agentProgressSummaries: supported,
  agents: honoured("defines at most 50 subagents; a field of a definition that can't be honoured is rejected by name"),
  allowDangerouslySkipPermissions: supported,
  allowedTools: supported,
  betas: honoured(
    "accepts `context-1m-2025-08-07`, which is sent to models that have that window as a beta (Sonnet 4, 4.5 and 4.6, Opus 4.6); other models keep their own window",
  ),
  canUseTool: honoured(`${CLIENT}; answer asks with POST /v1/sessions/{id}/permissions/{request_id}`),
  continue: honoured(
    "is for POST /v1/sessions, together with `cwd`: it opens the newest session of that directory. Then send the prompt to POST /v1/sessions/{id}/query",
  ),
  cwd: honoured("is set with `cwd`, next to `options`, when the session is created"),
  debug: harmless("belongs to a local process; the server keeps its own log"),
  debugFile: refused(PROCESS),
  disallowedTools: supported,
  effort: supported,
  enableFileCheckpointing: supported,
  env: harmless(
    "is not sent; perch({ env: [NAMES] }) sends variables to the shell as `shell_env`, and the Node client makes options of some variables of the official CLI, see [agent-sdk.md](agent-sdk.md#variables-of-the-cli)",
  ),
  executable: harmless("is a program of this machine, and Perch starts none"),
  executableArgs: refused(PROCESS),
  extraArgs: honoured(`${NODE}, which accepts the flags that it knows and reports any other`),
  fallbackModel: supported,
  forkSession: honoured(
    "is for POST /v1/sessions, together with `options.resume`; or copy a session with POST /v1/sessions/{id}/fork",
  ),
  forwardSubagentText: supported,
  hooks: honoured(
    'accepts HTTP hooks, `{EVENT: [{matcher?, timeout?, onFailure?, hooks: [{type: "http", url, headers?, timeout?, onFailure?}]}]}`, see docs/webhooks.md; callbacks are registered over the control protocol',
  ),
  includeHookEvents: harmless(
    "changes nothing: hook events report commands of settings files, and none of those is run",
  ),
  includePartialMessages: supported,
  loadTimeoutMs: harmless("belongs to sessionStore, which only the client library has"),
  managedSettings: refused(LATER),
  maxBudgetUsd: supported,
  maxThinkingTokens: supported,
  maxTurns: supported,
  mcpServers: honoured(
    "accepts servers of type `http` and `sse`, and servers of type `sdk` from clients of the control protocol; local processes are never started. See [mcp.md](mcp.md)",
  ),
  mcpServersDelivery: harmless("is how the client library sends mcpServers"),
  model: supported,
  onElicitation: honoured(`${CLIENT}, which answers the questions of its MCP servers`),
  onUserDialog: harmless("is for dialogs, and Perch opens none"),
  outputFormat: supported,
  pathToClaudeCodeExecutable: honoured(`${NODE}, whose perch() sets it`),
  permissionMode: honoured("is supported, but `auto` runs as `default`, which system/init reports"),
  permissionPromptToolName: refused(LATER),
  permissionPrompts: honoured("is written `permission_prompts` here"),
  perTaskStopAffordance: harmless("is always so: an interrupt does not stop background commands"),
  persistSession: supported,
  planModeInstructions: supported,
  pluginDelivery: harmless("belongs to plugins, which are refused"),
  plugins: refused(PROCESS),
  projectConfigRoot: refused(PROCESS),
  promptSuggestions: harmless("asks for messages that a session never sends"),
  resume: honoured(
    "is the id of a session to resume: send the prompt to POST /v1/sessions/{id}/query, or open the session with it by POST /v1/sessions",
  ),
  resumeDropsTurn: refused(LATER),
  resumeSessionAt: honoured(
    "is for POST /v1/sessions, together with `options.resume`; or fork at a message with `at` of POST /v1/sessions/{id}/fork",
  ),
  sandbox: refused(LATER),
  sessionId: honoured("is `id`, next to `options`, of POST /v1/sessions"),
  sessionStore: refused(
    "is for the client library: with spawnPerch the store gets the conversation, which the server keeps as well",
  ),
  sessionStoreFlush: harmless("belongs to sessionStore, which only the client library has"),
  settingSources: honoured(
    "accepts `project` and `local`, the files of the session's working directory; `user` has no files on a server. Without it no files are read, see [project-files.md](project-files.md)",
  ),
  settings: honoured(
    "is an object with `permissions`, `model`, `effortLevel`, `alwaysThinkingEnabled`, `autoCompactEnabled`, `autoCompactWindow`, `promptCacheTtl` and `subagentPromptCacheTtl`; files of the workspace are read if `settingSources` includes them",
  ),
  skills: honoured(
    "is `all` or a list of the project's skills (`.claude/skills`); without it, a session whose `settingSources` includes `project` uses all of them, see [project-files.md](project-files.md)",
  ),
  spawnClaudeCodeProcess: honoured(`${NODE}, whose spawnPerch() makes it`),
  stderr: harmless("belongs to the client library; there is no local process that writes to it"),
  strictMcpConfig: honoured("leaves out the servers that the tenant has stored at /v1/mcp-servers"),
  supportedDialogKinds: harmless("is for dialogs, and Perch opens none"),
  systemPrompt: honoured("is a string, a list of strings, or the preset, which is Perch's own prompt, with `append`"),
  taskBudget: refused(LATER),
  thinking: supported,
  title: honoured("is set with `title`, next to `options`, when the session is created"),
  toolAliases: supported,
  toolConfig: refused(LATER),
  tools: honoured("is supported; the preset means the tools that Perch has"),
  verbatimPrompts: harmless("always applies: a prompt is sent as it was written"),
} satisfies Readonly<Record<string, OptionStatus>>
