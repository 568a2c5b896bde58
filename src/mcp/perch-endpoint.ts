// Perch as an MCP server: receives one HTTP request of the streamable transport and the tools of a session; returns the
// answer.
// Invariant: nothing is kept between requests (no MCP session, no stream), so any Worker can answer any of them.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker"
import type { ToolResult } from "../schemas/sdk/adapters/result-adapter.ts"
import { type AdaptableTool, registerTool } from "../schemas/sdk/adapters/tool-adapter.ts"

/** Members of arrays and objects in one call's input, all levels together. */
const MAX_INPUT_ELEMENTS = 20_000

export interface PerchEndpoint {
  readonly version: string
  readonly tools: ReadonlyArray<AdaptableTool>
  readonly call: (name: string, input: Readonly<Record<string, unknown>>) => Promise<ToolResult>
}

/** Answers a POST; `body` is its JSON. */
export const answerMcp = async (request: Request, body: unknown, endpoint: PerchEndpoint): Promise<Response> => {
  const server = new McpServer(
    { name: "perch", version: endpoint.version },
    {
      capabilities: { tools: {} },
      // The SDK's own validator writes code at run time, which Workers refuse.
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
      maxToolInputElements: MAX_INPUT_ELEMENTS,
    },
  )
  for (const tool of endpoint.tools) registerTool(server, tool, (input) => endpoint.call(tool.name, input))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: body })
  } finally {
    await server.close()
  }
}
