// Receives a pipe to an MCP server that lives elsewhere, such as inside a client; connects to the server and returns its
// description and the tools that can be used.
// Invariant: whatever a server sends is bounded, and a tool that can't be used costs that tool alone.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import type { JsonRpcMessage, McpServerToolPolicy } from "../schemas/sdk/options/mcp-config.ts"
import type { McpPromptInfo } from "../schemas/sdk/options/mcp-prompts.ts"
import { McpInitializeResult, type McpToolInfo, McpToolsPage } from "../schemas/sdk/options/mcp-tools.ts"
import { PERCH_VERSION } from "../schemas/version.ts"
import { chooseTools, type RefusedTool } from "./choose-tools.ts"
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "./protocol-versions.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { shortened } from "../schemas/shortened.ts"
import { NEEDS_PAGES, NeededPage, pagesIn, type Visits } from "./needed-pages.ts"
import type { CallFacts } from "./remote/server-requests.ts"

/** The server gave no answer that can be used: the client is gone, it took too long, or it answered with an error. */
export class McpPipeError extends Schema.TaggedError<McpPipeError>()("McpPipeError", {
  message: Schema.String,
  /** The server carries the request out once its user has visited these. */
  pages: Schema.optionalKey(Schema.Array(NeededPage)),
}) {}

/** The way to one server, whatever carries the messages. */
export interface McpPipe {
  /** Sends one message. A request gives the response with its id, a notification gives null. */
  readonly send: (message: JsonRpcMessage, timeoutMs: number) => Effect.Effect<JsonRpcMessage | null, McpPipeError>
  /** How the user of a call is sent to pages; absent where nothing asks them. */
  readonly visits?: (call: CallFacts) => Visits
}

/** A server after the handshake. Plain data: it can be kept, and its tools called later over another pipe. */
export interface ConnectedMcp {
  readonly name: string
  readonly serverInfo?: { readonly name: string; readonly version: string }
  /** The server's description of itself for the model. */
  readonly instructions?: string
  readonly tools: ReadonlyArray<McpToolInfo>
  /** The server offers resources. */
  readonly resources?: true
  /** The server lists what a resource that is a directory holds (`directoryRead` of the skills extension). */
  readonly directories?: true
  /** The prompts that it offers; those of a client's server are not asked for. */
  readonly prompts?: ReadonlyArray<McpPromptInfo>
  /** Tools that the server has and the model does not get, each with the reason. */
  readonly refused?: ReadonlyArray<RefusedTool>
  /** The limit of one call in milliseconds, when the server was configured with one. */
  readonly timeout?: number
}

const HANDSHAKE_MS = 30_000
/** How long sending the cancellation of a request may take: an interrupt waits for it. */
const CANCEL_MS = 500
const MAX_PAGES = 50
/** Tools that are looked at. */
const MAX_LISTED = 1000
const MAX_INSTRUCTIONS = 10_000
const MAX_MESSAGE = 2000
/** Shorter limits of a call are ignored, as the official SDK does. */
const MIN_TIMEOUT_MS = 1000

/**
 * Performs the handshake (`initialize`, `notifications/initialized`) and lists the tools. `timeout` is the configured limit
 * of a call. Fails when the server does not answer as MCP asks.
 */
export const connectMcp = Effect.fn("connectMcp")(function* (
  name: string,
  pipe: McpPipe,
  policies: ReadonlyArray<McpServerToolPolicy> = [],
  timeout?: number,
): Effect.fn.Return<ConnectedMcp, McpPipeError> {
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: CAPABILITIES, clientInfo: CLIENT }
  const hello = yield* ask(pipe, "initialize", params, isInitialize)
  const { protocolVersion, capabilities, serverInfo, instructions } = hello
  if (!SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    return yield* new McpPipeError({
      message: `The server answers with MCP ${cut(protocolVersion)}, which Perch does not support.`,
    })
  }
  yield* pipe.send({ jsonrpc: "2.0", method: "notifications/initialized" }, HANDSHAKE_MS)
  const listed = capabilities?.tools === undefined ? [] : yield* listTools(pipe)
  const { tools, refused } = chooseTools(name, listed, policies)
  return {
    name,
    ...(serverInfo === undefined
      ? {}
      : { serverInfo: { name: cut(serverInfo.name), version: cut(serverInfo.version) } }),
    ...(instructions === undefined ? {} : { instructions: instructions.slice(0, MAX_INSTRUCTIONS) }),
    tools,
    refused,
    ...(capabilities?.resources === undefined ? {} : { resources: true }),
    ...(readsDirectories(capabilities?.extensions) ? { directories: true } : {}),
    ...(capabilities?.prompts === undefined ? {} : { prompts: [] }),
    ...(timeout === undefined || timeout < MIN_TIMEOUT_MS ? {} : { timeout }),
  }
})

