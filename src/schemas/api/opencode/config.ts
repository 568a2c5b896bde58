// The defaults of a tenant's new sessions, in the terms of opencode's configuration.
// Invariant: header values, and what comes after `?` in an address, can be written but are never shown.
import * as Schema from "effect/Schema"
import { PermissionMode } from "../../sdk/options/permissions.ts"
import { REMOTE_FIELDS } from "../../sdk/options/mcp-entries.ts"
import { McpServerName } from "../mcp-servers.ts"

const opt = Schema.optionalKey

/** A disabled server is stored but not used. Fields of a local process are declared, so that they can be refused by name. */
const { url, enabled: _, ...fields } = REMOTE_FIELDS
export const ConfiguredServer = Schema.Struct({
  type: Schema.Literals(["remote", "local"]),
  url: opt(url),
  ...fields,
  transport: opt(Schema.Literals(["http", "sse"])),
  enabled: opt(Schema.Boolean),
  command: opt(Schema.Unknown),
  environment: opt(Schema.Unknown),
}).annotate({ identifier: "ConfiguredServer", description: "An MCP server as opencode configures it." })
export type ConfiguredServer = typeof ConfiguredServer.Type

/** `GET` and `PUT /v1/config` */
export const TenantConfig = Schema.Struct({
  model: opt(
    Schema.Struct({ default: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))) }).annotate({
      description: "The model of sessions that set neither a model nor an agent.",
    }),
  ),
  thinking: opt(
    Schema.Struct({ budget: opt(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))) }).annotate({
      description:
        "`maxThinkingTokens` of sessions that set neither thinking, a budget nor a variant; 0 disables thinking.",
    }),
  ),
  permissions: opt(
    Schema.Struct({ mode: opt(PermissionMode) }).annotate({
      description: "The permission mode of sessions that set none; not `bypassPermissions`.",
    }),
  ),
  instructions: opt(
    Schema.String.check(Schema.isMaxLength(100_000)).annotate({
      description:
        "Text that is appended to Perch's system prompt, in sessions without their own system prompt or `append`.",
      examples: ["Answer in French."],
    }),
  ),
  mcp: opt(
    Schema.Record(McpServerName, ConfiguredServer).check(Schema.isMaxProperties(50)).annotate({
      description:
        "MCP servers by name, as opencode configures them: `remote`. Sessions with `strictMcpConfig` do not use them.",
    }),
  ),
}).annotate({ identifier: "TenantConfig" })
export type TenantConfig = typeof TenantConfig.Type
