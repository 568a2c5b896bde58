// The MCP servers of a session, as the control protocol reports them.
import * as Schema from "effect/Schema"
import { AnyRecord, open } from "../open.ts"
import { McpServerConfig } from "../options/mcp-config.ts"

const opt = Schema.optionalKey

const McpClaudeAIProxyServerConfig = open({
  type: Schema.Literal("claudeai-proxy"),
  url: Schema.String,
  id: Schema.String,
  timeout: opt(Schema.Finite),
})

export const McpServerStatusConfig = Schema.Union([...McpServerConfig.members, McpClaudeAIProxyServerConfig])

/** One entry of the answer to `mcp_status`. */
export const McpServerStatus = open({
  name: Schema.String,
  status: Schema.Literals(["connected", "failed", "needs-auth", "pending", "disabled"]),
  serverInfo: opt(open({ name: Schema.String, version: Schema.String })),
  error: opt(Schema.String),
  config: opt(McpServerStatusConfig),
  scope: opt(Schema.String),
  source: opt(Schema.String),
  tools: opt(
    Schema.Array(
      open({
        name: Schema.String,
        description: opt(Schema.String),
        annotations: opt(
          open({
            readOnly: opt(Schema.Boolean),
            destructive: opt(Schema.Boolean),
            openWorld: opt(Schema.Boolean),
          }),
        ),
        _meta: opt(AnyRecord),
      }),
    ),
  ),
})
export type McpServerStatus = typeof McpServerStatus.Type

/** The answer to `mcp_set_servers`: names, and a message per server that failed. */
export const McpSetServersResult = open({
  added: Schema.Array(Schema.String),
  removed: Schema.Array(Schema.String),
  errors: Schema.Record(Schema.String, Schema.String),
})
export type McpSetServersResult = typeof McpSetServersResult.Type
