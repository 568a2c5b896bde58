// Receives a server that was connected; returns how `mcp_status` reports it.
import type { McpServerStatus } from "../schemas/sdk/options/mcp-config.ts"
import type { ConnectedMcp } from "./client-server.ts"

/** The entry of a connected server; `source` is where it was configured. */
export const mcpStatus = (server: ConnectedMcp, source = "sdk"): McpServerStatus => ({
  name: server.name,
  status: "connected",
  source,
  ...(server.serverInfo === undefined ? {} : { serverInfo: server.serverInfo }),
  tools: server.tools.map(({ name, description, annotations = {}, _meta }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    annotations: {
      ...(annotations.readOnlyHint === undefined ? {} : { readOnly: annotations.readOnlyHint }),
      ...(annotations.destructiveHint === undefined ? {} : { destructive: annotations.destructiveHint }),
      ...(annotations.openWorldHint === undefined ? {} : { openWorld: annotations.openWorldHint }),
    },
    ...(_meta === undefined ? {} : { _meta }),
  })),
})
