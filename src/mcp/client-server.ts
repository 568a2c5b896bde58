// Receives a pipe to an MCP server that runs elsewhere, such as inside a client; connects to the server and returns its
// description and the tools that can be used.
// Invariant: whatever a server sends is bounded, and an unusable tool does not affect the others.
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
import { NEEDS_PAGES } from "./error-codes.ts"
import { NeededPage, pagesIn, type Visits } from "./needed-pages.ts"
import type { CallFacts } from "./remote/server-requests.ts"

/** The server returned no usable response: its client has disconnected, it took too long, or it responded with an error. */
export class McpPipeError extends Schema.TaggedError<McpPipeError>()("McpPipeError", {
  message: Schema.String,
  /** The code of the server's error; absent when it sent none. */
  code: Schema.optionalKey(Schema.Finite),
  /** Pages that the user must visit before the server executes the request. */
  pages: Schema.optionalKey(Schema.Array(NeededPage)),
}) {}

/** The connection to one server, independent of the transport. */
export interface McpPipe {
  /** Sends one message. Returns the response to a request, and null for a notification. */
  readonly send: (message: JsonRpcMessage, timeoutMs: number) => Effect.Effect<JsonRpcMessage | null, McpPipeError>
  /** How a call's user is asked to visit pages; absent when they can't be asked. */
  readonly visits?: (call: CallFacts) => Visits
}

/** A server after the handshake. Plain data: it can be stored, and its tools called later over another pipe. */
export interface ConnectedMcp {
  readonly name: string
  readonly serverInfo?: { readonly name: string; readonly version: string }
  /** The server's description of itself for the model. */
  readonly instructions?: string
  readonly tools: ReadonlyArray<McpToolInfo>
  /** Set when the server offers resources. */
  readonly resources?: true
  /** Set when the server can list the contents of a directory resource (`directoryRead` of the skills extension). */
  readonly directories?: true
  /** The server's prompts; those of a client's server are not requested. */
  readonly prompts?: ReadonlyArray<McpPromptInfo>
  /** Tools of the server that the model does not get, each with the reason. */
  readonly refused?: ReadonlyArray<RefusedTool>
  /** The configured time limit of one call, in milliseconds. */
  readonly timeout?: number
}

const HANDSHAKE_MS = 30_000
/** How long sending a request's cancellation may take, since an interrupt waits for it. */
const CANCEL_MS = 500
const MAX_PAGES = 50
/** The most tools of a server that are read. */
const MAX_LISTED = 1000
const MAX_INSTRUCTIONS = 10_000
const MAX_MESSAGE = 2000
/** Configured limits below this are ignored, as in the official SDK. */
const MIN_TIMEOUT_MS = 1000

/**
 * Performs the handshake (`initialize`, `notifications/initialized`) and lists the tools. `timeout` is the configured limit
 * of a call in milliseconds. Fails when the server does not respond as MCP requires.
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
      message: `The server responded with MCP ${cut(protocolVersion)}, which Perch does not support.`,
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

/** The server with its current list of tools. */
export const relistTools = Effect.fn("relistTools")(function* (
  server: ConnectedMcp,
  pipe: McpPipe,
  policies: ReadonlyArray<McpServerToolPolicy> = [],
): Effect.fn.Return<ConnectedMcp, McpPipeError> {
  return { ...server, ...chooseTools(server.name, yield* listTools(pipe), policies) }
})

/** Perch's capabilities: users can fill in forms, in which empty fields take their defaults, and visit pages. */
const CAPABILITIES = { elicitation: { form: { applyDefaults: true }, url: {} } }
const readsDirectories = (extensions: Readonly<Record<string, unknown>> = {}): boolean => {
  const skills = extensions["io.modelcontextprotocol/skills"]
  return isPlainObject(skills) && skills["directoryRead"] === true
}
const CLIENT = { name: "perch", version: PERCH_VERSION }
const isInitialize = Schema.is(McpInitializeResult)
const isPage = Schema.is(McpToolsPage)

const listTools = (pipe: McpPipe) =>
  listAll(pipe, {
    method: "tools/list",
    isPage,
    entriesOf: (page: typeof McpToolsPage.Type) => page.tools,
    most: MAX_LISTED,
  })

/** A list that a server returns in pages. */
interface PagedList<Page, Entry> {
  readonly method: string
  readonly isPage: (value: unknown) => value is Page
  readonly entriesOf: (page: Page) => ReadonlyArray<Entry>
  /** How many entries are read at most. */
  readonly most: number
  /** Sent with each request. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Reads a whole list, page by page. */
export const listAll = Effect.fnUntraced(function* <Page extends { readonly nextCursor?: string }, Entry>(
  pipe: McpPipe,
  { method, isPage, entriesOf, most, params = {} }: PagedList<Page, Entry>,
): Effect.fn.Return<ReadonlyArray<Entry>, McpPipeError> {
  const listed: Array<Entry> = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; seen.size < MAX_PAGES;) {
    const page = yield* ask(pipe, method, cursor === undefined ? params : { ...params, cursor }, isPage)
    listed.push(...entriesOf(page).slice(0, most - listed.length))
    cursor = page.nextCursor
    // A repeated cursor would cause an endless loop.
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
  const answer = yield* request(pipe, { id: yield* newRequestId, method, params, timeoutMs: HANDSHAKE_MS })
  if (is(answer)) return answer
  return yield* nonconforming(method)
})

/** The error for a result of another shape than MCP defines. */
export const nonconforming = (method: string): McpPipeError =>
  new McpPipeError({ message: `The server answered ${method} with a result that does not conform to MCP.` })

/** Cancels a request whose response is not needed any more. A failure, such as of a server that has disconnected, is ignored. */
const cancel = (pipe: McpPipe, requestId: number): Effect.Effect<void> => {
  const params: Readonly<Record<string, unknown>> = { requestId, reason: "The turn was interrupted" }
  return Effect.ignore(pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, CANCEL_MS))
}

/** A random id, so that it differs from those of all other requests, also before a restart of the session's object. */
export const newRequestId: Effect.Effect<number> = Random.nextIntBetween(1, Number.MAX_SAFE_INTEGER)

interface McpRequest {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
}

/** The result of one request, which is cancelled at the server when the caller is interrupted. Fails as `request` does. */
export const cancellableRequest = (pipe: McpPipe, asked: McpRequest): Effect.Effect<unknown, McpPipeError> =>
  Effect.onInterrupt(request(pipe, asked), () => cancel(pipe, asked.id))

/** The result of one request. Fails when the server responds with an error. */
const request = Effect.fnUntraced(function* (
  pipe: McpPipe,
  { id, method, params, timeoutMs }: McpRequest,
): Effect.fn.Return<unknown, McpPipeError> {
  const answer = yield* pipe.send({ jsonrpc: "2.0", id, method, params }, timeoutMs)
  if (answer !== null && "result" in answer) return answer.result
  if (answer === null || !("error" in answer)) {
    return yield* new McpPipeError({ message: cut(`The server did not respond to ${method}.`) })
  }
  const { code, data, message } = answer.error
  const pages = code === NEEDS_PAGES ? pagesIn(data) : undefined
  return yield* new McpPipeError({ message: cut(message), code, ...(pages === undefined ? {} : { pages }) })
})

const cut = (text: string): string => shortened(text, MAX_MESSAGE)
