import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import { builtInTools, resourceTools, toolByName, toolsFor } from "../../src/tools/registry.ts"

const decodeOf = (name: string, input: unknown) => toolByName(name)!.decode(input)

const refusal = async (name: string, input: unknown): Promise<string> => {
  const exit = await Effect.runPromiseExit(decodeOf(name, input))
  if (Exit.isSuccess(exit)) return "accepted"
  const error = Cause.findErrorOption(exit.cause)
  return error._tag === "Some" ? error.value.message : "defect"
}

describe("the tools of a turn", () => {
  it("exclude those that options or settings deny by name, and include those that a rule denies in part", () => {
    const names = (options: SessionOptions) => toolsFor(options).map((tool) => tool.name)
    const settings = { permissions: { deny: ["Write", "Bash(rm:*)", "mcp__calc"] } }
    expect(names({ disallowedTools: ["Glob"], settings })).toEqual(
      names({}).filter((name) => name !== "Glob" && name !== "Write"),
    )
  })

  // As recorded of the official SDK.
  it.each([
    [["B*"], ["Bash"]],
    [["Bash(*)"], ["Bash"]],
    [["Bash()"], ["Bash"]],
    [["*Fetch"], ["WebFetch"]],
    [["Bash(rm:*)", "mcp__*"], []],
  ])("exclude those that %j names", (disallowedTools, without) => {
    const names = (options: SessionOptions) => toolsFor(options).map((tool) => tool.name)
    expect(names({ disallowedTools })).toEqual(names({}).filter((name) => !without.includes(name)))
    expect(names({ disallowedTools: [...disallowedTools, "*"] })).toEqual([])
  })

  it.each(["bash", " BASH ", "Bash( )", "Ｂash", "Ba\u200bsh", "bash(:*)"])(
    "exclude one that %j denies in an odd spelling",
    (rule) => {
      const without = toolsFor({ settings: { permissions: { deny: [rule] } } }).map((tool) => tool.name)
      expect(without).toEqual(
        toolsFor({})
          .map((tool) => tool.name)
          .filter((name) => name !== "Bash"),
      )
    },
  )

  it("exclude those that a ruleset denies for any input", () => {
    const names = (permission: NonNullable<SessionOptions["permission"]>) =>
      toolsFor({ permission }).map((tool) => tool.name)
    const all = toolsFor({}).map((tool) => tool.name)
    expect(names({ edit: "deny", bash: { "rm *": "deny" } })).toEqual(
      all.filter((name) => !["Write", "Edit", "NotebookEdit"].includes(name)),
    )
    expect(names({ "*": "deny", read: "allow" })).toEqual(["Read"])
    expect(names({ edit: { "*": "deny", "docs/*": "allow" } })).toEqual(all)
    expect(names({ edit: { "docs/*": "allow", "*": "deny" } })).not.toContain("Edit")
    const outputFormat = { type: "json_schema", schema: { type: "object" } } as const
    const options = {
      permission: "deny",
      outputFormat,
      clientTools: [{ name: "Weather", description: "w", inputSchema: {} }],
    } as const
    expect(toolsFor(options).map((tool) => tool.name)).toEqual(["StructuredOutput"])
  })

  it("include those for resources only with the servers' own, and other built-in ones by name and alias", () => {
    const names = (options: SessionOptions) => toolsFor(options, resourceTools).map((tool) => tool.name)
    const [list, read, directory] = ["ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool"]
    expect(toolsFor({}).map((tool) => tool.name)).not.toContain(list)
    expect(names({}).slice(-3)).toEqual([list, read, directory])
    expect(names({ tools: ["Read", "ListMcpResources"] })).toEqual(["Read", list])
    expect(names({ tools: [list!], disallowedTools: ["ListMcpResources"] })).toEqual([])
  })
})

