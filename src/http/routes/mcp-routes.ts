// `/mcp`: a session's tools for MCP clients, those of its own client's MCP servers included. Receives JSON-RPC over POST;
// the session is named by a header or in the query.
// Invariant: the session is checked to belong to the caller's tenant before any message of the protocol is answered.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { answerMcp } from "../../mcp/perch-endpoint.ts"
import { isUuid } from "../../schemas/ids.ts"
import type { AdaptableTool } from "../../schemas/sdk/adapters/tool-adapter.ts"
import type { ToolResult } from "../../schemas/sdk/adapters/result-adapter.ts"
import type { CalledTool } from "../../schemas/rpc/tools.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import { toolByName } from "../../tools/registry.ts"
import type { SchemaTool } from "../../tools/make-tool.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, invalidRequest } from "../errors/errors.ts"
import { type App, type Caller, handle } from "../handle.ts"
import { callOnce, callSession } from "../sessions/session-call.ts"

const SESSION_HEADER = "perch-session-id"

export const mcpRoutes = (app: App): void => {
  handle(
    app,
    contract.mcp,
    Effect.fnUntraced(function* ({ query, body }, caller) {
      const id = query.session ?? caller.request.headers.get(SESSION_HEADER)
      if (id === null || !isUuid(id)) {
        return yield* invalidRequest(`Name the session: the header ${SESSION_HEADER}, or ?session= in the URL`)
      }
      const { builtIn, mcp } = yield* callSession(caller.session, id, (stub) => stub.tools())
      const tools = [...builtIn.flatMap((name) => toolByName(name) ?? []).map(adaptable), ...mcp]
      const endpoint = { version: PERCH_VERSION, tools, call: callTool(id, caller) }
      return yield* Effect.promise(() => answerMcp(caller.request, body, endpoint))
    }),
  )
}

const adaptable = (tool: SchemaTool): AdaptableTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  schema: tool.agentSchema.source,
  readOnly: !tool.destructive,
  destructive: tool.destructive,
  idempotent: tool.idempotent,
})

const ADVICE =
  "Calls over /mcp ask no one. Open the session with options.permissionMode acceptEdits (or PATCH /v1/sessions/{id}), or allow the tool with options.allowedTools; in a turn the question is answered at POST /v1/sessions/{id}/permissions/{request_id}."

/** Denials that a person's answer could have prevented; a call that a rule denies stays denied. */
const UNASKED = /was requested, but not granted|no client was there to give/

/** Appends what would permit the call: no question was opened over /mcp, which a newcomer cannot know. */
const withAdvice = (result: CalledTool): CalledTool =>
  result.reason === "permission_denied" && typeof result.content === "string" && UNASKED.test(result.content)
    ? { ...result, content: `${result.content} ${ADVICE}` }
    : result

/** A refusal of the session becomes an error result: the client's model can read it and try again. */
const callTool =
  (id: string, caller: Caller) =>
  async (name: string, input: Readonly<Record<string, unknown>>): Promise<ToolResult> => {
    const exit = await Effect.runPromiseExit(
      callOnce(caller.session, id, (stub) => stub.callTool(name, input, caller.actor)),
    )
    if (Exit.isSuccess(exit)) return withAdvice(exit.value)
    const error = Cause.squash(exit.cause)
    if (!(error instanceof ApiError)) throw error
    return { content: error.message, is_error: true, output: `Error: ${error.message}` }
  }
