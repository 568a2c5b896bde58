// The MCP servers of a subagent's own: configurations inside its definition, beside the names of the session's servers.
// Invariant: what is written to the log of a definition has their names alone; configurations may hold secrets.
import * as Schema from "effect/Schema"
import type { McpServerConfig } from "./mcp-config.ts"
import { McpServerEntry } from "./mcp-entries.ts"

interface Definition {
  readonly mcpServers?: ReadonlyArray<string | Readonly<Record<string, McpServerConfig>>>
}

/** By name; of a name that comes twice, the later configuration. */
export const ownServersOf = ({ mcpServers = [] }: Definition): Readonly<Record<string, McpServerConfig>> =>
  Object.assign({}, ...mcpServers.filter((server) => typeof server === "object"))

/** True where any of the definitions has a server of its own. */
export const haveOwnServers = (agents: Readonly<Record<string, Definition>>): boolean =>
  Object.values(agents).some(({ mcpServers = [] }) => mcpServers.some((server) => typeof server === "object"))

/** Those that a session can have; what is wrong with the others is found when the definition is taken. */
export const entriesIn = (
  servers: Readonly<Record<string, McpServerConfig>>,
): Readonly<Record<string, McpServerEntry>> =>
  Object.fromEntries(Object.entries(servers).flatMap(([name, one]) => (isEntry(one) ? [[name, one] as const] : [])))

const isEntry = Schema.is(McpServerEntry)
