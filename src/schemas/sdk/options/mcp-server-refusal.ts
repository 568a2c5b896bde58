// Receives the configuration of an MCP server; returns why a session can't use it. Plain code: the client is bundled with it.
import { isPlainObject } from "../../plain-object.ts"

/**
 * Why a session can't use a configured server, as the end of a sentence that begins with its name; undefined when it can,
 * or when the value is no configuration at all. A configuration without a type is one of a local process, as for the SDK.
 */
export const mcpServerRefusal = (config: unknown): string | undefined => {
  if (!isPlainObject(config)) return undefined
  const type: unknown = Reflect.get(config, "type") ?? "stdio"
  if (type === "sdk") return undefined
  if (type === "stdio") {
    return "is a stdio server: stdio MCP servers need a local process, and Perch starts none. Use one of type sdk, which lives in your app (createSdkMcpServer); over HTTP, use options.clientTools."
  }
  if (type === "http" || type === "sse")
    return `is of type ${type}; this version uses only servers of type sdk, which live in the app (createSdkMcpServer)`
  return `is of a type that Perch does not know: ${JSON.stringify(type)?.slice(0, 80)}`
}
