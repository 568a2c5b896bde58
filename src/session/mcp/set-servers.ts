// Receives the servers of a client's `mcp_set_servers`; replaces the servers that clients set before with them, and returns
// the answer.
// Invariant: a server that can't be used is in `errors` with its reason, and the others are set all the same. No reason
// repeats a header, or more of a URL than its host.
import * as Schema from "effect/Schema"
import type { ControlRequestOf } from "../../schemas/sdk/control/control.ts"
import { McpSdkServerConfig } from "../../schemas/sdk/options/mcp-config.ts"
import type { McpSetServersResult } from "../../schemas/sdk/control/mcp-status.ts"
import { isServerName } from "../../schemas/sdk/options/options.ts"
import type { SessionCore } from "../core.ts"

const isClients = Schema.is(McpSdkServerConfig)

export const setServers = (
  { clients, mcp, remoteMcp }: Pick<SessionCore, "clients" | "mcp" | "remoteMcp">,
  client: string,
  servers: ControlRequestOf<"mcp_set_servers">["servers"],
): McpSetServersResult => {
  const before = [...Object.keys(clients.registration.sdk_servers), ...remoteMcp.names]
  const own: Record<string, object> = {}
  const others: Record<string, unknown> = {}
  const refused: Record<string, string> = {}
  for (const [name, config] of Object.entries(servers)) {
    if (isClients(config) && isServerName(name)) {
      const { timeout, tools } = config
      const issue = remoteMcp.issueOf(config)
      if (issue !== undefined) refused[name] = issue
      else own[name] = { ...(timeout === undefined ? {} : { timeout }), ...(tools === undefined ? {} : { tools }) }
    } else others[name] = config
  }
  clients.changeServers(client, own)
  const errors = { ...refused, ...remoteMcp.set(others) }
  mcp.refuse(errors)
  mcp.forget()
  // As the official SDK: servers are pending until they are connected; a turn waits for that.
  void mcp.connect()
  const after = Object.keys(servers)
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
    errors,
  }
}
