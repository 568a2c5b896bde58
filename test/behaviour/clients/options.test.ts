// Every option of the official SDK that is passed on its command line: the session options that it becomes, or why it is
// refused.
import { createSdkMcpServer, type Options, query } from "@anthropic-ai/claude-agent-sdk"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FLAGS } from "../../../src/client/launch/flags.ts"
import { launchOf } from "../../../src/client/launch/launch.ts"
import { perch } from "../../../src/client/spawn.ts"
import { OPTION_STATUS } from "../../../src/schemas/sdk/status/option-status.ts"
import { echo, type FakePerch, fakePerch } from "../../client/fake-perch.ts"

const A = "11111111-1111-4111-8111-111111111111"
const B = "22222222-2222-4222-8222-222222222222"

let server: FakePerch
beforeAll(async () => {
  server = await fakePerch({ line: echo() })
})
afterAll(() => server.close())

/** Runs one prompt with these options; returns the request body that opened the session, and the query of its socket. */
const opened = async (options: Options) => {
  const before = server.requests.length
  // Without an environment, the SDK passes on its own.
  const run = query({ prompt: "hi", options: { env: {}, ...options, ...perch({ url: server.url, apiKey: "key" }) } })
  const results: Array<unknown> = []
  for await (const message of run) if (message.type === "result") results.push(message)
  expect(results).toHaveLength(1)
  const request = server.requests[before]
  return { request, body: request?.body, socket: server.sockets.at(-1) }
}

const withOptions = (options: Readonly<Record<string, unknown>>) => ({
  cwd: "/workspace",
  on_exists: "attach",
  options: { permission_prompts: "deny", ...options },
})

