// The shapes of RPC calls between the Worker and a session's Durable Object about the session's tools.
import type { ToolErrorReason } from "../sdk/tools/tool-error-reason.ts"

/**
 * The result of a tool: `content` as the Messages API accepts it, `output` the SDK's structured `tool_use_result`, `reason`
 * why the call failed, if the tool reported it.
 */
export interface CalledTool {
  readonly content: string | ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly is_error?: boolean
  readonly output: unknown
  readonly reason?: ToolErrorReason
}

/** The outcome of a client's call; `cancelled`: its client has cancelled it, and expects no answer. */
export type CallOutcome = CalledTool | { readonly cancelled: true }

/** The tools that a client may call outside any turn: built-in ones by name, and those of MCP servers in clients. */
export interface CallableTools {
  readonly builtIn: ReadonlyArray<string>
  readonly mcp: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly inputSchema: Readonly<Record<string, unknown>>
    readonly readOnly: boolean
    readonly destructive: boolean
    readonly idempotent: boolean
  }>
}

export type ToolSource = "mcp" | "client" | "structured_output"

/** The tools that are offered to a session's model: built-in ones by name, others with their schemas; and rejected ones. */
export interface ToolCatalogue {
  readonly builtIn: ReadonlyArray<string>
  readonly others: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly source: ToolSource
    readonly server?: string
    readonly input_schema: Readonly<Record<string, unknown>>
    readonly schema_fingerprint: string
    readonly destructive: boolean
    readonly idempotent: boolean
  }>
  readonly rejected: ReadonlyArray<{
    readonly name: string
    readonly source: ToolSource
    readonly server?: string
    readonly reason: string
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly issue: string }>
  }>
}
