// The table of tools compared with the official declarations: every tool is included or excluded by name, and the names that
// older clients use resolve to it.
import fs from "node:fs"
import path from "node:path"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { canonicalToolName, TOOL_ALIASES } from "../../../../src/schemas/sdk/tools/tool-names.ts"
import { toolSchemas } from "../../../../src/schemas/sdk/tools/tool-schemas.ts"
import { builtInTools, toolByName } from "../../../../src/tools/registry.ts"

const declarations = fs.readFileSync(
  path.resolve(import.meta.dirname, "../../../../node_modules/@anthropic-ai/claude-agent-sdk/sdk-tools.d.ts"),
  "utf8",
)

/** The members of `ToolInputSchemas` or `ToolOutputSchemas`, without the suffix of their names. */
const members = (union: "Input" | "Output"): ReadonlyArray<string> => {
  const text = new RegExp(`export type Tool${union}Schemas =([^;]*);`).exec(declarations)?.[1] ?? ""
  return (
    text
      .split("|")
      .map((name) => name.trim())
      // The union of inputs also names the union of outputs.
      .filter((name) => name.endsWith(union))
      .map((name) => name.slice(0, -union.length))
      .toSorted()
  )
}

/** Tools whose schema has a different name. */
const SCHEMA_NAMES: Readonly<Record<string, string>> = {
  Read: "FileRead",
  Write: "FileWrite",
  Edit: "FileEdit",
  ListMcpResourcesTool: "ListMcpResources",
  ReadMcpResourceTool: "ReadMcpResource",
  ReadMcpResourceDirTool: "ReadMcpResourceDir",
  SetGoal: "ProposeGoal",
  propose_skills: "ProposeSkills",
  "mcp__*": "Mcp",
}

/** Tools that need Anthropic's own products or a machine. */
const LEFT_OUT = [
  "Artifact",
  "ClaudeDesign",
  "EnterWorktree",
  "ExitWorktree",
  "OfferChromeSetup",
  "Projects",
  "RemoteTrigger",
  "SendFeedback",
  "ShowOnboardingRolePicker",
]
/** Tools that only Perch has. */
const OWN = ["LS", "SendMessage", "Skill", "TaskOutput"]

describe("the table of tools", () => {
  it.each(["Input", "Output"] as const)("contains every official %s, or excludes it on purpose", (union) => {
    const official = members(union)
    expect(official).toHaveLength(44)
    const ours = Object.keys(toolSchemas)
      .filter((name) => !OWN.includes(name))
      .map((name) => SCHEMA_NAMES[name] ?? name)
    expect([...ours, ...LEFT_OUT].toSorted()).toEqual(official)
  })

  it("is compared with the official types, tool by tool", () => {
    const table = fs.readFileSync(path.resolve(import.meta.dirname, "../../../types/tools-conformance.ts"), "utf8")
    for (const [union, name] of [
      ["Input", "EveryInput"],
      ["Output", "EveryOutput"],
    ] as const) {
      const body = table.slice(table.indexOf(`type ${name} = Check<{`)).split("}>")[0] ?? ""
      const compared = [...body.matchAll(/^ {2}(\w+): Same/gm)].map(([, one]) => one!)
      expect(compared.toSorted()).toEqual(members(union).filter((one) => !LEFT_OUT.includes(one)))
    }
  })

  it("has every built-in tool", () => {
    for (const tool of builtInTools) expect(toolSchemas, tool.name).toHaveProperty([tool.name])
  })
})

describe("a tool's other names", () => {
  it("resolve to names that are not aliases, and are not names in use", () => {
    for (const [alias, name] of TOOL_ALIASES) {
      expect(TOOL_ALIASES.has(name), alias).toBe(false)
      expect(toolSchemas).not.toHaveProperty([alias])
    }
  })

  it("are those of older clients", () => {
    expect(["Task", "KillShell", "KillBash", "ls", "find", "LS", "Bash", "toString"].map(canonicalToolName)).toEqual([
      "Agent",
      "TaskStop",
      "TaskStop",
      "LS",
      "Glob",
      "LS",
      "Bash",
      "toString",
    ])
    expect(toolByName("find")).toBe(toolByName("Glob"))
    expect(toolByName("ls")).toBe(toolByName("LS"))
    expect(toolByName("constructor")).toBeUndefined()
  })
})

describe("inputs", () => {
  const decode = (name: string, value: unknown) =>
    Schema.decodeUnknownResult(toolSchemas[name]!.input, { onExcessProperty: "error" })(value)._tag

  const option = { label: "a", description: "b" }
  const question = { question: "Which?", header: "Pick", options: [option, option], multiSelect: false }

  it.each([
    ["AskUserQuestion", { questions: [question] }, true],
    ["AskUserQuestion", { questions: [] }, false],
    ["AskUserQuestion", { questions: Array.from({ length: 5 }, () => question) }, false],
    ["AskUserQuestion", { questions: [{ ...question, options: [option] }] }, false],
    ["ExitPlanMode", { plan: "kept", allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] }, true],
    ["ExitPlanMode", { allowedPrompts: [{ tool: "Read", prompt: "x" }] }, false],
    ["TaskUpdate", { taskId: "1", status: "deleted" }, true],
    ["TaskUpdate", { taskId: "1", status: "gone" }, false],
    ["Agent", { description: "d", prompt: "p", mode: "plan", isolation: "worktree" }, true],
    ["Agent", { description: "d" }, false],
    ["propose_skills", { proposals: [{ name: "n", kind: "new", description: "d", edits: [] }] }, false],
    ["mcp__*", { anything: [1, { at: "all" }] }, true],
  ])("%s takes or refuses %j", (name, value, accepted) => {
    expect(decode(name, value)).toBe(accepted ? "Success" : "Failure")
  })
})
