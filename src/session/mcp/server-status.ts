// The state of an MCP server as `mcp_status` and `system/init` report it.
import type { RefusedTool } from "../../mcp/choose-tools.ts"
import type { McpToolInfo } from "../../schemas/sdk/options/mcp-tools.ts"

export interface ServerStatus {
  readonly name: string
  readonly status: "connected" | "failed" | "needs-auth" | "pending" | "disabled"
  readonly source: string
  /** What carries its messages. */
  readonly transport?: "sdk" | "http" | "sse"
  readonly scope?: string
  readonly error?: string
  /** How a remote server is configured, without its secrets. */
  readonly config?: { readonly type: "http" | "sse"; readonly url: string }
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly tools?: ReadonlyArray<ToolFacts>
}

/** The same in the answer to `mcp_status`, which knows each tool's fingerprint and the tools that were left out. */
export type ServerReport = ServerStatus & {
  readonly tools?: ReadonlyArray<ToolFacts & { readonly schema_fingerprint?: string }>
  readonly rejected_tools?: ReadonlyArray<RefusedTool>
}

interface ToolFacts {
  readonly name: string
  readonly description?: string
  /** What its server hints at, as the official SDK names it; what it does not say is left out. */
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean }
}

/** As the official SDK: of the hints only those that are true. */
export const toolFacts = ({ name, description, annotations }: McpToolInfo): ToolFacts => ({
  name,
  ...(description === undefined ? {} : { description }),
  annotations: {
    ...(annotations?.readOnlyHint === true ? { readOnly: true } : {}),
    ...(annotations?.destructiveHint === true ? { destructive: true } : {}),
    ...(annotations?.openWorldHint === true ? { openWorld: true } : {}),
  },
})
