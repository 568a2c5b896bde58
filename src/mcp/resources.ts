// Receives the connected MCP servers and their pipes; lists and reads their resources.
// Invariant: what a server sends is bounded, invalid resources are left out, and a failure is a sentence for the model.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  McpReadResult,
  McpResourceInfo,
  McpResourcePart,
  McpResourcesPage,
} from "../schemas/sdk/options/mcp-resources.ts"
import type {
  ListMcpResourcesOutput,
  ReadMcpResourceDirOutput,
  ReadMcpResourceOutput,
} from "../schemas/sdk/tools/tool-outputs-remote.ts"
import { shortened } from "../schemas/shortened.ts"
import type { McpResources } from "../tools/mcp/resource-port.ts"
import { ToolError } from "../tools/tool.ts"
import {
  cancellableRequest,
  type ConnectedMcp,
  listAll,
  type McpPipe,
  type McpPipeError,
  newRequestId,
  nonconforming,
} from "./client-server.ts"
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from "./error-codes.ts"

/** A server that is connected and enabled, and its pipe. */
export interface ServerInUse {
  readonly server: ConnectedMcp
  readonly pipe: McpPipe
}

/** The current servers of a session. */
export interface ServersNow {
  /** The names of all servers, whatever their state. */
  readonly names: ReadonlyArray<string>
  readonly inUse: ReadonlyArray<ServerInUse>
}

/** The most resources of one server that are read. */
const MAX_RESOURCES = 1000
const MAX_PARTS = 100
const MAX_TEXT = 2000
const READ_MS = 120_000

const isPage = Schema.is(McpResourcesPage)
const RESOURCES = { isPage, entriesOf: (page: typeof McpResourcesPage.Type) => page.resources, most: MAX_RESOURCES }
const isResource = Schema.is(McpResourceInfo)
const isReadResult = Schema.is(McpReadResult)
const isPart = Schema.is(McpResourcePart)

export const mcpResources = (now: () => ServersNow): McpResources => ({
  list: Effect.fnUntraced(function* (name) {
    if (name !== undefined) return yield* failing(listOf(yield* found(now(), name)))
    const { inUse } = now()
    const asked = inUse.filter(({ server }) => server.resources === true).map((one) => Effect.result(listOf(one)))
    const listed = yield* Effect.all(asked, { concurrency: "unbounded" })
    const [failed] = listed.flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
    // A server that fails does not hide the resources of the others.
    if (failed !== undefined && listed.every((one) => one._tag === "Failure")) return yield* failing(failed)
    return listed.flatMap((one) => (one._tag === "Success" ? one.success : []))
  }),
  read: Effect.fnUntraced(function* (name, uri) {
    const one = yield* found(now(), name)
    if (one.server.resources !== true) return yield* unsupported(name, "resources")
    return yield* Effect.mapError(readResource(one, uri), (error) => unreadable(uri, error))
  }),
  readDirectory: Effect.fnUntraced(function* (name, uri) {
    const one = yield* found(now(), name)
    if (one.server.directories === true) return yield* failing(childrenOf(one, uri))
    return yield* unsupported(name, "listing a directory. Its resources are listed by ListMcpResourcesTool")
  }),
})

const unsupported = (name: string, what: string): ToolError =>
  new ToolError({ reason: "not_found", message: `Server "${shortened(name, 200)}" does not support ${what}` })

/** The parts of a resource. */
const readResource = Effect.fnUntraced(function* (
  { server, pipe }: ServerInUse,
  uri: string,
): Effect.fn.Return<ReadonlyArray<McpResourcePart>, McpPipeError> {
  const answer = yield* cancellableRequest(pipe, {
    id: yield* newRequestId,
    method: "resources/read",
    params: { uri },
    timeoutMs: Math.min(server.timeout ?? READ_MS, READ_MS),
  })
  if (isReadResult(answer)) return answer.contents.slice(0, MAX_PARTS).filter(isPart)
  return yield* nonconforming("resources/read")
})

const found = ({ names, inUse }: ServersNow, name: string): Effect.Effect<ServerInUse, ToolError> => {
  const one = inUse.find(({ server }) => server.name === name)
  if (one !== undefined) return Effect.succeed(one)
  const shown = shortened(name, 200)
  const message = names.includes(name)
    ? `Server "${shown}" is not connected`
    : `Server "${shown}" not found. Available servers: ${shortened(names.join(", "), MAX_TEXT)}`
  return Effect.fail(new ToolError({ reason: "not_found", message }))
}

const listOf = ({ server, pipe }: ServerInUse): Effect.Effect<ListMcpResourcesOutput, McpPipeError> =>
  server.resources !== true
    ? Effect.succeed([])
    : Effect.map(listAll(pipe, { ...RESOURCES, method: "resources/list" }), (listed) =>
        listed.filter(isResource).map((one) => entry(server.name, one)),
      )

const childrenOf = (
  { pipe }: ServerInUse,
  uri: string,
): Effect.Effect<ReadMcpResourceDirOutput["resources"], McpPipeError> =>
  Effect.map(listAll(pipe, { ...RESOURCES, method: "resources/directory/read", params: { uri } }), (listed) =>
    listed.filter(isResource).map(child),
  )

const child = ({ uri, name, mimeType }: McpResourceInfo) => ({
  uri,
  name: shortened(name, MAX_TEXT),
  ...(mimeType === undefined ? {} : { mimeType: shortened(mimeType, 200) }),
})

/** Fields of a resource that the official SDK passes on, although its types do not declare them. */
const DETAILS = ["title", "size", "annotations", "_meta"] as const

const entry = (server: string, one: McpResourceInfo) => ({
  ...child(one),
  ...(one.description === undefined ? {} : { description: shortened(one.description, MAX_TEXT) }),
  ...Object.fromEntries(DETAILS.filter((name) => isShort(one[name])).map((name) => [name, one[name]])),
  server,
})

const isShort = (value: unknown): boolean => value !== undefined && JSON.stringify(value).length <= MAX_TEXT

/** The codes with which servers answer for a resource that does not exist. */
const MISSING: ReadonlySet<number | undefined> = new Set([RESOURCE_NOT_FOUND, INVALID_PARAMS])

/** As in the official SDK, a resource that does not exist has a result of its own. */
const unreadable = (uri: string, { code, message }: McpPipeError): ToolError => {
  if (!MISSING.has(code)) return new ToolError({ reason: "command_failed", message })
  const error = `There is no resource ${shortened(uri, MAX_TEXT)}, or not any more. ListMcpResourcesTool lists the current ones.`
  const output: ReadMcpResourceOutput = { contents: [], error }
  return new ToolError({ reason: "not_found", message: error, output })
}

const failing = <A>(effect: Effect.Effect<A, McpPipeError>): Effect.Effect<A, ToolError> =>
  Effect.mapError(effect, ({ message }) => new ToolError({ reason: "command_failed", message }))