const CARRIED: ReadonlyArray<readonly [string, Options, Readonly<Record<string, unknown>>]> = [
  ["none", {}, {}],
  ["model", { model: "m1", fallbackModel: "m2,m3" }, { model: "m1", fallbackModel: "m2,m3" }],
  ["effort", { effort: "high" }, { effort: "high" }],
  [
    "thinking, adaptive",
    { thinking: { type: "adaptive", display: "summarized" } },
    { thinking: { type: "adaptive", display: "summarized" } },
  ],
  ["thinking, disabled", { thinking: { type: "disabled" } }, { thinking: { type: "disabled" } }],
  ["thinking with a budget", { thinking: { type: "enabled", budgetTokens: 2000 } }, { maxThinkingTokens: 2000 }],
  [
    "thinking with a budget and a display",
    { thinking: { type: "enabled", budgetTokens: 2000, display: "omitted" } },
    { thinking: { type: "enabled", budgetTokens: 2000, display: "omitted" } },
  ],
  ["thinking without a budget", { thinking: { type: "enabled" } }, { thinking: { type: "adaptive" } }],
  ["maxThinkingTokens", { maxThinkingTokens: 3000 }, { maxThinkingTokens: 3000 }],
  ["maxThinkingTokens 0", { maxThinkingTokens: 0 }, { thinking: { type: "disabled" } }],
  ["limits", { maxTurns: 3, maxBudgetUsd: 0.5 }, { maxTurns: 3, maxBudgetUsd: 0.5 }],
  ["includePartialMessages", { includePartialMessages: true }, { includePartialMessages: true }],
  [
    "outputFormat",
    { outputFormat: { type: "json_schema", schema: { type: "object", title: "a=b, c" } } },
    { outputFormat: { type: "json_schema", schema: { type: "object", title: "a=b, c" } } },
  ],
  ["tools", { tools: ["Read", "Bash"] }, { tools: ["Read", "Bash"] }],
  ["no tools", { tools: [] }, { tools: [] }],
  [
    "the preset of tools",
    { tools: { type: "preset", preset: "claude_code" } },
    { tools: { type: "preset", preset: "claude_code" } },
  ],
  [
    "allowedTools",
    { allowedTools: ["Read", "Bash(echo a, b)", "mcp__calc"] },
    { allowedTools: ["Read", "Bash(echo a, b)", "mcp__calc"] },
  ],
  ["disallowedTools", { disallowedTools: ["Bash", "Edit(/a/**)"] }, { disallowedTools: ["Bash", "Edit(/a/**)"] }],
  ["additionalDirectories", { additionalDirectories: ["/a", "/b,c"] }, { additionalDirectories: ["/a", "/b,c"] }],
  ["permissionMode", { permissionMode: "acceptEdits" }, { permissionMode: "acceptEdits" }],
  [
    "the mode that asks nothing",
    { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
    { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
  ],
  ["canUseTool", { canUseTool: async () => ({ behavior: "allow" }) }, { permission_prompts: "ask" }],
  ["permissionPrompts host", { permissionPrompts: "host" }, {}],
  [
    "permissionPrompts none",
    { permissionPrompts: "none", canUseTool: async () => ({ behavior: "allow" }) },
    { permission_prompts: "deny" },
  ],
  [
    "settings",
    { settings: { model: "m1", permissions: { allow: ["Read"] } } },
    { settings: { model: "m1", permissions: { allow: ["Read"] } } },
  ],
  ["settings as JSON", { settings: '{"model":"m1"}' }, { settings: { model: "m1" } }],
  [
    "mcpServers",
    {
      mcpServersDelivery: "argv",
      mcpServers: {
        web: { type: "http", url: "https://mcp.example.com", headers: { a: "b" } },
        old: { type: "sse", url: "https://sse.example.com" },
        calc: createSdkMcpServer({ name: "calc", tools: [] }),
      },
    },
    {
      mcpServers: {
        web: { type: "http", url: "https://mcp.example.com", headers: { a: "b" } },
        old: { type: "sse", url: "https://sse.example.com" },
      },
    },
  ],
  ["mcpServers over the wire", { mcpServersDelivery: "initialize", mcpServers: {} }, {}],
  ["resume", { resume: A }, { resume: A }],
  [
    "a fork",
    { resume: A, forkSession: true, resumeSessionAt: B },
    { resume: A, forkSession: true, resumeSessionAt: B },
  ],
  ["continue", { continue: true }, { continue: true }],
  ["enableFileCheckpointing", { enableFileCheckpointing: true }, { enableFileCheckpointing: true }],
  ["retries", { env: { CLAUDE_CODE_MAX_RETRIES: "2" } }, { max_retries: 2 }],
  [
    "time limits of model requests",
    { env: { API_TIMEOUT_MS: "700000", CLAUDE_STREAM_IDLE_TIMEOUT_MS: "90000" } },
    { model_first_byte_timeout_ms: 700_000, model_idle_timeout_ms: 90_000 },
  ],
  [
    "the nearer of two time limits, within a session's bounds",
    { env: { API_TIMEOUT_MS: "700000", CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS: "1" } },
    { model_first_byte_timeout_ms: 1000 },
  ],
  [
    "a time limit that is out of bounds",
    { env: { API_TIMEOUT_MS: "86400000" } },
    { model_first_byte_timeout_ms: 1_800_000 },
  ],
  ["more retries than there are", { env: { CLAUDE_CODE_MAX_RETRIES: "50" } }, { max_retries: 10 }],
  ["what only a local process has", { debug: true, stderr: () => {} }, {}],
  ["its own servers alone", { strictMcpConfig: true }, { strictMcpConfig: true }],
  [
    "the sources of its project's files",
    { settingSources: ["user", "project"] },
    { settingSources: ["user", "project"] },
  ],
  ["no settings files", { settingSources: [] }, {}],
  ["the agent of the main thread", { agent: "reviewer" }, { agent: "reviewer" }],
  [
    "what travels with initialize",
    {
      systemPrompt: "Be brief.",
      title: "T",
      toolAliases: { A: "B" },
      agents: { a: { description: "d", prompt: "p" } },
    },
    {},
  ],
]

describe("a session is opened with", () => {
  it.each(CARRIED)("%s", async (_name, options, expected) => {
    expect((await opened(options)).body).toEqual(withOptions(expected))
  })

  it("an id of its own", async () => {
    const { on_exists: _, ...made } = withOptions({})
    expect((await opened({ sessionId: A })).body).toEqual({ id: A, ...made })
  })

  it("the key, and nothing of the environment except the two variables that are read", async () => {
    const { request } = await opened({ env: { ANTHROPIC_API_KEY: "sk-secret", PERCH_TEST: "secret" } })
    expect(request?.headers.authorization).toBe("Bearer key")
    expect(JSON.stringify([request?.body, request?.headers])).not.toContain("secret")
    expect(server.sockets.at(-1)?.headers.authorization).toBe("Bearer key")
  })

  it.each([
    [{ "replay-user-messages": "" }, { replay_user_messages: true }],
    [{ verbose: "", debug: "", "fork-session": "" }, {}],
    [{ "strict-mcp-config": "" }, { strictMcpConfig: true }],
    [{ "max-turns": "", effort: "", "fallback-model": "", "json-schema": "", settings: "", "mcp-config": "" }, {}],
    [{ agent: "", betas: "", "debug-file": "", "plugin-dir": "", "session-mirror": "" }, {}],
    [{ tools: "" }, { tools: [] }],
  ])("no value of an argument that is empty: %j", async (extraArgs, expected) => {
    expect((await opened({ extraArgs })).body).toEqual(withOptions(expected))
  })

  it("a directory of its own", async () => {
    expect((await opened({ cwd: "/srv/app" })).body).toMatchObject({ cwd: "/srv/app" })
  })

  it("no sandbox if it is not enabled", async () => {
    for (const sandbox of [{ enabled: false }, {}, { enabled: false, autoAllowBashIfSandboxed: true }]) {
      const { body } = await opened({ sandbox, settings: { model: "claude-opus-5-5" } })
      expect(body).toMatchObject({ options: { settings: { model: "claude-opus-5-5" } } })
      expect(body).not.toHaveProperty("options.settings.sandbox")
    }
  })

  it("prompts that are replayed", async () => {
    const { body } = await opened({ extraArgs: { "replay-user-messages": null } })
    expect(body).toMatchObject({ options: { replay_user_messages: true } })
    expect((await opened({})).body).not.toHaveProperty("options.replay_user_messages")
  })
})

const REFUSED: ReadonlyArray<readonly [string, Options]> = [
  ["options.debugFile ", { debugFile: "/tmp/log" }],
  ["options.managedSettings ", { managedSettings: { permissions: { deny: ["Bash"] } } }],
  ["options.permissionPromptToolName ", { permissionPromptToolName: "mcp__a__b" }],
  ["options.plugins ", { plugins: [{ type: "local", path: "/p" }] }],
  ["options.projectConfigRoot ", { projectConfigRoot: "/p" }],
  ["options.resumeDropsTurn ", { resume: A, resumeSessionAt: B, resumeDropsTurn: B }],
  ["options.sandbox ", { sandbox: { enabled: true } }],
  ["--settings names a file that can't be read: ENOENT", { settings: "/no/settings.json" }],
  ["options.settings.hooks ", { settings: { hooks: {} } }],
  ["options.taskBudget ", { taskBudget: { total: 1000 } }],
  ["options.toolConfig ", { toolConfig: { askUserQuestion: { previewFormat: "html" } } }],
  [
    "options.mcpServers.local is a stdio server: stdio MCP servers need a local process",
    { mcpServersDelivery: "argv", mcpServers: { local: { command: "x" } } },
  ],
  ["Perch does not know the flag --moon ", { extraArgs: { moon: "full" } }],
  ["API_TIMEOUT_MS must be a number of milliseconds", { env: { API_TIMEOUT_MS: "1h" } }],
  ["CLAUDE_CODE_MAX_RETRIES must be a whole number", { env: { CLAUDE_CODE_MAX_RETRIES: "many" } }],
]

describe("a session is not opened, and the option is named,", () => {
  it.each(REFUSED)("for %s", async (words, options) => {
    const before = server.requests.length
    const failure = await opened(options).then(
      () => "",
      (error: unknown) => String(error),
    )
    expect(failure).toContain(`Claude Code returned an error result: ${words}`)
    expect(server.requests).toHaveLength(before)
  })
})

describe("the table of flags", () => {
  it("treats each option as its status declares", () => {
    for (const [name, flag] of Object.entries(FLAGS)) {
      expect(name).toMatch(/^--[a-zA-Z-]+$/)
      if (flag.kind === "refused")
        expect(OPTION_STATUS).toMatchObject({ [flag.option]: { status: "refused", note: flag.why } })
      if (flag.kind === "left out") expect(flag.why).not.toBe("")
    }
  })
})

const launch = (
  args: ReadonlyArray<string>,
  more: { cwd?: string; env?: Record<string, string> } = {},
  session?: string,
) => launchOf({ args: [...args], env: {}, ...more }, session)

describe("a command line", () => {
  it("accepts a value after its flag or in the next argument", () => {
    const options = { permission_prompts: "deny", model: "a=b" }
    expect(launch(["--model=a=b"]).body.options).toEqual(options)
    expect(launch(["--model", "a=b"]).body.options).toEqual(options)
    expect(launch(["--debug", "api", "--model=a=b"]).body.options).toEqual(options)
    expect(launch(["--debug", "--model=a=b"]).body.options).toEqual(options)
  })

  it.each([
    [["--model"], "--model needs a value"],
    [["--verbose=yes"], "--verbose takes no value"],
    [["--max-turns=many"], '--max-turns: "many" is not a number'],
    [["--max-budget-usd="], "--max-budget-usd needs a value"],
    [["--max-budget-usd", ""], "--max-budget-usd needs a value"],
    [["--resume", ""], "--resume needs a value"],
    [["--permission-mode="], "--permission-mode needs a value"],
    [["--nonsense", ""], "does not know the flag --nonsense"],
    [["--output-format", "text"], "--output-format must be stream-json here"],
    [["--json-schema=[]"], "options.outputFormat must be an object"],
    [["--mcp-config", "{}"], "options.mcpServers: --mcp-config contains no object"],
    [
      ["--mcp-config", '{"mcpServers":{"a":{"type":"ws"}}}'],
      "options.mcpServers.a is of a type that Perch does not know",
    ],
    [["--mcp-config", '{"mcpServers":{"a":7}}'], "options.mcpServers.a is of a type that Perch does not know"],
    [["cli.js"], 'Perch does not know the argument "cli.js"'],
    [["--constructor"], "Perch does not know the flag --constructor"],
  ])("%j is refused", (args, message) => {
    expect(() => launch(args)).toThrow(message)
  })

  it("accepts servers inside the client, and the last of two with the same name", () => {
    const config = (url: string) =>
      JSON.stringify({ mcpServers: { a: { type: "http", url }, [url]: { type: "sdk", name: "b", timeout: 5 } } })
    const { body, initialize } = launch(["--mcp-config", config("https://1"), "--mcp-config", config("https://2")])
    expect(body.options.mcpServers).toEqual({ a: { type: "http", url: "https://2" } })
    expect(initialize.sdkServers).toEqual({ "https://1": { timeout: 5 }, "https://2": { timeout: 5 } })
  })

  it("shows thinking in the model's own form", () => {
    expect(launch(["--thinking-display=omitted"]).body.options.thinking).toEqual({
      type: "adaptive",
      display: "omitted",
    })
  })
})

describe("the directory of a session", () => {
  it.each([
    [undefined, "/workspace"],
    ["", "/workspace"],
    ["C:\\work", "/workspace"],
    ["work/app", "/workspace"],
    ["/", "/"],
    ["/srv/app/", "/srv/app"],
    ["/srv//./app/../web", "/srv/web"],
    ["//srv/app", "/srv/app"],
  ])("of %j is %s", (cwd, expected) => {
    expect(launch([], cwd === undefined ? {} : { cwd }).body.cwd).toBe(expected)
  })

  it("is not sent for a session that spawnPerch names", () => {
    expect(launch([], { cwd: "/srv" }, A).body).toEqual({
      id: A,
      on_exists: "attach",
      options: { permission_prompts: "deny" },
    })
  })
})

describe("a session that spawnPerch names", () => {
  it("is resumed, continued by its own id, or created as a fork", () => {
    expect(launch([`--resume=${A}`], {}, A).body).toMatchObject({ id: A, options: { resume: A } })
    expect(launch([`--session-id=${A}`], {}, A).body).toMatchObject({ id: A })
    expect(launch([`--resume=${B}`, "--fork-session"], {}, A).body).toMatchObject({ id: A, options: { resume: B } })
  })

  it.each([[["--continue"]], [[`--resume=${B}`]], [[`--session-id=${B}`]]])("is not also %j", (args) => {
    expect(() => launch(args, {}, A)).toThrow(`names another session than the sessionId ${A} of spawnPerch`)
  })
})
