// The names of MCP tools in a session: receives the names that servers and tools give themselves, returns those that the
// model, rules and the log use.
import { nameInTools, serverName } from "../schemas/sdk/tools/mcp-names.ts"

/** The name of a server's tool in a session, as in the official SDK: `mcp__server__tool`. */
export const toolName = (server: string, tool: string): string => `${serverName(server)}__${nameInTools(tool)}`

/**
 * The tools that the session does not offer, because their names are taken. `mcp__a__b__t` belongs to the server `a__b` if there
 * is one, also when the server `a` has a tool `b__t`: rules for `a__b` must not apply to that. Of two tools with the same name,
 * the first has it. `servers` are the names of all servers of the session.
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

/** The name for people: the tool's title, or the words of its name with capital letters. */
export const displayName = (tool: {
  readonly name: string
  readonly title?: string
  readonly annotations?: { readonly title?: string }
}): string => {
  const given = tool.annotations?.title ?? tool.title
  if (given !== undefined && given.trim() !== "") return given.slice(0, 200)
  const spaced = nameInTools(tool.name).replaceAll(/_+/g, " ").trim()
  return spaced.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
