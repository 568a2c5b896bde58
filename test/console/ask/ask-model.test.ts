// The displayed content of an ask.
import { expect, test } from "vitest"
import {
  agentOf,
  fieldsOf,
  parseInput,
  remaining,
  runningAgents,
  savedBy,
  settledElsewhere,
  summaryOf,
  titleOf,
} from "../../../src/console/ask/ask-model.ts"
import { ask } from "../../support/console/ask.ts"

test("a title names the tool, or the MCP server that elicits", () => {
  expect(titleOf(ask())).toBe("Allow Bash?")
  expect(titleOf(ask({ kind: "elicitation", input: { mcp_server_name: "github" } }))).toBe("github asks you")
  expect(titleOf(ask({ kind: "new_kind" }))).toBe("Bash waits for you")
})

test("an ask of a subagent names it", () => {
  expect(agentOf(ask())).toBeNull()
  expect(agentOf(ask({ agent_id: "a1b2" }))).toBe("Subagent a1b2")
  expect(agentOf(ask({ agent_id: "a1b2" }), ["reviewer"])).toBe("Subagent reviewer (a1b2)")
  expect(agentOf(ask({ agent_id: "a1b2" }), ["reviewer", "helper"])).toBe("Subagent a1b2")
})

test("running agents are those of running calls", () => {
  const part = (tool: string, status: "running" | "completed", input = {}) => ({
    id: "p",
    messageID: "m",
    type: "tool",
    tool,
    state: { status, input },
  })
  const parts = [
    part("task", "running", { subagent_type: "reviewer" }),
    part("task", "completed"),
    part("bash", "running"),
  ]
  expect(runningAgents(parts)).toEqual(["reviewer"])
})

test("a summary is the command or path, shortened", () => {
  expect(summaryOf(ask())).toBe("npm test")
  expect(summaryOf(ask({ input: { command: "x".repeat(200) } }))).toHaveLength(80)
  expect(summaryOf(ask({ input: { count: 1 } }))).toBeNull()
})

test("fields are shown as text if they are strings, the others as JSON", () => {
  expect(fieldsOf({ a: "<b>", n: 3, list: ["x"], long: "one\ntwo" })).toEqual([
    { name: "a", text: "<b>", isLong: false },
    { name: "n", text: "3", isLong: false },
    { name: "list", text: '[\n  "x"\n]', isLong: true },
    { name: "long", text: "one\ntwo", isLong: true },
  ])
})

test("the rules that `always` saves are listed, one line each", () => {
  expect(savedBy(ask())).toEqual([])
  expect(savedBy(ask({ always: [{ permission: "bash", pattern: "npm test *" }] }))).toEqual(["bash: npm test *"])
})

test("the countdown counts down", () => {
  const at = (iso: string) => remaining("2026-01-31T13:00:00.000Z", Date.parse(iso))
  expect(at("2026-01-31T11:00:00.000Z")).toBe("expires in 2 h")
  expect(at("2026-01-31T12:30:00.000Z")).toBe("expires in 30 min")
  expect(at("2026-01-31T12:59:50.000Z")).toBe("expires in 10 s")
  expect(at("2026-01-31T13:00:01.000Z")).toBe("expires now")
})

test("an ask that disappeared was settled elsewhere unless it was answered here", () => {
  const two = [ask(), ask({ request_id: "r2" })]
  expect(settledElsewhere(two, [], new Set(["r1"])).map(({ request_id }) => request_id)).toEqual(["r2"])
  expect(settledElsewhere(two, two, new Set())).toEqual([])
})

test("an edited input must be a JSON object", () => {
  expect(parseInput('{"command":"ls"}')).toEqual({ input: { command: "ls" } })
  expect(parseInput("[1]")).toEqual({ problem: "The input must be a JSON object." })
  expect(parseInput("{")).toHaveProperty("problem")
})
