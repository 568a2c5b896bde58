// Subagents: how a caller defines one, and how it is reported to clients.
// Invariant: shapes only; the limits of a definition are checked where a session accepts it.
import * as Schema from "effect/Schema"
import { McpServerConfig } from "./mcp-config.ts"
import { EFFORTS } from "../efforts.ts"
import { open } from "../open.ts"
import { PermissionMode } from "./permissions.ts"

const opt = Schema.optionalKey

/** A server of the session by name, or the agent's own servers. */
export const AgentMcpServerSpec = Schema.Union([Schema.String, Schema.Record(Schema.String, McpServerConfig)])
export type AgentMcpServerSpec = typeof AgentMcpServerSpec.Type

/** The fields of a definition. */
export const AGENT_FIELDS = {
  description: Schema.String,
  tools: opt(Schema.Array(Schema.String)),
  disallowedTools: opt(Schema.Array(Schema.String)),
  prompt: Schema.String,
  model: opt(Schema.String),
  mcpServers: opt(Schema.Array(AgentMcpServerSpec)),
  criticalSystemReminder_EXPERIMENTAL: opt(Schema.String),
  skills: opt(Schema.Array(Schema.String)),
  initialPrompt: opt(Schema.String),
  maxTurns: opt(Schema.Finite),
  autoCompactWindow: opt(Schema.Finite),
  background: opt(Schema.Boolean),
  omitClaudeMd: opt(Schema.Boolean),
  memory: opt(Schema.Literals(["user", "project", "local"])),
  effort: opt(Schema.Union([Schema.Literals(EFFORTS), Schema.Finite])),
  permissionMode: opt(PermissionMode),
  observer: opt(Schema.String),
  observerMessage: opt(Schema.String),
}

/** A subagent as the caller defines it: when to use it (`description`), its prompt, tools, model and limits. */
export const AgentDefinition = open(AGENT_FIELDS)
export type AgentDefinition = typeof AgentDefinition.Type

/** The name of a stored agent, which is part of its address. */
export const AgentName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: "Expected 1 to 64 letters, digits, _ or -" }),
)

/** True for the name of an agent that options or a file define. As in the official SDK, it may be any text of one line. */
export const isAgentName = (name: string): boolean =>
  /^[^\p{Cc}\u2028\u2029]{1,200}$/u.test(name) && name.trim() === name

/** An agent as clients list it. */
export const AgentInfo = open({ name: Schema.String, description: Schema.String, model: opt(Schema.String) })
export type AgentInfo = typeof AgentInfo.Type
