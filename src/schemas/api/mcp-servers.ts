// MCP servers that a tenant stores for all of its sessions, as the API receives and returns them.
// Invariant: header values, and what comes after `?` in an address, can be written but are never shown.
import * as Schema from "effect/Schema"
import { REMOTE_FIELDS } from "../sdk/options/mcp-entries.ts"

/** The same names as for servers of agents and commands: the name becomes part of the names of the server's tools. */
export const McpServerName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: "Expected 1 to 64 letters, digits, _ and -" }),
)

const { url, ...fields } = REMOTE_FIELDS
const opt = Schema.optionalKey

/** The fields of a definition. Those of a local process are declared, so that they can be refused by name. */
const SERVER_FIELDS = {
  type: Schema.Literals(["http", "sse", "remote", "stdio", "local"]),
  url: opt(url),
  ...fields,
  transport: opt(Schema.Literals(["http", "sse"])),
  command: opt(Schema.Unknown),
  args: opt(Schema.Unknown),
  env: opt(Schema.Unknown),
}

/** `PUT /v1/mcp-servers/{name}` */
export const PutMcpServer = Schema.Struct(SERVER_FIELDS).annotate({ identifier: "PutMcpServer" })
export type PutMcpServer = typeof PutMcpServer.Type

/** `POST /v1/mcp-servers` */
export const CreateMcpServer = Schema.Struct({ name: McpServerName, ...SERVER_FIELDS }).annotate({
  identifier: "CreateMcpServer",
})

/** A server that every session of the tenant uses. */
export const StoredMcpServer = Schema.Struct({
  name: Schema.String,
  source: Schema.Literal("stored"),
  type: Schema.Literals(["http", "sse", "remote"]),
  url,
  ...fields,
  transport: opt(Schema.Literals(["http", "sse"])),
  created_at: Schema.String,
  updated_at: Schema.String,
}).annotate({ identifier: "StoredMcpServer" })