describe("the built-in tools", () => {
  it("are found by name and alias", () => {
    expect(builtInTools.map((tool) => tool.name)).toEqual([
      "Read",
      "Write",
      "Edit",
      "NotebookEdit",
      "Glob",
      "Grep",
      "LS",
      "Bash",
      "WebFetch",
      "WebSearch",
      "Agent",
      "SendMessage",
      "TaskOutput",
      "TaskStop",
      "TodoWrite",
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskUpdate",
      "AskUserQuestion",
      "EnterPlanMode",
      "ExitPlanMode",
      "ListMcpResourcesTool",
      "ReadMcpResourceTool",
      "ReadMcpResourceDirTool",
      "Skill",
    ])
    expect(toolByName("ls")?.name).toBe("LS")
    expect(toolByName("find")?.name).toBe("Glob")
    expect(toolByName("constructor")).toBeUndefined()
    expect(toolByName("read")).toBeUndefined()
  })

  it.each(builtInTools.map((tool) => [tool.name, tool] as const))(
    "%s has a closed schema without unusual keywords",
    (_, tool) => {
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false })
      const text = JSON.stringify(tool.inputSchema)
      expect(text).not.toMatch(/Infinity|9007199254740991|\$ref|"additionalProperties":true|"type":"null"/)
      expect(tool.description.length).toBeLessThan(500)
    },
  )

  it("have the input schema of the SDK's names", () => {
    expect(toolByName("Read")?.inputSchema).toMatchObject({
      properties: { file_path: { type: "string" }, offset: { type: "integer" }, limit: { type: "integer" } },
      required: ["file_path"],
    })
    expect(Object.keys(Object(toolByName("Grep")?.inputSchema["properties"]))).toEqual([
      "pattern",
      "path",
      "glob",
      "output_mode",
      "-B",
      "-A",
      "-C",
      "context",
      "-n",
      "-i",
      "-o",
      "type",
      "head_limit",
      "offset",
      "multiline",
    ])
  })

  it("accept a number or a boolean in quotes", async () => {
    const read = await Effect.runPromise(decodeOf("Read", { file_path: "a", offset: "2", limit: "10" }))
    expect(read).toEqual({ file_path: "a", offset: 2, limit: 10 })
    const edit = { file_path: "a", old_string: "1", new_string: "true", replace_all: "true" }
    expect(await Effect.runPromise(decodeOf("Edit", edit))).toEqual({ ...edit, replace_all: true })
  })

  it("reject input in the SDK's form, with one line per parameter", async () => {
    const head = "InputValidationError: Read failed due to the following issue(s):\n"
    expect(await refusal("Read", {})).toBe(`${head}The required parameter \`file_path\` is missing`)
    expect(await refusal("Read", { file_path: "a", zzz: 1 })).toBe(
      `${head}An unexpected parameter \`zzz\` was provided`,
    )
    expect(await refusal("Read", { file_path: 3 })).toBe(
      `${head}The parameter \`file_path\` type is expected as \`string\` but provided as \`number\``,
    )
    expect(await refusal("Read", { file_path: "a", offset: "x", limit: null })).toBe(
      `${head}The parameter \`offset\` type is expected as \`number\` but provided as \`string\`\n` +
        "The parameter `limit` type is expected as `number` but provided as `null`",
    )
    expect(await refusal("Write", { file_path: "", content: "" })).toBe(
      `${head.replace("Read", "Write")}The parameter \`file_path\` has a value out of bounds`,
    )
    expect(await refusal("Read", null)).toBe(`${head}The input is expected as \`object\` but provided as \`null\``)
    expect(await refusal("Read", [])).toBe(`${head}The input is expected as \`object\` but provided as \`array\``)
    expect(await refusal("TodoWrite", { todos: "x" })).toContain(
      "`todos` type is expected as `array` but provided as `string`",
    )
    expect(await refusal("Read", { __unparsedToolInput: { raw: "{", len: 1 } })).toContain("`file_path` is missing")
    expect(
      (await refusal("Read", Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1])))).length,
    ).toBeLessThan(2000)
  })

  it("declare which calls only read, and which edit files", () => {
    const facts = builtInTools.map((tool) => [
      tool.name,
      tool.name === "Bash" ? null : tool.readOnly({}),
      tool.name === "Bash" ? null : tool.edits({}),
    ])
    expect(facts).toEqual([
      ["Read", true, false],
      ["Write", false, true],
      ["Edit", false, true],
      ["NotebookEdit", false, true],
      ["Glob", true, false],
      ["Grep", true, false],
      ["LS", true, false],
      ["Bash", null, null],
      ["WebFetch", true, false],
      ["WebSearch", true, false],
      ["Agent", false, false],
      ["SendMessage", false, false],
      ["TaskOutput", true, false],
      ["TaskStop", false, false],
      ["TodoWrite", false, false],
      ["TaskCreate", false, false],
      ["TaskGet", true, false],
      ["TaskList", true, false],
      ["TaskUpdate", false, false],
      ["AskUserQuestion", true, false],
      ["EnterPlanMode", false, false],
      ["ExitPlanMode", false, false],
      ["ListMcpResourcesTool", true, false],
      ["ReadMcpResourceTool", true, false],
      ["ReadMcpResourceDirTool", true, false],
      ["Skill", false, false],
    ])
    expect(toolByName("Read")?.paths({ file_path: "../x" }, "/workspace/a")).toEqual(["/workspace/x"])
    expect(toolByName("Write")?.paths({ file_path: "a\0" }, "/workspace")).toEqual(["/"])
    expect(toolByName("Grep")?.paths({ pattern: "x" }, "/workspace")).toEqual(["/workspace"])
    expect(toolByName("Glob")?.paths({ pattern: "/etc/*.conf" }, "/workspace")).toEqual(["/etc"])
    expect(toolByName("Glob")?.paths({ pattern: "../../x/*" }, "/workspace")).toEqual(["/workspace"])
  })
})
