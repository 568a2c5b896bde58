// The routes of the agents that a tenant keeps; Perch's own are listed with them.
import { resolveAgents } from "../../agent/subagents/definition.ts"
import { agentDefinitionIssues } from "../../schemas/sdk/options/agent-issues.ts"
import { agentRows } from "../contract/agents.ts"
import type { App } from "../handle.ts"
import { definitionRoutes } from "./definition-routes.ts"

export const agentRoutes = (app: App): void =>
  definitionRoutes(app, agentRows, {
    kind: "agent",
    noun: "agent",
    issues: (name, value) => agentDefinitionIssues(value, ["agents", name]),
    builtIn: resolveAgents({}).map((agent) => ({ ...agent })),
  })
