// `/mcp`: Perch's own tools and prompts for MCP clients, and, when a header or the query names a session, its files and its
// tools, including those of its MCP servers. Receives JSON-RPC over POST.
// Invariant: no message of the protocol is answered before the session is known to belong to the caller's tenant.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { answerMcp, type OwnTool, type PerchEndpoint } from "../../mcp/perch-endpoint.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { isUuid } from "../../schemas/ids.ts"
import type { AdaptableTool } from "../../schemas/sdk/adapters/tool-adapter.ts"
import type { CalledTool } from "../../schemas/rpc/tools.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import { toolByName } from "../../tools/registry.ts"
import type { SchemaTool } from "../../tools/make-tool.ts"
import { contract } from "../contract/contract.ts"
import { invalidField, invalidRequest } from "../errors/errors.ts"
import { type App, type Caller, handle } from "../handle.ts"
import { commandPrompts } from "../mcp/command-prompts.ts"
import { callPerch, stopTurn } from "../mcp/perch-calls.ts"
import { PERCH_TOOLS, type PerchInput, type PerchTool } from "../mcp/perch-tools.ts"
import { errorOf } from "../mcp/refusal.ts"
import { MCP_SESSION, RunningCalls } from "../mcp/running-calls.ts"
import { workspaceResources } from "../mcp/workspace-resources.ts"
import { callOnce, callSession } from "../sessions/session-call.ts"

const SESSION_HEADER = "perch-session-id"

export const mcpRoutes = (app: App): void => {
  handle(
    app,
    contract.mcp,
    Effect.fnUntraced(function* ({ query, body }, caller) {
      const header = caller.request.headers.get(SESSION_HEADER)
      if (header !== null && !isUuid(header)) {
        return yield* invalidField(SESSION_HEADER, "must be the id of a session")
      }
      if (header !== null && (query.session ?? header) !== header) {
        return yield* invalidField(SESSION_HEADER, "differs from the session of ?session=. Send only one of the two.")
      }
      const refused = batchRefusal(body)
      if (refused !== undefined) return yield* invalidRequest(refused)
      const id = query.session ?? header
      const tools = id === null ? [] : yield* sessionTools(id, caller)
      const running = new RunningCalls(caller)
      const messages: ReadonlyArray<unknown> = [body].flat().slice(0, MAX_BATCH)
      for (const message of messages) yield* cancel(message, { running, caller, id })
      const own = perchTools(id, running, caller)
      const call = id === null ? noTool : callTool(id, caller, running)
      const files = id === null ? null : workspaceResources(id, caller)
      const endpoint = { version: PERCH_VERSION, own, tools, call, files, prompts: commandPrompts(caller) }
      const response = yield* Effect.promise(() => answerMcp(caller.request, body, endpoint))
      return isInitialize(body) ? withSession(response) : response
    }),
  )
}

/** The most messages of a batch, as in the MCP SDK, which refuses a longer one. */
const MAX_BATCH = 100

const sessionTools = Effect.fnUntraced(function* (id: string, caller: Caller) {
  const { builtIn, mcp } = yield* callSession(caller.session, id, (stub) => stub.tools())
  return [...builtIn.flatMap((name) => toolByName(name) ?? []).map(adaptable), ...mcp]
})

/** Perch's own tools for which the caller's key has the scopes. */
const perchTools = (session: string | null, running: RunningCalls, caller: Caller): ReadonlyArray<OwnTool> =>
  perchToolNames.flatMap((name): ReadonlyArray<OwnTool> => {
    const { title, description, annotations, scope, input, output } = PERCH_TOOLS[name]
    if (caller.principal?.scopes.includes(scope) !== true) return []
    const config = { title, description, inputSchema: input, outputSchema: output, annotations }
    const run: OwnTool["run"] = async (given, requestId, progress) => {
      // The MCP server has decoded the input with the tool's schema.
      const call = callPerch(name, given as PerchInput<typeof name>, { caller, session, requestId, running, progress })
      const exit = await Effect.runPromiseExit(call)
      if (Exit.isFailure(exit)) return { error: errorOf(exit.cause, caller) }
      return exit.value === null ? "cancelled" : { content: exit.value }
    }
    return [{ name, config, run }]
  })

