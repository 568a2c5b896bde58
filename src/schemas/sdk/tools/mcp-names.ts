// The names of MCP servers in permission rules and in the names of their tools.

/** A server's or tool's name with the characters that a tool name may have. */
export const nameInTools = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/** The name of a server in permission rules: `mcp__server`. */
export const serverName = (server: string): string => `mcp__${nameInTools(server)}`
