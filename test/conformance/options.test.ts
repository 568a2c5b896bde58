// Each option of the SDK: its status, the values that a session accepts, and the refusals of the others.
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import { REFUSED_OPTIONS, refusalOf, SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import { pathsOf } from "./recorded.ts"

const names = Object.keys(OPTION_STATUS)
const accepted = Object.keys(SessionOptions.fields)
const withStatus = (status: string): ReadonlyArray<string> =>
  Object.entries(OPTION_STATUS).flatMap(([name, one]) => (one.status === status ? [name] : []))

const decode = Schema.decodeUnknownResult(SessionOptions, { onExcessProperty: "error" })

/** The values that a session accepts, by option. */
const GOOD: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  model: ["model-a"],
  fallbackModel: ["model-b", "model-b,model-c"],
  systemPrompt: [
    "Be brief.",
    ["Be brief.", "Be kind."],
    { type: "custom", prompt: ["Be brief."], snapshot: true },
    { type: "preset", preset: "claude_code", append: "Be brief.", excludeDynamicSections: true, snapshot: false },
  ],
  planModeInstructions: ["", "Plan in three steps."],
  permissionMode: ["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"],
  allowDangerouslySkipPermissions: [true],
  permission_prompts: ["ask", "deny"],
  permission: [
    "ask",
    [],
    [{ permission: "bash", pattern: "git *", action: "allow" }],
    { edit: "ask", bash: { "*": "ask", "git *": "allow" } },
    Array.from({ length: 1000 }, () => ({ permission: "edit", pattern: "x".repeat(100), action: "deny" })),
    { bash: { ["x".repeat(16_384)]: "deny" } },
  ],
  ask_timeout_ms: [1000, 604_800_000],
  workspace_limits: [{}, { files: 0, bytes: 268_435_456, file_bytes: 33_554_432 }],
  runtime: [{ mode: "live" }, { mode: "record" }, { mode: "playback", recording: "rec_1" }],
  shell_network: [true, false],
  shell_env: [{}, { NODE_ENV: "test", _1: "" }],
  replay_user_messages: [true, false],
  reply: [
    {},
    { reasoningLevel: "stream", blockReplyBreak: "message_end", route: { provider: "slack", to: "C1" } },
    { blockReplyChunking: { minChars: 1, maxChars: 50, breakPreference: "sentence", flushOnParagraph: true } },
  ],
  messaging_tools: [
    [],
    [
      {
        name: "mcp__slack__post",
        text: "message",
        to: "channel",
        provider: { value: "slack" },
        when: { action: ["send"] },
      },
    ],
  ],
  strictMcpConfig: [true, false],
  claudeCode: [{}, { enabled: false, complexityThreshold: 0.5, permissionMode: "plan", forceMinimalLabels: ["docs"] }],
  clientTools: [[], [{ name: "pick_color", description: "Asks.", inputSchema: { type: "object", properties: {} } }]],
  commands: [[], [{ name: "greet", template: "Say hello to $1", description: "Greets.", model: "haiku" }]],
  allowedTools: [[], ["Read", "Bash(ls *)"]],
  disallowedTools: [["Bash"]],
  additionalDirectories: [[], ["/data"]],
  settings: [
    {},
    { model: "model-a", effortLevel: "max", alwaysThinkingEnabled: false },
    { effortLevel: null, permissions: { allow: ["Read"], deny: [], ask: ["Bash"], additionalDirectories: ["/data"] } },
    { permissions: { defaultMode: "plan", disableBypassPermissionsMode: "disable" } },
  ],
  tools: [[], ["Read"], { type: "preset", preset: "claude_code" }],
  toolAliases: [{}, { Read: "mcp__files__read" }],
  settingSources: [[], ["user", "project", "local"]],
  skills: ["all", [], ["pdf"]],
  agent: ["reviewer"],
  agents: [{}, { helper: { description: "Helps.", prompt: "Help.", tools: ["Read"], model: "inherit" } }],
  mcpServers: [
    {},
    { calc: { type: "sdk", name: "calc" } },
    { web: { type: "http", url: "https://mcp.example.com", headers: { authorization: "Bearer a" } } },
    { web: { type: "sse", url: "https://mcp.example.com", timeout: 1000 } },
    { web: { type: "remote", url: "https://mcp.example.com", transport: "http" }, off: { enabled: false } },
  ],
  hooks: [
    {},
    { PreToolUse: [{ matcher: "Bash", timeout: 5, hooks: [{ type: "http", url: "https://hooks.example.com/pre" }] }] },
  ],
  outputFormat: [{ type: "json_schema", schema: { type: "object" } }],
  maxTurns: [1, 10_000],
  maxBudgetUsd: [0, 0.5],
  max_retries: [0, 10],
  unknown_outcomes: ["tell_model", "ask_human", "retry", {}, { default: "retry", tools: { mcp__pay: "ask_human" } }],
  model_first_byte_timeout_ms: [1000, 1_800_000],
  model_idle_timeout_ms: [1000, 1_800_000],
  model_timeout_ms: [1000, 7_200_000],
  includePartialMessages: [false],
  forwardSubagentText: [true],
  agentProgressSummaries: [true],
  thinking: [
    { type: "adaptive", display: "highlights" },
    { type: "enabled", budgetTokens: 1024, display: "omitted" },
    { type: "enabled" },
    { type: "disabled" },
  ],
  maxThinkingTokens: [0],
  effort: ["low", "medium", "high", "xhigh", "max"],
  persistSession: [true, false],
  enableFileCheckpointing: [true, false],
}

