// Perch as an MCP server: receives one HTTP request of the streamable transport, Perch's own tools and prompts, and the tools
// and files of a session; returns the response.
// Invariant: no state is kept between requests, so that any Worker can answer any of them. A call whose client asks for
// progress is answered by a stream, everything else as JSON; a call that its client has cancelled is not answered.
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js"
import type * as z from "zod"
import type { ToolResult } from "../schemas/sdk/adapters/result-adapter.ts"
import { offerFiles, type OfferedFiles, offerPrompts, type OfferedPrompts } from "./endpoint-resources.ts"
import { checkParams } from "./request-params.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { type AdaptableTool, registerTool } from "../schemas/sdk/adapters/tool-adapter.ts"

/** The most members of arrays and objects in one call's input, on all levels together. */
const MAX_INPUT_ELEMENTS = 20_000

/** A tool of Perch itself. */
export interface OwnTool {
  readonly name: string
  readonly config: {
    readonly title: string
    readonly description: string
    readonly inputSchema: z.ZodObject
    readonly outputSchema: z.ZodObject
    readonly annotations: ToolAnnotations
  }
  /**
   * Returns structured content, an error's text, or that the client has cancelled the call. `progress` is null when the client
   * does not ask for progress.
   */
  readonly run: (
    input: unknown,
    requestId: string | number,
    progress: ((amount: number, message: string) => Promise<void>) | null,
  ) => Promise<OwnAnswer>
}

type OwnAnswer = { readonly content: Readonly<Record<string, unknown>> } | { readonly error: string } | "cancelled"

export interface PerchEndpoint {
  readonly version: string
  readonly own: ReadonlyArray<OwnTool>
  readonly tools: ReadonlyArray<AdaptableTool>
  /** Calls one of `tools`; "cancelled" when the client has cancelled the call. */
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    requestId: string | number,
  ) => Promise<ToolResult | "cancelled">
  /** Null when there is no session whose files could be read. */
  readonly files: OfferedFiles | null
  readonly prompts: OfferedPrompts
}

/** Loads the MCP SDK at the first message, since few Workers get one. */
const loadSdk = async () => {
  const [server, transport, validator, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
    import("@modelcontextprotocol/sdk/validation/cfworker"),
    import("@modelcontextprotocol/sdk/types.js"),
  ])
  return { ...server, ...transport, ...validator, ...types }
}

/** Answers a POST; `body` is its JSON. */
export const answerMcp = async (request: Request, body: unknown, endpoint: PerchEndpoint): Promise<Response> => {
  const sdk = await loadSdk()
  const server = new sdk.McpServer(
    { name: "perch", version: endpoint.version },
    {
      capabilities: { tools: {}, prompts: {}, ...(endpoint.files === null ? {} : { resources: {} }) },
      // The SDK's default validator generates code at run time, which Workers do not allow.
      jsonSchemaValidator: new sdk.CfWorkerJsonSchemaValidator(),
      maxToolInputElements: MAX_INPUT_ELEMENTS,
    },
  )
  const cancelled = Promise.withResolvers<void>()
  const onCancelled = async () => {
    // The other calls of a batch are answered, and the response has an answer for each of its calls.
    if (Array.isArray(body)) return
    await server.close()
    cancelled.resolve()
  }
  for (const tool of endpoint.tools) {
    registerTool(server, tool, async (input, requestId) => {
      const answer = await endpoint.call(tool.name, input, requestId)
      if (answer !== "cancelled") return answer
      await onCancelled()
      return { content: CANCELLED_TEXT, is_error: true, output: `Error: ${CANCELLED_TEXT}` }
    })
  }
  for (const tool of endpoint.own) registerOwn(server, tool, onCancelled)
  if (endpoint.files !== null) offerFiles(server, endpoint.files, sdk)
  offerPrompts(server, endpoint.prompts, sdk)
  // The MCP SDK declares that list changes are announced, but Perch keeps no connection on which it could.
  const kept = { listChanged: false }
  server.server.registerCapabilities({
    tools: kept,
    prompts: kept,
    ...(endpoint.files === null ? {} : { resources: kept }),
  })
  const streams = wantsProgress(body)
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
  await server.connect(transport)
  checkParams(transport, body, sdk)
  // A stream ends with its response, and needs no `close` then.
  if (streams) return await transport.handleRequest(request, { parsedBody: body })
  const unanswered = cancelled.promise.then(() => new Response(null, { status: 202 }))
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody: body }), unanswered])
  } finally {
    await server.close()
  }
}

/** True for a call with a progress token. */
const wantsProgress = (body: unknown): boolean => {
  if (!isPlainObject(body) || body["method"] !== "tools/call" || !isPlainObject(body["params"])) return false
  const meta = body["params"]["_meta"]
  return isPlainObject(meta) && meta["progressToken"] !== undefined
}

const CANCELLED_TEXT = "The client has cancelled this call."

const registerOwn = (server: McpServer, { name, config, run }: OwnTool, onCancelled: () => Promise<void>): void => {
  server.registerTool(name, config, async (input: unknown, { requestId, sendNotification, _meta: meta }) => {
    const token = meta?.progressToken
    const report = async (progress: number, message: string) => {
      const params = { progressToken: token ?? "", progress, message }
      // The turn continues when its client has disconnected.
      await sendNotification({ method: "notifications/progress", params }).catch(() => undefined)
    }
    let answer = await run(input, requestId, token === undefined ? null : report)
    if (answer === "cancelled") {
      await onCancelled()
      answer = { error: CANCELLED_TEXT }
    }
    if ("error" in answer) return { content: [{ type: "text", text: answer.error }], isError: true }
    const { content } = answer
    return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: { ...content } }
  })
}
