// The tools of a session, as calls between the Worker and the session's Durable Object show them.
import type { ToolErrorReason } from "../sdk/tools/tool-error-reason.ts"

/**
 * What a tool gave: `content` as the Messages API takes it, `output` the SDK's structured `tool_use_result`, `reason` why it
 * failed, where the tool named it.
 */
export interface CalledTool {
  readonly content: string | ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly is_error?: boolean
  readonly output: unknown
  readonly reason?: ToolErrorReason
}

/** The tools that a client may call outside any turn: built-in ones by name, and those of its own clients' MCP servers. */
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

/** What the model of a session is offered: built-in tools by name, others with their schemas; and what it is not offered. */
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