/** The values that are refused, by option, in addition to those of another type. */
const BAD: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  model: ["", "m".repeat(201)],
  fallbackModel: ["", "m".repeat(1001)],
  systemPrompt: [{ type: "preset", preset: "another" }, Array.from({ length: 51 }, () => "x")],
  planModeInstructions: ["x".repeat(100_001)],
  permissionMode: ["yolo"],
  permission: [
    "never",
    [{ permission: "bash", pattern: "git *" }],
    [{ permission: "bash", pattern: "", action: "allow" }],
    [{ permission: "", pattern: "*", action: "allow" }],
    [{ permission: "bash", pattern: "*", action: "allow", effect: "deny" }],
    { bash: "maybe" },
    { bash: { "*": { "*": "ask" } } },
    { bash: { ["x".repeat(16_385)]: "deny" } },
    Array.from({ length: 1001 }, () => ({ permission: "edit", pattern: "x", action: "deny" })),
    {
      edit: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`a${n}`, "ask"])),
      bash: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`a${n}`, "ask"])),
    },
    Array.from({ length: 20 }, () => ({ permission: "edit", pattern: "x".repeat(16_000), action: "deny" })),
  ],
  permission_prompts: ["never"],
  commands: [
    [{ name: "clear", template: "x" }],
    [{ name: "a b", template: "x" }],
    [{ name: "/a", template: "x" }],
    [{ name: "a", template: "" }],
    ["a", "a"].map((name) => ({ name, template: "x" })),
    Array.from({ length: 101 }, (_, index) => ({ name: `c${index}`, template: "x" })),
  ],
  claudeCode: [{ complexityThreshold: 1.5 }, { maxTurnsPerSubtask: 0 }, { permissionMode: "yolo" }],
  runtime: [{ mode: "replay" }, { mode: "playback", recording: "a/b" }, {}],
  clientTools: [
    [{ name: "Read", description: "x", inputSchema: { type: "object" } }],
    [{ name: "Task", description: "x", inputSchema: { type: "object" } }],
    [{ name: "StructuredOutput", description: "x", inputSchema: { type: "object" } }],
    [{ name: "mcp__a__b", description: "x", inputSchema: { type: "object" } }],
    [{ name: "a b", description: "x", inputSchema: { type: "object" } }],
    [{ name: "a", description: "", inputSchema: { type: "object" } }],
    ["a", "a"].map((name) => ({ name, description: "x", inputSchema: { type: "object" } })),
    Array.from({ length: 51 }, (_, index) => ({
      name: `t${index}`,
      description: "x",
      inputSchema: { type: "object" },
    })),
  ],
  ask_timeout_ms: [999, 604_800_001, 1000.5],
  workspace_limits: [{ files: 10_001 }, { bytes: -1 }, { file_bytes: 33_554_433 }, { nodes: 1 }],
  shell_network: ["yes", 1],
  shell_env: [{ "A B": "x" }, { "1A": "x" }, { PATH: "/bin" }, { A: 1 }, { A: "x\0" }, { A: "x".repeat(32_769) }],
  replay_user_messages: ["yes", 1],
  reply: [
    { reasoningLevel: "loud" },
    { blockReplyBreak: "now" },
    { blockReplyChunking: { minChars: 60, maxChars: 50 } },
    { blockReplyChunking: { minChars: 1, maxChars: 20_001 } },
    { blockReplyChunking: { minChars: 1, maxChars: 49 } },
    { chunks: true },
  ],
  messaging_tools: [
    [{ name: "post" }],
    [{ name: "post", text: "" }],
    [{ name: "post", text: "m", when: { action: [] } }],
    Array.from({ length: 51 }, () => ({ name: "post", text: "m" })),
  ],
  strictMcpConfig: ["yes", 1],
  allowedTools: ["Read", [1]],
  additionalDirectories: [["data"], ["/".padEnd(4097, "x")]],
  settings: [{ sandbox: {} }, { permissions: { allow: "Read" } }, { effortLevel: "least" }, "/settings.json"],
  tools: [{ type: "preset" }],
  toolAliases: [{ Read: 1 }, { Read: "" }],
  settingSources: ["project", ["flag"]],
  skills: ["some", [1]],
  mcpServers: [
    { web: { type: "http" } },
    { web: { command: "npx" } },
    { calc: { type: "sdk" } },
    { web: { type: "gopher", url: "gopher://example.com" } },
  ],
  hooks: [
    { PreToolUse: [{ hooks: [] }] },
    { PreToolUse: [{ hooks: [{ type: "http", url: "file:///etc/passwd" }] }] },
    { PreToolUse: [{ hooks: [{ type: "command", command: "ls" }] }] },
  ],
  outputFormat: [{ type: "json_schema" }, { type: "xml", schema: {} }],
  maxTurns: [0, 1.5, 10_001],
  maxBudgetUsd: [-1, 1_000_001],
  max_retries: [-1, 11, 0.5],
  unknown_outcomes: ["hope", { default: "hope" }, { tools: { Bash: "hope" } }, { tools: ["Bash"] }, { servers: {} }],
  model_first_byte_timeout_ms: [999, 1_800_001, 1000.5],
  model_idle_timeout_ms: [999, 1_800_001, 1000.5],
  model_timeout_ms: [999, 7_200_001, 1000.5],
  thinking: [{ type: "enabled", budgetTokens: 10 }, { type: "sometimes" }],
  maxThinkingTokens: [-1],
  effort: ["least"],
  variant: ["max", "", 5000],
}

