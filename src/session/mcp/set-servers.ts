// Receives the servers of a client's `mcp_set_servers`; replaces the servers that clients set before with them, and returns
// the answer.
// Invariant: a server that can't be used is in `errors` with its reason, and the others are set all the same. No reason
// repeats a header, or more of a URL than its host.
import * as Schema from "effect/Schema"
import type { ControlRequestOf } from "../../schemas/sdk/control/control.ts"
import { McpSdkServerConfig } from "../../schemas/sdk/options/mcp-config.ts"
import type { McpSetServersResult } from "../../schemas/sdk/control/mcp-status.ts"
import { isServerName } from "../../schemas/sdk/options/options.ts"
import { isSameJson } from "../../schemas/json/same-json.ts"
import type { SessionCore } from "../core.ts"

const isClients = Schema.is(McpSdkServerConfig)

/** What the servers inside the client are compared by: their tools' settings can change while they stay connected. */
const CLIENTS = "sdk"

export const setServers = (
  { clients, mcp, remoteMcp }: Pick<SessionCore, "clients" | "mcp" | "remoteMcp">,
  client: string,
  servers: ControlRequestOf<"mcp_set_servers">["servers"],
): McpSetServersResult => {
  const ofClients = Object.keys(clients.registration.sdk_servers).map((name) => [name, CLIENTS] as const)
  const before = new Map<string, unknown>([
    ...Object.entries(mcp.refused),
    ...Object.entries(remoteMcp.own),
    ...ofClients,
  ])
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
  mcp.refuse(errors, servers)
  mcp.forget()
  // As the official SDK: servers are pending until they are connected; a turn waits for that.
  void mcp.connect()
  // As the official SDK: a server whose configuration changes is removed and added.
  const isKept = (name: string) => isSameJson(before.get(name), Object.hasOwn(own, name) ? CLIENTS : servers[name])
  return {
    added: Object.keys(servers).filter((name) => !isKept(name)),
    removed: [...before.keys()].filter((name) => !isKept(name)),
    errors,
  }
}