// The keys of PERCH_TOOLS are exactly the names of the type.
const perchToolNames = Object.keys(PERCH_TOOLS) as ReadonlyArray<PerchTool>

interface Cancelling {
  readonly running: RunningCalls
  readonly caller: Caller
  /** The session of the request. */
  readonly id: string | null
}

/** If the message cancels a call: stops the turn of a `perch_run`, or the call of a tool of the session. */
const cancel = Effect.fnUntraced(function* (message: unknown, { running, caller, id }: Cancelling) {
  if (!isPlainObject(message) || message["method"] !== "notifications/cancelled") return
  if (!isPlainObject(message["params"])) return
  const { requestId } = message["params"]
  if (typeof requestId !== "string" && typeof requestId !== "number") return
  const found = yield* running.cancel(requestId)
  if (found !== null) return yield* found.turn === null ? Effect.void : stopTurn(caller, found.session, found.turn)
  const callId = yield* running.idOf(requestId)
  if (id !== null && callId !== undefined) yield* callSession(caller.session, id, (stub) => stub.cancelTool(callId))
})

/** Why a batch is refused: without a message it has no answer, and of two calls with the same id only one would be answered. */
const batchRefusal = (body: unknown): string | undefined => {
  if (!Array.isArray(body)) return undefined
  if (body.length === 0) return "The request body must have at least one message"
  const ids = new Set<unknown>()
  for (const message of body) {
    if (!isPlainObject(message) || message["method"] === undefined || message["id"] === undefined) continue
    const { id } = message
    if (ids.has(id)) return `The request body has the id ${shortened(JSON.stringify(id), 100)} in several messages`
    ids.add(id)
  }
  return undefined
}

const isInitialize = (body: unknown): boolean => isPlainObject(body) && body["method"] === "initialize"

/** Assigns an id of an MCP session, which only keeps the calls of different clients apart: no state is stored for it. */
const withSession = (response: Response): Response => {
  const named = new Response(response.body, response)
  named.headers.set(MCP_SESSION, crypto.randomUUID())
  return named
}

const noTool = () => Promise.reject(new Error("there is no such tool"))

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
  "Calls over /mcp can't ask for permission. Open the session with options.permissionMode acceptEdits (or PATCH /v1/sessions/{id}), or allow the tool with options.allowedTools; in a turn the question is answered at POST /v1/sessions/{id}/permissions/{request_id}."

/** Matches denials for lack of an answer; calls that a rule denies are not meant. */
const UNASKED = /was requested, but not granted|no client was there to give/

/** Appends how to permit the call, since calls over /mcp open no ask, which a new user can't know. */
const withAdvice = (result: CalledTool): CalledTool =>
  result.reason === "permission_denied" && typeof result.content === "string" && UNASKED.test(result.content)
    ? { ...result, content: `${result.content} ${ADVICE}` }
    : result

/** Calls a tool of the session. A refusal becomes an error result, which the client's model can read and act on. */
const callTool =
  (id: string, caller: Caller, running: RunningCalls): PerchEndpoint["call"] =>
  async (name, input, requestId) => {
    const exit = await Effect.runPromiseExit(
      Effect.flatMap(running.idOf(requestId), (callId) =>
        callOnce(caller.session, id, (stub) => stub.callTool(name, input, caller.actor, callId)),
      ),
    )
    if (Exit.isSuccess(exit)) return "cancelled" in exit.value ? "cancelled" : withAdvice(exit.value)
    const message = errorOf(exit.cause, caller)
    return { content: message, is_error: true, output: `Error: ${message}` }
  }
