// How the permission engine receives a call: what MCP servers declare about their tools, and how plan mode treats it.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { judgedCall } from "../../../src/agent/calls/judged-call.ts"
import { mcpTool } from "../../../src/mcp/mcp-tool.ts"
import { decide, type HookVerdict, questionFields } from "../../../src/permissions/decide.ts"
import { policy } from "../../permissions/calls.ts"

/** The call names no path, so the workspace is never consulted. */
const PLACE = {
  cwd: "/workspace",
  root: "/workspace",
  planning: { file: "/workspace/.perch/plans/s.md" },
} as Parameters<typeof judgedCall>[1]
/** The tool starts no agent, so the turn's agents are never read. */
const NO_AGENTS = {} as Parameters<typeof judgedCall>[2]
const ALLOW: HookVerdict = { behavior: "allow" }

const judged = (readOnlyHint: boolean) => {
  const info = { name: "t", inputSchema: { type: "object" }, annotations: { readOnlyHint } }
  const tool = mcpTool({ name: "far", tools: [info] }, info, { send: () => Effect.succeed(null) })
  return judgedCall({ tool, input: {} }, PLACE, NO_AGENTS)
}

describe("an MCP tool in plan mode", () => {
  const allowing = policy("plan", { allowedTools: ["mcp__far"] })

  it("that only reads runs if a rule or a hook allows it; otherwise it is asked about, as in other modes", () => {
    expect(decide(judged(true), allowing).behavior).toBe("allow")
    expect(decide(judged(true), policy("plan"), ALLOW).behavior).toBe("allow")
    for (const mode of ["plan", "default"] as const) {
      const decision = decide(judged(true), policy(mode))
      expect(decision).toMatchObject({ behavior: "ask", suggestions: [{ type: "addRules" }] })
    }
  })

  it("that may change something is asked about even if a rule or hook allows it, and no rule is suggested", () => {
    for (const decision of [
      decide(judged(false), allowing),
      decide(judged(false), policy("plan"), ALLOW),
      decide(judged(false), policy("plan")),
    ]) {
      if (decision.behavior !== "ask") throw new Error("it was not asked about")
      expect(questionFields(decision)).toEqual({ decision_reason_type: "mode" })
    }
    expect(decide(judged(false), policy("default", { allowedTools: ["mcp__far"] })).behavior).toBe("allow")
  })
})
