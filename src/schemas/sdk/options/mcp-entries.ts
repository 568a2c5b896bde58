// `options.mcpServers` as a session accepts it: servers over HTTP in the SDK's form or in opencode's, servers inside the
// client, and disabled entries.
// Invariant: shapes only; which addresses and headers are accepted is decided in mcp/remote/server-rules.ts, and servers that
// need a local process are refused by mcp-server-refusal.ts.
import * as Schema from "effect/Schema"
import { HttpUrl } from "../../http-url.ts"
import { open } from "../open.ts"
import { OAuthConfig } from "./mcp-oauth.ts"
import { McpSdkServerConfig, McpServerToolPolicy } from "./mcp-config.ts"

const opt = Schema.optionalKey

const Headers = Schema.Record(
  Schema.String.check(Schema.isMaxLength(100, { message: "Expected a name of at most 100 characters" })),
  Schema.String.check(Schema.isMaxLength(4000, { message: "Expected a value of at most 4000 characters" })),
).check(Schema.isMaxProperties(50))

const on = { enabled: opt(Schema.Literal(true)) }
/** The fields of servers over HTTP other than their type. */
export const REMOTE_FIELDS = {
  url: HttpUrl,
  headers: opt(Headers),
  tools: opt(Schema.Array(McpServerToolPolicy).check(Schema.isMaxLength(1000))),
  /** The timeout of one call in milliseconds; if it is below 30 seconds, also the timeout of connecting. */
  timeout: opt(Schema.Finite),
  oauth: opt(OAuthConfig),
  ...on,
}

/** A server that speaks MCP over streamable HTTP. */
export const McpHttpEntry = Schema.Struct({
  type: Schema.Literal("http"),
  ...REMOTE_FIELDS,
  alwaysLoad: opt(Schema.Boolean),
})

/** A server with the older transport: a stream of events, and an address to post to. */
export const McpSseEntry = Schema.Struct({
  type: Schema.Literal("sse"),
  ...REMOTE_FIELDS,
  alwaysLoad: opt(Schema.Boolean),
})

/** A remote server as opencode configures it, with the transport `transport`, by default `sse`. */
export const McpRemoteEntry = Schema.Struct({
  type: Schema.Literal("remote"),
  ...REMOTE_FIELDS,
  transport: opt(Schema.Literals(["http", "sse"])),
})

/** An entry that is skipped: a disabled server of any type, or an entry without a type. */
export const McpUnusedEntry = open({ enabled: opt(Schema.Boolean), url: opt(Schema.String) }).check(
  Schema.makeFilter(
    // An entry with a command and no type is a local process, as for the SDK.
    (entry) =>
      ("enabled" in entry && entry.enabled === false) ||
      !("type" in entry || "command" in entry) ||
      "Expected an entry that is disabled or has no type",
  ),
)

export const McpServerEntry = Schema.Union([
  McpSdkServerConfig,
  McpHttpEntry,
  McpSseEntry,
  McpRemoteEntry,
  McpUnusedEntry,
])
export type McpServerEntry = typeof McpServerEntry.Type