/** Options that only Perch has. */
const OWN = [
  "permission_prompts",
  "permission",
  "ask_timeout_ms",
  "replay_user_messages",
  "workspace_limits",
  "runtime",
  "shell_network",
  "shell_env",
  "claudeCode",
  "clientTools",
  "commands",
  "reply",
  "messaging_tools",
  "max_retries",
  "unknown_outcomes",
  "model_first_byte_timeout_ms",
  "model_idle_timeout_ms",
  "model_timeout_ms",
  "appendSubagentSystemPrompt",
  "variant",
]

describe("the status of options", () => {
  it("exists for all 70, with the end of a sentence for each", () => {
    expect(names).toHaveLength(70)
    for (const { note } of Object.values(OPTION_STATUS)) expect(note).toMatch(/^(are|[a-z]+s) /)
  })

  it("is one of three, and no option is in two", () => {
    const counts = ["honoured", "harmless", "refused"].map((status) => withStatus(status).length)
    expect(counts).toEqual([45, 14, 11])
  })

  it("is not `refused` for an option that a session accepts", () => {
    for (const name of accepted) {
      expect(refusalOf(name)).toBeUndefined()
      expect(withStatus("refused")).not.toContain(name)
    }
    expect(accepted.filter((name) => !names.includes(name))).toEqual(OWN)
  })

  it("refuses every other option with its own sentence", () => {
    expect(Object.keys(REFUSED_OPTIONS).sort()).toEqual(names.filter((name) => !accepted.includes(name)).sort())
    for (const [name, note] of Object.entries(REFUSED_OPTIONS)) expect(refusalOf(name)).toBe(`options.${name} ${note}`)
    expect(refusalOf("cwd")).toBe("options.cwd is set with `cwd`, next to `options`, when the session is created")
    expect(refusalOf("taskBudget")).toBe("options.taskBudget is not supported by this version of Perch")
    expect(refusalOf("debugFile")).toBe("options.debugFile needs a local process, and Perch starts none")
  })

  it("refuses any other name as unknown", () => {
    for (const name of ["moon", "constructor", "__proto__", "toString", ""]) {
      expect(refusalOf(name)).toBe(`options.${name} is not an option of the Claude Agent SDK`)
    }
  })
})

describe("what a session accepts", () => {
  it.each(accepted)("%s", (name) => {
    for (const value of GOOD[name] ?? []) {
      const options = { [name]: value }
      const decoded = Result.getOrThrow(decode(options))
      expect(decoded).toStrictEqual(options)
      expect(Schema.encodeUnknownSync(SessionOptions)(decoded)).toStrictEqual(options)
    }
    expect(GOOD[name]).not.toEqual([])
    for (const value of [...(BAD[name] ?? []), null, { wrong: true }, [[]]]) {
      const failure = Result.getOrThrow(Result.flip(decode({ [name]: value })))
      expect(pathsOf(failure).map(([first]) => first)).toContain(name)
    }
  })

  it("is refused under any other name", () => {
    expect(pathsOf(Result.getOrThrow(Result.flip(decode({ agent_s: {} }))))).toEqual([["agent_s"]])
  })
})