/** The same server with the tools that it lists now. */
export const relistTools = Effect.fn("relistTools")(function* (
  server: ConnectedMcp,
  pipe: McpPipe,
  policies: ReadonlyArray<McpServerToolPolicy> = [],
): Effect.fn.Return<ConnectedMcp, McpPipeError> {
  return { ...server, ...chooseTools(server.name, yield* listTools(pipe), policies) }
})

/** Users fill in forms, in which a field that they leave has its default, and visit pages. */
const CAPABILITIES = { elicitation: { form: { applyDefaults: true }, url: {} } }
const readsDirectories = (extensions: Readonly<Record<string, unknown>> = {}): boolean => {
  const skills = extensions["io.modelcontextprotocol/skills"]
  return isPlainObject(skills) && skills["directoryRead"] === true
}
const CLIENT = { name: "perch", version: PERCH_VERSION }
const isInitialize = Schema.is(McpInitializeResult)
const isPage = Schema.is(McpToolsPage)

const listTools = (pipe: McpPipe) => listAll(pipe, "tools/list", isPage, (page) => page.tools, MAX_LISTED)

/** What a server lists, page by page, at most `most` entries; `params` are those of each request. */
export const listAll = Effect.fnUntraced(function* <Page extends { readonly nextCursor?: string }, Entry>(
  pipe: McpPipe,
  method: string,
  is: (value: unknown) => value is Page,
  entriesOf: (page: Page) => ReadonlyArray<Entry>,
  most: number,
  params: Readonly<Record<string, unknown>> = {},
): Effect.fn.Return<ReadonlyArray<Entry>, McpPipeError> {
  const listed: Array<Entry> = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; seen.size < MAX_PAGES;) {
    const page = yield* ask(pipe, method, cursor === undefined ? params : { ...params, cursor }, is)
    listed.push(...entriesOf(page).slice(0, most - listed.length))
    cursor = page.nextCursor
    // A cursor that comes back would go round for ever.
    if (cursor === undefined || seen.has(cursor) || listed.length >= most) break
    seen.add(cursor)
  }
  return listed
})

const ask = Effect.fnUntraced(function* <A>(
  pipe: McpPipe,
  method: string,
  params: Readonly<Record<string, unknown>>,
  is: (value: unknown) => value is A,
): Effect.fn.Return<A, McpPipeError> {
  const answer = yield* request(pipe, yield* newRequestId, method, params, HANDSHAKE_MS)
  if (is(answer)) return answer
  return yield* new McpPipeError({ message: `The server answered ${method} with something else than MCP has for it.` })
})

/** Sends the server a cancellation for a request whose answer is not needed any more; ignored when the server is gone. */
export const giveUp = (pipe: McpPipe, requestId: number): Effect.Effect<void> => {
  const params: Readonly<Record<string, unknown>> = { requestId, reason: "The turn was interrupted" }
  return Effect.ignore(pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, CANCEL_MS))
}

/** An id that no other request of this or of an earlier life of the session has. */
export const newRequestId: Effect.Effect<number> = Random.nextIntBetween(1, Number.MAX_SAFE_INTEGER)

/** The result of one request; an error that the server answers with is a failure. */
export const request = Effect.fnUntraced(function* (
  pipe: McpPipe,
  id: number,
  method: string,
  params: Readonly<Record<string, unknown>>,
  timeoutMs: number,
): Effect.fn.Return<unknown, McpPipeError> {
  const answer = yield* pipe.send({ jsonrpc: "2.0", id, method, params }, timeoutMs)
  if (answer !== null && "result" in answer) return answer.result
  if (answer === null || !("error" in answer)) {
    return yield* new McpPipeError({ message: cut(`The server gave no answer to ${method}.`) })
  }
  const { code, data, message } = answer.error
  const pages = code === NEEDS_PAGES ? pagesIn(data) : undefined
  return yield* new McpPipeError({ message: cut(message), ...(pages === undefined ? {} : { pages }) })
})

const cut = (text: string): string => shortened(text, MAX_MESSAGE)
