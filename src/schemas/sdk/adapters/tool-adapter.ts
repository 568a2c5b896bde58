// Receives a Perch tool; registers it on an MCP server under the same name, description and input.
// Invariant: the server accepts what the tool's own decoder accepts, and a call's result is the tool's, in MCP's words.
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js"
import type { Schema } from "effect"
import type * as z from "zod"
import { effectToZod } from "./effect-to-zod.ts"
import { jsonSchemaToZod } from "./json-schema-to-zod.ts"
import { type ToolResult, toCallToolResult } from "./result-adapter.ts"

/** What an MCP server needs to know of a tool. */
export interface AdaptableTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, for a tool without a Schema here (one of another server or of a client). */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The Effect Schema that decodes the input. */
  readonly schema?: Schema.Top
  /** True when no call changes anything. */
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
}

export interface McpToolConfig {
  readonly description: string
  readonly inputSchema: z.ZodType
  readonly annotations: ToolAnnotations
}

/** How the tool is registered. MCP says of a read-only tool neither whether it destroys nor whether it may be repeated. */
export const mcpToolConfig = (tool: AdaptableTool): McpToolConfig => ({
  description: tool.description,
  inputSchema: tool.schema === undefined ? jsonSchemaToZod(tool.inputSchema) : effectToZod(tool.schema),
  annotations: tool.readOnly
    ? { readOnlyHint: true, openWorldHint: false }
    : {
        readOnlyHint: false,
        destructiveHint: tool.destructive,
        idempotentHint: tool.idempotent,
        openWorldHint: false,
      },
})

/** Registers the tool; `call` gets input that the tool's schema accepts. */
export const registerTool = (
  server: McpServer,
  tool: AdaptableTool,
  call: (input: Readonly<Record<string, unknown>>) => Promise<ToolResult>,
): void => {
  server.registerTool(tool.name, mcpToolConfig(tool), async (input: unknown) =>
    // A tool's input is an object: its schema has said so.
    toCallToolResult(await call(input as Readonly<Record<string, unknown>>)),
  )
}
