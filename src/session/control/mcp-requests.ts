// The control requests of a client about MCP servers: connects and reports them, and passes their messages on.
// Invariant: only the client that owns the session's servers sets them or sends messages of theirs.
import * as Effect from "effect/Effect"
import { setServers } from "../mcp/set-servers.ts"
import { ControlError, permitted } from "./control-error.ts"
import { type ControlParts, type Handlers, NOTHING } from "./control-parts.ts"
import { mcpStatusAnswer } from "./control-reports.ts"
import { answerServer } from "./elicitation.ts"
import { checkServerCount } from "./initialize.ts"
import type { McpServers } from "./mcp-servers.ts"

/** The handlers of requests about the session's MCP servers. */
export const mcpRequests = (parts: ControlParts): Handlers => {
  const { core } = parts
  const { clients, mcp, permissions } = core
  return {
    mcp_status: () => ({ ...mcpStatusAnswer([...mcp.report(), ...core.runningTurn.bridgeFacts]) }),
    mcp_set_servers: async ({ servers }, client) => {
      if (clients.owner !== null && clients.owner !== client) {
        throw new ControlError("another client owns the session's MCP servers")
      }
      checkServerCount("mcp_set_servers.servers", Object.keys(servers))
      return { ...setServers(core, client, servers) }
    },
    mcp_toggle: ({ serverName, enabled }) => {
      mcp.toggle(known(mcp, "mcp_toggle", serverName), enabled)
      return NOTHING
    },
    set_mcp_permission_mode_override: ({ serverName, mode }, _, by) => {
      permitted(permissions.setMcpMode(serverName, mode, by))
      // As the official SDK: it also applies to a server of that name that is connected later.
      return mcp.has(serverName) ? NOTHING : { warning: `There is no MCP server "${serverName.slice(0, 100)}" now.` }
    },
    mcp_reconnect: async ({ serverName }) => {
      if (mcp.isDisabled(known(mcp, "mcp_reconnect", serverName))) {
        throw new ControlError(`the MCP server "${serverName.slice(0, 100)}" is disabled. Send mcp_toggle first.`)
      }
      const failure = await mcp.reconnect(serverName)
      if (failure !== undefined) throw new ControlError(failure)
      return NOTHING
    },
    mcp_read_resource: async ({ serverName, uri }) => ({ contents: await readPanel(mcp, serverName, uri) }),
    // A message that a client's server sends on its own: a request, or that its list of tools has changed.
    mcp_message: async ({ server_name: name, message }, client) => {
      if (client !== clients.owner) throw new ControlError("another client owns the session's MCP servers")
      if ("method" in message && message.id !== undefined && mcp.isClients(name)) {
        // Never aborted: the request waits for its answer until the turn ends.
        const { signal } = new AbortController()
        const response = await answerServer(parts, name, message, { signal })
        // Clients of the official SDK drop this answer, so the response is also sent to the server as a message of its own.
        return { mcp_response: response, after: () => mcp.respond(name, response) }
      }
      if ("method" in message && message.method === "notifications/tools/list_changed" && mcp.isClients(name)) {
        await mcp.connect([name])
      }
      return { mcp_response: { jsonrpc: "2.0", result: {}, id: 0 } }
    },
  }
}

/** As the official SDK: reads the `ui://` pages that a server offers for its tools, and no other resource. */
const readPanel = async (mcp: McpServers, name: string, uri: string) => {
  if (!uri.startsWith("ui://")) throw new ControlError("mcp_read_resource.uri: must use the ui:// scheme")
  if (mcp.isClients(known(mcp, "mcp_read_resource", name))) {
    throw new ControlError("mcp_read_resource: the server runs in the client, which reads its resources itself")
  }
  const read = await Effect.runPromise(Effect.result(mcp.resources.read(name, uri)))
  if (read._tag === "Failure") throw new ControlError(`mcp_read_resource: ${read.failure.message}`)
  return read.success
}

const known = (mcp: McpServers, subtype: string, name: string): string => {
  if (!mcp.has(name))
    throw new ControlError(`${subtype}.serverName: there is no MCP server "${name.slice(0, 100)}" in this session`)
  return name
}
