// The subagents that are available to a turn: the built-in ones and the defined ones, the most specific source first.
import { describe, expect, it } from "vitest"
import { agentInfos, agentNamed, resolveAgents } from "../../../src/agent/subagents/definition.ts"

const defined = (description: string) => ({ description, prompt: "Work." })

describe("the agents of a turn", () => {
  it("are the three built-in ones when none is defined", () => {
    const agents = resolveAgents({})
    expect(agents.map(({ name }) => name)).toEqual(["Explore", "general-purpose", "Plan"])
    for (const { source, prompt, description } of agents) {
      expect(source).toBe("built-in")
      expect(prompt).not.toBe("")
      expect(description).not.toBe("")
    }
  })

  it("are sorted by name, ignoring case", () => {
    const agents = resolveAgents({ options: { Zoo: defined("z"), alpha: defined("a") } })
    expect(agents.map(({ name }) => name)).toEqual(["alpha", "Explore", "general-purpose", "Plan", "Zoo"])
  })

  it("use the definition of the most specific source", () => {
    const all = { options: { a: defined("options") }, project: { a: defined("project"), b: defined("project") } }
    const stored = { a: defined("stored"), b: defined("stored"), c: defined("stored"), Plan: defined("stored") }
    const found = Object.fromEntries(
      resolveAgents({ ...all, stored }).map(({ name, description, source }) => [name, [description, source]]),
    )
    expect(found).toMatchObject({
      a: ["options", "options"],
      b: ["project", "project"],
      c: ["stored", "stored"],
      Plan: ["stored", "stored"],
    })
  })

  it("keep every field that has an effect, and drop values that mean the parent's own", () => {
    const full = {
      ...defined("d"),
      tools: ["Read"],
      disallowedTools: ["mcp__a"],
      model: "haiku",
      effort: "low" as const,
      permissionMode: "plan" as const,
      maxTurns: 3,
      mcpServers: ["a"],
      background: true,
    }
    const inheriting = { ...defined("d"), tools: ["*"], model: "inherit" }
    const agents = resolveAgents({ options: { full, inheriting } })
    expect(agentNamed(agents, "full")).toEqual({ name: "full", source: "options", ...full })
    expect(agentNamed(agents, "inheriting")).toEqual({ name: "inheriting", source: "options", ...defined("d") })
  })

  it("are found by name and by the aliases of built-in ones, unless an agent has that name", () => {
    const agents = resolveAgents({})
    expect(agentNamed(agents, "general")?.name).toBe("general-purpose")
    expect(agentNamed(agents, "explore")?.name).toBe("Explore")
    for (const name of ["nothing", "constructor", "__proto__", ""]) expect(agentNamed(agents, name)).toBeUndefined()
    const own = resolveAgents({ options: { explore: defined("own") } })
    expect(agentNamed(own, "explore")?.description).toBe("own")
  })

  it("are listed with name, description and, if set, model", () => {
    const infos = agentInfos(resolveAgents({ options: { own: { ...defined("d"), model: "opus" } } }))
    expect(infos).toContainEqual({ name: "own", description: "d", model: "opus" })
    expect(infos.find(({ name }) => name === "Plan")).not.toHaveProperty("model")
  })
})
