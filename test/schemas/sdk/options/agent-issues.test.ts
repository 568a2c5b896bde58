// What a definition of an agent may not ask for, each by the name of its field.
import { describe, expect, it } from "vitest"
import { agentIssues } from "../../../../src/schemas/sdk/options/agent-issues.ts"
import type { AgentDefinition } from "../../../../src/schemas/sdk/options/agents.ts"

const AT = ["options", "agents"]
const good: AgentDefinition = { description: "Reviews.", prompt: "Review." }
const fields = (change: Readonly<Record<string, unknown>>) =>
  agentIssues({ reviewer: { ...good, ...change } }, AT).map(({ field }) => field)

describe("agents are refused", () => {
  const REFUSED: ReadonlyArray<readonly [field: string, value: unknown]> = [
    ["memory", "project"],
    ["observer", "watcher"],
    ["observerMessage", "Watch."],
    ["autoCompactWindow", 1000],
    ["criticalSystemReminder_EXPERIMENTAL", "Never."],
    ["colour", "red"],
    ["effort", 3],
    ["maxTurns", 0],
    ["maxTurns", 1.5],
    ["model", ""],
    ["prompt", "x".repeat(100_001)],
    ["tools", Array.from({ length: 501 }, () => "Read")],
  ]
  it.each(REFUSED)("for %s", (field, value) => {
    expect(fields({ [field]: value })).toEqual([`options.agents.reviewer.${field}`])
  })

  it("for a server's configuration in the place of its name", () => {
    expect(fields({ mcpServers: ["docs", { own: { type: "http", url: "https://mcp.example.com" } }] })).toEqual([
      "options.agents.reviewer.mcpServers[1]",
    ])
  })

  it("for a name that is none", () => {
    for (const name of ["", "a b", "ä", "x".repeat(65), "a.b"]) {
      expect(agentIssues({ [name]: good }, AT)).toMatchObject([{ message: expect.stringContaining("is no name") }])
    }
  })

  it("when there are too many", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, good]))
    expect(agentIssues(many(50), AT)).toEqual([])
    expect(agentIssues(many(51), AT)).toMatchObject([{ field: "options.agents" }])
  })

  it("not for values that ask for nothing", () => {
    const nothing = { memory: undefined, observer: "", background: false, tools: [], mcpServers: ["docs"] }
    expect(fields(nothing)).toEqual([])
  })
})
