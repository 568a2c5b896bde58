// Receives a Perch tool; registers it on an MCP server under the same name, description and input.
// Invariant: the server accepts what the tool's own decoder accepts, and a call's result is the tool's, in MCP's form.
// A tool with a plain form returns it as structured content; a failed call's reason is in `_meta`, in the plain form.
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as z from "zod"
import type { JsonObject } from "../../agent-schema/closed-json-schema.ts"
import { mergeRoot } from "../../agent-schema/merge-root.ts"
import { effectToZod } from "./effect-to-zod.ts"
import { jsonSchemaToZod } from "./json-schema-to-zod.ts"
import { errorTextOf, PLAIN_OUTPUTS, toPlainOutput } from "./plain-results.ts"
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
  readonly outputSchema?: z.ZodType
  readonly annotations: ToolAnnotations
}

/** How the tool is registered. For a read-only tool the MCP hints "destructive" and "idempotent" are left out. */
export const mcpToolConfig = (tool: AdaptableTool): McpToolConfig => {
  const outputSchema = plainZod(tool)
  // Only the server of a tool without a Schema here knows whether the tool reaches the open world.
  const reach = tool.schema === undefined ? {} : { openWorldHint: false }
  return {
    description: tool.description,
    inputSchema: tool.schema === undefined ? jsonSchemaToZod(tool.inputSchema) : effectToZod(tool.schema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: tool.readOnly
      ? { readOnlyHint: true, ...reach }
      : { readOnlyHint: false, destructiveHint: tool.destructive, idempotentHint: tool.idempotent, ...reach },
  }
}

const hasPlainForm = ({ name, schema }: AdaptableTool): boolean =>
  schema !== undefined && Object.hasOwn(PLAIN_OUTPUTS, name)

const plainZods = new Map<string, z.ZodType>()

const plainZod = (tool: AdaptableTool): z.ZodType | undefined => {
  if (!hasPlainForm(tool)) return undefined
  const made = plainZods.get(tool.name) ?? outputZod(PLAIN_OUTPUTS[tool.name]!)
  plainZods.set(tool.name, made)
  return made
}

/** The zod form of an output. MCP requires an object, so a union of objects becomes one with the properties of all. */
const outputZod = (schema: Schema.Top): z.ZodType => {
  if (SchemaAST.isObjects(schema.ast)) return effectToZod(schema)
  const merged = mergeRoot(Schema.toJsonSchemaDocument(schema).schema as JsonObject, () => undefined)
  return jsonSchemaToZod(merged)
}

/** The key of `_meta` for a failed call's error, as `Error (<reason>): message`. */
const ERROR = "perch/error"

/** Registers the tool; `call` gets input that the tool's schema accepts. */
export const registerTool = (
  server: McpServer,
  tool: AdaptableTool,
  call: (input: Readonly<Record<string, unknown>>, requestId: string | number) => Promise<ToolResult>,
): void => {
  server.registerTool(tool.name, mcpToolConfig(tool), async (input: unknown, { requestId }) => {
    // A tool's input is an object: its schema was decoded as one.
    const result = await call(input as Readonly<Record<string, unknown>>, requestId)
    const converted = toCallToolResult(result, hasPlainForm(tool) ? toPlainOutput(tool.name, result) : undefined)
    const error = errorTextOf(result)
    return error === undefined ? converted : { ...converted, _meta: { ...converted._meta, [ERROR]: error } }
  })
}
