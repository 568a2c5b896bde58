// The names of MCP tools in a session: receives the names that servers and tools give themselves, returns those that the
// model, rules and the log use.

/** A server's or tool's name with the characters that a tool name may have. */
const nameInTools = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/** The name of a server in permission rules: `mcp__server`. */
export const serverName = (server: string): string => `mcp__${nameInTools(server)}`

/** The name of a server's tool in a session, as in the official SDK: `mcp__server__tool`. */
export const toolName = (server: string, tool: string): string => `mcp__${nameInTools(server)}__${nameInTools(tool)}`

/**
 * The tools that a session can't use, because their names belong to other servers: a name belongs to the server with the longest
 * matching name, so that rules for `a__b` cover no tool of the server `a`; and to one tool. `servers` are all of the session.
 */
export const contested = <One extends { readonly name: string; readonly mcpServer?: { readonly name: string } }>(
  tools: ReadonlyArray<One>,
  servers: ReadonlyArray<string>,
): ReadonlySet<One> => {
  const prefixes = servers.map((server) => toolName(server, ""))
  const known = new Set<string>()
  return new Set(
    tools.filter(({ name, mcpServer }) => {
      const own = toolName(mcpServer?.name ?? "", "")
      const isKnown = known.has(name) || prefixes.some((one) => one.length > own.length && name.startsWith(one))
      if (!isKnown) known.add(name)
      return isKnown
    }),
  )
}

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
