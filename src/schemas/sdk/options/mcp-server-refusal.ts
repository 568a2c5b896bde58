// Receives the configuration of an MCP server; returns why a session can't use it.
// Invariant: it imports nothing, because it is bundled into the client.

/**
 * Why a session can't use a configured server, as the end of a sentence that begins with its name; undefined when it can,
 * when the entry is skipped, or when the value is no configuration at all. A configuration with a command and no type is
 * one of a local process, as for the SDK; one with neither is skipped, as with opencode.
 */
export const mcpServerRefusal = (config: unknown): string | undefined => {
  if (typeof config !== "object" || config === null || Array.isArray(config)) return undefined
  if (Reflect.get(config, "enabled") === false) return undefined
  const type: unknown = Reflect.get(config, "type") ?? ("command" in config ? "stdio" : undefined)
  if (type === undefined || (typeof type === "string" && USABLE.has(type))) return undefined
  if (type === "stdio" || type === "local") {
    return `is a ${type === "local" ? "local" : "stdio"} server: stdio MCP servers need a local process, and Perch starts none. Use one of type http or sse, or of type sdk, which lives in your app (createSdkMcpServer).`
  }
  return `is of a type that Perch does not know: ${JSON.stringify(type)?.slice(0, 80)}`
}

const USABLE: ReadonlySet<string> = new Set(["sdk", "http", "sse", "remote"])
