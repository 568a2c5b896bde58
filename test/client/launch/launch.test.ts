// Variables and flags of the CLI that are options of a session, with the official CLI's precedence.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { launchOf } from "../../../src/client/launch/launch.ts"

const optionsFor = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const { permission_prompts: _, ...options } = launchOf({ args: [...args], cwd: "/workspace", env: { ...env } }).body
    .options
  return options
}

it.each([
  ["a model", [], { ANTHROPIC_MODEL: "haiku" }, { model: "haiku" }],
  ["no model next to an option", ["--model=sonnet"], { ANTHROPIC_MODEL: "haiku" }, { model: "sonnet" }],
  ["no model next to an agent's", ["--agent=a"], { ANTHROPIC_MODEL: "haiku" }, { agent: "a" }],
  [
    "thinking instead of an option",
    ["--max-thinking-tokens=3"],
    { MAX_THINKING_TOKENS: "2" },
    { maxThinkingTokens: 2 },
  ],
  [
    "no thinking where it is disabled",
    ["--thinking=disabled"],
    { MAX_THINKING_TOKENS: "2" },
    { thinking: { type: "disabled" } },
  ],
  ["effort instead of an option", ["--effort=high"], { CLAUDE_CODE_EFFORT_LEVEL: "low" }, { effort: "low" }],
  ["the model's own effort", ["--effort=high"], { CLAUDE_CODE_EFFORT_LEVEL: "auto" }, {}],
  ["no unknown effort", ["--effort=high"], { CLAUDE_CODE_EFFORT_LEVEL: "huge" }, { effort: "high" }],
  ["turns", [], { CLAUDE_CODE_MAX_TURNS: "2" }, { maxTurns: 2 }],
  ["no turns next to an option", ["--max-turns=3"], { CLAUDE_CODE_MAX_TURNS: "2" }, { maxTurns: 3 }],
  ["no compaction", [], { DISABLE_COMPACT: "1" }, { settings: { autoCompactEnabled: false } }],
  ["nothing of the others", [], { CLAUDE_CODE_SUBAGENT_MODEL: "haiku", BASH_MAX_TIMEOUT_MS: "1" }, {}],
])("the environment sets %s", (_, args, env, options) => expect(optionsFor(args, env)).toEqual(options))

it.each(["MAX_THINKING_TOKENS", "CLAUDE_CODE_MAX_TURNS"])("%s must be a whole number", (name) => {
  expect(() => optionsFor([], { [name]: "-5" })).toThrow(`${name} must be a whole number, not -5`)
})

it("a relative additional directory is below the working directory, and an empty one is none", () => {
  const dirs = ["--add-dir=../up", "--add-dir", "sub", "--add-dir=/b,c", "--add-dir="]
  expect(optionsFor(dirs, {})).toEqual({ additionalDirectories: ["/up", "/workspace/sub", "/b,c"] })
  expect(optionsFor(["--add-dir", ""], {})).toEqual({})
  const named = launchOf({ args: dirs.slice(0, 1), env: {} }).body.options
  expect(named).toMatchObject({ additionalDirectories: [path.resolve("../up")] })
})

/** A working directory with these files. */
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-flags-"))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return folder
}

const launchIn = (cwd: string, args: ReadonlyArray<string>) => {
  const { body, initialize } = launchOf({ args: [...args], cwd, env: {} })
  const { permission_prompts: _, ...options } = body.options
  return { options, initialize }
}

describe("the flags of the system prompt", () => {
  const preset = (append: string) => ({ systemPrompt: { type: "preset", preset: "claude_code", append } })

  it.each([
    [[], {}],
    [["--system-prompt", ""], {}],
    [["--system-prompt="], {}],
    [["--system-prompt", "A"], { systemPrompt: "A" }],
    [["--system-prompt=A", "--system-prompt=B"], { systemPrompt: "B" }],
    [["--system-prompt-file", "p.txt"], { systemPrompt: "From a file" }],
    [["--system-prompt-file="], {}],
    [["--system-prompt=A", "--system-prompt-file=p.txt"], { systemPrompt: "From a file\n\nA" }],
    [["--append-system-prompt="], {}],
    [["--append-system-prompt", "B"], preset("B")],
    [["--append-system-prompt-file", "p.txt"], preset("From a file")],
    [["--append-system-prompt=B", "--append-system-prompt-file=p.txt"], preset("From a file\n\nB")],
    [["--system-prompt=A", "--append-system-prompt=B"], { systemPrompt: "A\n\nB" }],
    [["--system-prompt=", "--append-system-prompt=B"], { systemPrompt: "B" }],
  ])("%j", (args, options) => {
    const launch = launchIn(folderWith({ "p.txt": "From a file" }), args)
    expect(launch.options).toEqual(options)
    const skipped = ["--system-prompt-file=", "--append-system-prompt="]
    expect(launch.initialize.hasPrompt).toBe(args.some((arg) => !skipped.includes(arg)))
  })
})

it("settings and MCP servers are read from a file whose path is the flag's value", () => {
  const cwd = folderWith({
    "settings.json": '{ "model": "haiku" }',
    "mcp.json": '{ "mcpServers": { "a": { "type": "sdk" }, "b": { "type": "http", "url": "https://b" } } }',
    "broken.json": "[",
  })
  const { options, initialize } = launchIn(cwd, ["--settings=settings.json", `--mcp-config=${cwd}/mcp.json`])
  expect(options).toEqual({ settings: { model: "haiku" }, mcpServers: { b: { type: "http", url: "https://b" } } })
  expect(initialize.sdkServers).toEqual({ a: {} })
  expect(() => launchIn(cwd, ["--settings=broken.json"])).toThrow("options.settings must be an object: --settings")
})

it.each(["--system-prompt-file", "--append-system-prompt-file", "--settings", "--mcp-config"])(
  "%s names a file that does not exist",
  (flag) => {
    expect(() => launchIn("/", [flag, "no/such"])).toThrow(
      `${flag} names a file that can't be read: ENOENT: no such file or directory, open '/no/such'`,
    )
  },
)

it("agents are read from their flag", () => {
  const agents = { a: { description: "d", prompt: "p" } }
  expect(optionsFor(["--agents", JSON.stringify(agents)], {})).toEqual({ agents })
})
