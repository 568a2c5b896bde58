// Files of `.claude/agents`: the agents that they define.
import { expect, it } from "vitest"
import { readProjectAgents } from "../../../src/agent/project/project-agents.ts"
import { ProjectReader } from "../../../src/agent/project/project-reader.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

const agentsOf = (files: Readonly<Record<string, string>>) => {
  const { workspace } = openWorkspace()
  for (const [path, text] of Object.entries(files)) {
    const at = `/workspace/.claude/agents/${path}`
    workspace.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true })
    workspace.writeBytes(at, text)
  }
  return readProjectAgents(new ProjectReader(workspace, "/workspace", () => policyOf({}, [])))
}

const file = (fields: string, name = "a") => `---\nname: ${name}\ndescription: Helps.\n${fields}\n---\nYou help.`

it("a file in a folder is an agent, under the name in it; one without a name is none", () => {
  const { agents, notices } = agentsOf({
    "deep/down/one.md": file("", "first"),
    "deep/two.md": "---\ndescription: Helps.\n---\nYou help.",
  })
  expect(Object.keys(agents)).toEqual(["first"])
  expect(notices).toEqual([expect.stringMatching(/^\.claude\/agents\/deep\/two\.md has no name, .* is left out\.$/)])
})

it.each([
  ["tools: Read, Grep", ["Read", "Grep"]],
  ["tools: Read Grep", ["Read", "Grep"]],
  ["tools: [Read, Grep]", ["Read", "Grep"]],
  ["tools:\n  - Read\n  - Grep", ["Read", "Grep"]],
  ["tools: Bash(git add:*) Read", ["Bash(git add:*)", "Read"]],
  ["tools:", []],
  ["tools: []", []],
  ["model: haiku", undefined],
])("the tools of %j are %j", (fields, tools) => {
  expect(agentsOf({ "a.md": file(fields) }).agents["a"]?.tools).toEqual(tools)
})

it("tools that an agent may not use are separated in the same ways", () => {
  expect(agentsOf({ "a.md": file("disallowedTools: Bash Write") }).agents["a"]?.disallowedTools).toEqual([
    "Bash",
    "Write",
  ])
})
