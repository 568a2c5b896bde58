// A subagent's own MCP servers: configurations inside its definition, in addition to names of the session's servers.
// Invariant: a definition in the log has only the names of its servers, since configurations may contain secrets.
import * as Schema from "effect/Schema"
import type { McpServerConfig } from "./mcp-config.ts"
import { McpServerEntry } from "./mcp-entries.ts"

interface Definition {
  readonly mcpServers?: ReadonlyArray<string | Readonly<Record<string, McpServerConfig>>>
}

/** The configurations by name; for a repeated name, the later one. */
export const ownServersOf = ({ mcpServers = [] }: Definition): Readonly<Record<string, McpServerConfig>> =>
  Object.assign({}, ...mcpServers.filter((server) => typeof server === "object"))

/** True when any of the definitions has a server of its own. */
export const haveOwnServers = (agents: Readonly<Record<string, Definition>>): boolean =>
  Object.values(agents).some(({ mcpServers = [] }) => mcpServers.some((server) => typeof server === "object"))

/** The servers that a session can use; the issues of the others were reported when the definition was accepted. */
export const entriesIn = (
  servers: Readonly<Record<string, McpServerConfig>>,
): Readonly<Record<string, McpServerEntry>> =>
  Object.fromEntries(Object.entries(servers).flatMap(([name, one]) => (isEntry(one) ? [[name, one] as const] : [])))

const isEntry = Schema.is(McpServerEntry)
