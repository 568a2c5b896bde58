// The names that MCP tools have in a session: receives what servers and tools call themselves, returns what the model,
// rules and the log call them.

/** The name of a server or tool as a part of a tool's name. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/** The name of a server, as permission rules have it: `mcp__server`. */
export const serverName = (server: string): string => `mcp__${plain(server)}`

/** The name of a server's tool in a session, as the official SDK has it: `mcp__server__tool`. */
export const toolName = (server: string, tool: string): string => `mcp__${plain(server)}__${plain(tool)}`

/** What people read: the tool's title, or its name with spaces. */
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
