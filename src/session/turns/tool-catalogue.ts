// Receives a session's options and the tools of its MCP servers; returns the tools that the model is offered, and those that
// it is not, with the reason.
import * as Result from "effect/Result"
import { readJsonSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { ToolCatalogue } from "../../schemas/rpc/tools.ts"
import { toolsFor } from "../../tools/registry.ts"
import { toolFingerprint } from "../../tools/tool-fingerprint.ts"
import type { Tool } from "../../tools/tool.ts"

/** `rejected` are the tools that MCP servers have and a session can't use. */
export const toolCatalogue = (
  options: SessionOptions,
  mcp: ReadonlyArray<Tool>,
  rejected: ToolCatalogue["rejected"],
): ToolCatalogue => {
  const unusable = rejectedSchemas(options)
  const refused = new Set(unusable.map(({ name }) => name))
  const tools = toolsFor(options, mcp).filter(({ name }) => !refused.has(name))
  return {
    builtIn: tools.filter((tool) => tool.agentSchema !== undefined).map(({ name }) => name),
    others: tools
      .filter((tool) => tool.agentSchema === undefined)
      .map((tool) => ({
        name: tool.name,
        description: tool.description,
        source: tool.mcpServer !== undefined ? "mcp" : tool.byClient === true ? "client" : "structured_output",
        ...(tool.mcpServer === undefined ? {} : { server: tool.mcpServer.name }),
        input_schema: tool.inputSchema,
        schema_fingerprint: toolFingerprint(tool),
        destructive: tool.destructive,
        idempotent: tool.idempotent,
      })),
    rejected: [...rejected, ...unusable],
  }
}

/** Options are checked when they are set; those of an older session may fail a check that was added since. */
const rejectedSchemas = ({ clientTools = [], outputFormat }: SessionOptions): ToolCatalogue["rejected"] => {
  const sent = [
    ...clientTools.map(({ name, inputSchema }) => ({ name, source: "client" as const, schema: inputSchema })),
    ...(outputFormat === undefined
      ? []
      : [{ name: "StructuredOutput", source: "structured_output" as const, schema: outputFormat.schema }]),
  ]
  return sent.flatMap(({ name, source, schema }) => {
    const read = readJsonSchema(schema)
    if (Result.isSuccess(read)) return []
    return [{ name, source, reason: "has a schema that can't be used", issues: read.failure.issues }]
  })
}
