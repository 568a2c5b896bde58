// Receives a tool of an MCP server and the pipe to it; returns it as a tool of the session.
// Invariant: the server gets every input that is an object, since it validates its own inputs, and a cancellation when a
// call is interrupted.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpServerToolPolicy } from "../schemas/sdk/options/mcp-config.ts"
import type { McpToolInfo } from "../schemas/sdk/options/mcp-tools.ts"
import { type JsonInput, jsonSchemaTool } from "../tools/declared/json-schema-tool.ts"
import { SavedBlobs } from "../tools/mcp/saved-blobs.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "../tools/tool.ts"
import { mcpOutcome } from "./call-result.ts"
import { cancellableRequest, type ConnectedMcp, type McpPipe, newRequestId } from "./client-server.ts"
import { displayName, toolName } from "./names.ts"
import { visiting } from "./needed-pages.ts"
import { toolSchema } from "./tool-schema.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

/** The default time limit of a call. The official SDK's is a day; an hour is enough, and ends the call of a stuck server. */
const CALL_MS = 3_600_000
/** The longest time limit of a call that a server may have. */
export const MAX_CALL_MS = 86_400_000

/**
 * `mcp__server__tool`. Its `source` is where the server was configured (`sdk`: in the client). Throws
 * JsonSchemaDialectError for a schema that `connectMcp` would have left out.
 */
export const mcpTool = (server: ConnectedMcp, tool: McpToolInfo, pipe: McpPipe, source = "sdk"): Tool => {
  const { readOnlyHint, idempotentHint, destructiveHint } = tool.annotations ?? {}
  const reads = readOnlyHint === true
  const made = jsonSchemaTool(Result.getOrThrow(toolSchema(tool.inputSchema)), {
    name: toolName(server.name, tool.name),
    description: tool.description ?? "",
    display: displayName(tool),
    serverTool: tool.name,
    mcpServer: { name: server.name, source },
    // A server's hint that a tool only reads lets calls run in parallel; it grants no permission.
    readOnly: () => false,
    concurrent: () => reads,
    edits: () => false,
    // After a crash a call that only reads is run again; one that its server declares idempotent only if the session allows it.
    hasOutsideEffects: () => !reads,
    destructive: !reads && destructiveHint !== false,
    idempotent: reads || idempotentHint === true,
    paths: () => [],
    run: (input, context) => callTool(server, tool, pipe, input, context),
  })
  // `run` only receives inputs that the tool's own `decode` returned.
  return {
    ...made,
    decode: (input: unknown) => (isInput(input) ? Effect.succeed(input) : made.decode(input)),
  } as unknown as Tool
}

/** True for an object, unless it is the substitute for an input that could not be parsed. */
const isInput = (input: unknown): input is JsonInput => isPlainObject(input) && !("__unparsedToolInput" in input)

const callTool = Effect.fnUntraced(function* (
  server: ConnectedMcp,
  tool: McpToolInfo,
  pipe: McpPipe,
  input: JsonInput,
  context: ToolContext,
): Effect.fn.Return<ToolOutcome, ToolError> {
  const { toolUseId, idempotencyKey } = context
  const calling = Effect.gen(function* () {
    const id = yield* newRequestId
    const params = {
      name: tool.name,
      arguments: input,
      _meta: { "claudecode/toolUseId": toolUseId, "idempotency-key": idempotencyKey, progressToken: id },
    }
    const timeoutMs = Math.min(server.timeout ?? CALL_MS, MAX_CALL_MS)
    return yield* cancellableRequest(pipe, { id, method: "tools/call", params, timeoutMs })
  })
  const result = yield* visiting(calling, pipe.visits?.({ toolUseId, tool: tool.name })).pipe(
    Effect.mapError(({ message }) => new ToolError({ reason: "command_failed", message })),
  )
  return yield* mcpOutcome(server.name, toolName(server.name, tool.name), result, new SavedBlobs(context, "result"))
})

/** A server's tool policies as permission rules. Denied tools have none: the session does not get them at all. */
export const policyRules = (
  server: string,
  policies: ReadonlyArray<McpServerToolPolicy>,
): { readonly allow: ReadonlyArray<string>; readonly ask: ReadonlyArray<string> } => {
  const names = (chosen: (policy: McpServerToolPolicy) => boolean) =>
    policies.filter(chosen).map((policy) => toolName(server, policy.name))
  return {
    // The organization's maximum limits what the host allows.
    allow: names(
      (policy) => policy.permission_policy === "always_allow" && (policy.org_max_permission ?? "allow") === "allow",
    ),
    ask: names((policy) => policy.permission_policy === "always_ask" || policy.org_max_permission === "ask"),
  }
}
