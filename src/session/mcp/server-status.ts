// The state of an MCP server as `mcp_status` and `system/init` report it.
import type { RefusedTool } from "../../mcp/choose-tools.ts"
import type { McpToolInfo } from "../../schemas/sdk/options/mcp-tools.ts"

export interface ServerStatus {
  readonly name: string
  readonly status: "connected" | "failed" | "needs-auth" | "pending" | "disabled"
  readonly source: string
  /** The transport of its messages. */
  readonly transport?: "sdk" | "http" | "sse"
  readonly scope?: string
  readonly error?: string
  /** How a remote server is configured, without its secrets. */
  readonly config?: { readonly type: "http" | "sse"; readonly url: string }
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly tools?: ReadonlyArray<ToolFacts>
}

/** The same in the answer to `mcp_status`, with each tool's fingerprint and the tools that were rejected. */
export type ServerReport = ServerStatus & {
  readonly tools?: ReadonlyArray<ToolFacts & { readonly schema_fingerprint?: string }>
  readonly rejected_tools?: ReadonlyArray<RefusedTool>
}

interface ToolFacts {
  readonly name: string
  readonly description?: string
  /** The hints of its server, named as in the official SDK; hints that are not set are left out. */
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean }
}

/** As the official SDK: only hints that are true are reported. */
export const toolFacts = ({ name, description, annotations }: McpToolInfo): ToolFacts => ({
  name,
  ...(description === undefined ? {} : { description }),
  annotations: {
    ...(annotations?.readOnlyHint === true ? { readOnly: true } : {}),
    ...(annotations?.destructiveHint === true ? { destructive: true } : {}),
    ...(annotations?.openWorldHint === true ? { openWorld: true } : {}),
  },
})
