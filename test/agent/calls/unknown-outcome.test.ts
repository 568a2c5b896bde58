// Which policy applies to a tool: its own, its server's, then the session's. A call is retried only if something declares it
// idempotent.
import { expect, it } from "vitest"
import { policyFor } from "../../../src/agent/calls/unknown-outcome.ts"

const bash = { name: "Bash", idempotent: false }
const server = { mcpServer: { name: "pay desk", source: "sdk" } }
const charge = { name: "mcp__pay_desk__charge", idempotent: false, ...server }
const refund = { name: "mcp__pay_desk__refund", idempotent: true, ...server }

it.each([
  ["no policy is set", bash, undefined, "tell_model"],
  ["an empty policy is given", refund, {}, "tell_model"],
  ["people are asked", bash, "ask_human", "ask_human"],
  ["all is retried, and the tool is declared idempotent", refund, "retry", "retry"],
  ["all is retried, and the tool is not declared idempotent", charge, "retry", "tell_model"],
  ["the rest is retried, and the tool is not declared idempotent", charge, { default: "retry" }, "tell_model"],
  ["the tool is named", charge, { tools: { mcp__pay_desk__charge: "retry" } }, "retry"],
  ["the tool's server is named", charge, { tools: { mcp__pay_desk: "ask_human" } }, "ask_human"],
  ["both are named", charge, { tools: { mcp__pay_desk: "retry", mcp__pay_desk__charge: "ask_human" } }, "ask_human"],
  ["another server is named", charge, { default: "ask_human", tools: { mcp__pay: "retry" } }, "ask_human"],
  ["a tool has the name of something that objects have", { name: "constructor", idempotent: false }, {}, "tell_model"],
] as const)("when %s", (_, tool, options, policy) => {
  expect(policyFor(tool, options)).toBe(policy)
})
