// The routes of a tenant's agents: their definitions, listed with Perch's own, and the router's configuration.
import { resolveAgents } from "../../../agent/subagents/definition.ts"
import { agentDefinitionIssues } from "../../../schemas/sdk/options/agent-issues.ts"
import type { AgentDefinition } from "../../../schemas/sdk/options/agents.ts"
import type { RefusedField } from "../../../schemas/errors/rpc-error.ts"
import type { ClaudeCodeConfig } from "../../../schemas/interop/claude-code-config.ts"
import { agentRows } from "../../contract/definitions/agents.ts"
import { routerRows } from "../../contract/definitions/routers.ts"
import type { App } from "../../handle.ts"
import { definitionRoutes } from "./definition-routes.ts"

export const agentRoutes = (app: App): void =>
  definitionRoutes(app, agentRows, {
    kind: "agent",
    noun: "agent",
    issues: (_name, value) => [...agentDefinitionIssues(value, []), ...configuredServers(value)],
    builtIn: resolveAgents({}).map((agent) => ({ ...agent })),
  })

/** Refuses servers that are configured inside an agent, since definitions of agents do not encrypt secrets. */
const configuredServers = ({ mcpServers = [] }: AgentDefinition): ReadonlyArray<RefusedField> =>
  mcpServers.flatMap((server, index) => {
    const field = `mcpServers[${index}]`
    return typeof server === "string"
      ? []
      : [
          {
            field,
            message: `${field} is a server's configuration. Store it at /v1/mcp-servers, and put its name here.`,
          },
        ]
  })

export const routerRoutes = (app: App): void =>
  definitionRoutes(app, routerRows, { kind: "router", noun: "router", issues: routerIssues })

/** Refuses `bypassPermissions`, which needs a scope of its own, for all sessions of the tenant. */
const routerIssues = (_name: string, { permissionMode }: ClaudeCodeConfig): ReadonlyArray<RefusedField> =>
  permissionMode === "bypassPermissions"
    ? [
        {
          field: "permissionMode",
          message:
            "permissionMode can't be bypassPermissions for a whole tenant. Set it in options.claudeCode of a session.",
        },
      ]
    : []
