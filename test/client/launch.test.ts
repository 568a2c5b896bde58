// Variables of the CLI that are options of a session, with the official CLI's precedence.
import path from "node:path"
import { expect, it } from "vitest"
import { launchOf } from "../../src/client/launch.ts"

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
