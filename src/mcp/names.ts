// The names of MCP tools in a session: receives the names that servers and tools give themselves, returns those that the
// model, rules and the log use.

/** A server's or tool's name with the characters that a tool name may have. */
const nameInTools = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/** The name of a server in permission rules: `mcp__server`. */
export const serverName = (server: string): string => `mcp__${nameInTools(server)}`

/** The name of a server's tool in a session, as in the official SDK: `mcp__server__tool`. */
export const toolName = (server: string, tool: string): string => `mcp__${nameInTools(server)}__${nameInTools(tool)}`

/** The name for people: the tool's title, or its name with spaces. */
export const displayName = (tool: {
  readonly name: string
  readonly title?: string
  readonly annotations?: { readonly title?: string }
}): string => {
  const given = tool.annotations?.title ?? tool.title
  if (given !== undefined && given.trim() !== "") return given.slice(0, 200)
  const spaced = tool.name.replaceAll(/[_-]+/g, " ").trim()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
