// MCP as sessions configure it: server configurations, per-tool policies, and the JSON-RPC envelope.
// Invariant: shapes only; which kinds of servers Perch connects to is decided where a session is opened.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

const opt = Schema.optionalKey

/** Which server a tool belongs to, and where that server was configured. */
export const McpServerProvenance = open({ name: Schema.String, source: Schema.String })
export type McpServerProvenance = typeof McpServerProvenance.Type

/** The host's policy for one tool of a server. */
export const McpServerToolPolicy = open({
  name: Schema.String,
  permission_policy: opt(Schema.Literals(["always_allow", "always_ask", "always_deny"])),
  org_max_permission: opt(Schema.Literals(["allow", "ask", "blocked"])),
})
export type McpServerToolPolicy = typeof McpServerToolPolicy.Type

/** A server started as a local process: typed by the SDK, never started by Perch. */
export const McpStdioServerConfig = open({
  type: opt(Schema.Literal("stdio")),
  command: Schema.String,
  args: opt(Schema.Array(Schema.String)),
  env: opt(Schema.Record(Schema.String, Schema.String)),
  timeout: opt(Schema.Finite),
  alwaysLoad: opt(Schema.Boolean),
})
export type McpStdioServerConfig = typeof McpStdioServerConfig.Type

const remote = {
  url: Schema.String,
  headers: opt(Schema.Record(Schema.String, Schema.String)),
  tools: opt(Schema.Array(McpServerToolPolicy)),
  timeout: opt(Schema.Finite),
  alwaysLoad: opt(Schema.Boolean),
}

export const McpSSEServerConfig = open({ type: Schema.Literal("sse"), ...remote })
export type McpSSEServerConfig = typeof McpSSEServerConfig.Type

export const McpHttpServerConfig = open({ type: Schema.Literal("http"), ...remote })
export type McpHttpServerConfig = typeof McpHttpServerConfig.Type

/** A server inside the client: its messages are sent as `mcp_message` control requests. */
export const McpSdkServerConfig = open({
  type: Schema.Literal("sdk"),
  name: Schema.String,
  timeout: opt(Schema.Finite),
  tools: opt(Schema.Array(McpServerToolPolicy)),
})
export type McpSdkServerConfig = typeof McpSdkServerConfig.Type

export const McpServerConfig = Schema.Union([
  McpStdioServerConfig,
  McpSSEServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
])
export type McpServerConfig = typeof McpServerConfig.Type

const rpc = { jsonrpc: Schema.Literal("2.0") }
const RequestId = Schema.Union([Schema.String, Schema.Finite])
const Meta = open({
  progressToken: opt(RequestId),
  "io.modelcontextprotocol/related-task": opt(open({ taskId: Schema.String })),
})
const Body = open({ _meta: opt(Meta) })

/** A JSON-RPC message as in MCP. A message without `id` is a notification. */
export const JsonRpcMessage = Schema.Union([
  open({ ...rpc, id: RequestId, method: Schema.String, params: opt(Body) }),
  open({ ...rpc, id: opt(Schema.Never), method: Schema.String, params: opt(Body) }),
  open({ ...rpc, id: RequestId, result: Body }),
  open({
    ...rpc,
    id: opt(RequestId),
    error: open({ code: Schema.Int, message: Schema.String, data: opt(Schema.Unknown) }),
  }),
])
export type JsonRpcMessage = typeof JsonRpcMessage.Type
