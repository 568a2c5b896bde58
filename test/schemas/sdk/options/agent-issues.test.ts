// What an agent's definition may not contain, each by the name of its field.
import { describe, expect, it } from "vitest"
import { agentServerIssues, serverIssues } from "../../../../src/mcp/remote/server-rules.ts"
import { fetchSettings } from "../../../../src/net/guarded-fetch.ts"
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
    ["criticalSystemReminder_EXPERIMENTAL", "x".repeat(100_001)],
    ["skills", Array.from({ length: 501 }, () => "pdf")],
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

  it.each(["tools", "disallowedTools", "skills", "mcpServers"])(
    "for a name in %s with more than 1000 characters",
    (list) => {
      expect(fields({ [list]: ["a", "x".repeat(1001)] })).toEqual([`options.agents.reviewer.${list}[1]`])
      expect(fields({ [list]: ["x".repeat(1000)] })).toEqual([])
    },
  )

  const SERVERS: ReadonlyArray<readonly [what: string, config: object, field: string]> = [
    ["is a local process", { command: "run" }, "inner"],
    ["is inside the client", { type: "sdk", name: "inner" }, "inner"],
    ["signs in", { type: "http", url: "https://mcp.example.com", oauth: {} }, "inner.oauth"],
    ["has a field that there is not", { type: "sse", url: "https://mcp.example.com", colour: "red" }, "inner.colour"],
    ["has no address", { type: "http", url: "mcp.example.com" }, "inner.url"],
    [
      "has a long header",
      { type: "http", url: "https://mcp.example.com", headers: { a: "x".repeat(4001) } },
      "inner.headers.a",
    ],
  ]
  it.each(SERVERS)("for a server of their own that %s", (_, config, field) => {
    expect(fields({ mcpServers: ["docs", { inner: config }] })).toEqual([
      `options.agents.reviewer.mcpServers[1].${field}`,
    ])
  })

  it("for a policy of a tool with a name of more than 1000 characters, like servers of the session", () => {
    const tools = [{ name: "a" }, { name: "x".repeat(1001) }]
    const entry = { type: "http" as const, url: "https://mcp.example.com", tools }
    const [field, problem] = ["options.mcpServers.m.tools[1].name", "has more than 1000 characters"]
    expect(serverIssues("options.mcpServers", { m: entry }, fetchSettings("", ""))).toEqual([
      { field, message: `${field} ${problem}` },
    ])
  })

  it("for the address or a header of a server of their own, like servers of the session", () => {
    const headers = { host: "a" }
    const definition = { ...good, mcpServers: [{ inner: { type: "http", url: "http://10.0.0.1/mcp?key=k", headers } }] }
    const issues = agentServerIssues(
      "options.agents",
      { reviewer: definition as AgentDefinition },
      fetchSettings("", ""),
    )
    const at = "options.agents.reviewer.mcpServers[0].inner"
    expect(issues.map(({ field }) => field)).toEqual([`${at}.url`, `${at}.headers.host`])
    expect(JSON.stringify(issues)).not.toContain("key=k")
  })

  it("for an invalid name", () => {
    for (const name of ["", " ", "a ", "a\nb", "a\0", "x".repeat(201)]) {
      expect(agentIssues({ [name]: good }, AT)).toMatchObject([
        { message: expect.stringContaining("is not a valid agent name") },
      ])
    }
  })

  it("not for a name with a space, a dot or other characters of one line", () => {
    for (const name of ["a b", "a.b", "Ärzte", "team/a:b", "x".repeat(200)])
      expect(agentIssues({ [name]: good }, AT)).toEqual([])
  })

  it("when there are too many", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, good]))
    expect(agentIssues(many(50), AT)).toEqual([])
    expect(agentIssues(many(51), AT)).toMatchObject([{ field: "options.agents" }])
  })

  it("not for values that request nothing", () => {
    const nothing = { memory: undefined, observer: "", background: false, tools: [], mcpServers: ["docs"] }
    expect(fields(nothing)).toEqual([])
  })
})
