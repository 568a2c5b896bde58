// Receives the MCP servers of a session's options; returns those to which the session connects over HTTP, in one form.
// Invariant: opencode's entries mean the same as there: one that is disabled or has no type is skipped, `remote` is `sse`
// unless `transport` names another, and a local one is refused when the options are decoded.
import type { McpServerToolPolicy } from "../../schemas/sdk/options/mcp-config.ts"
import type { OAuthConfig } from "../../schemas/sdk/options/mcp-oauth.ts"
import type { McpServerEntry } from "../../schemas/sdk/options/mcp-entries.ts"

/** A server to connect to. */
export interface RemoteConfig {
  readonly type: "http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly tools: ReadonlyArray<McpServerToolPolicy>
  /** The time limit of one call, in milliseconds. */
  readonly timeout?: number
  /** Where the server was configured, in the official SDK's terms. */
  readonly source: ServerSource
  /** How the session gets tokens for the server. */
  readonly oauth?: OAuthConfig
}

/** `dynamic`: by the session or its client. `user`: by the tenant, for all of its sessions. `agent`: by a subagent's definition. */
export type ServerSource = "dynamic" | "user" | "agent"

export interface RemoteServersOf {
  readonly servers: ReadonlyMap<string, RemoteConfig>
  /** Names of configured entries that are not used. */
  readonly skipped: ReadonlyArray<string>
}

const NONE: RemoteServersOf = { servers: new Map(), skipped: [] }

/** The remote servers among the entries. Servers of type `sdk` are in neither list, since they run in the client. */
export const remoteServersOf = (
  entries: Readonly<Record<string, McpServerEntry>> | undefined,
  source: ServerSource = "dynamic",
): RemoteServersOf => {
  if (entries === undefined) return NONE
  const servers = new Map<string, RemoteConfig>()
  const skipped: Array<string> = []
  for (const [name, entry] of Object.entries(entries)) {
    const switchedOff = "enabled" in entry && entry.enabled === false
    if (switchedOff || !("type" in entry)) skipped.push(name)
    else if (entry.type === "http" || entry.type === "sse" || entry.type === "remote") {
      const { url, headers = {}, tools = [], timeout, oauth } = entry
      const type = entry.type === "remote" ? (entry.transport ?? "sse") : entry.type
      const more = { ...(timeout === undefined ? {} : { timeout }), ...(oauth === undefined ? {} : { oauth }) }
      servers.set(name, { type, url, headers, tools, source, ...more })
    }
  }
  return { servers, skipped }
}
