// The route table: every path of the API with what it takes and answers. `handle.ts` validates by it and
// `openapi.ts` documents it.
import { Schema } from "effect"
import { Provider } from "../schemas/agent-schema/projections/projection.ts"
import * as Api from "../schemas/api.ts"
import { Uuid } from "../schemas/ids.ts"
import { SessionCost } from "../store/costs.ts"
import {
  answer,
  Cursor,
  IDEMPOTENCY,
  Instant,
  Limit,
  list,
  Order,
  QUERY_ANSWERS,
  QUERY_HEADERS,
  Seq,
  SessionId,
  SSE,
} from "./contract-parts.ts"
import { route } from "./route.ts"

export const createSession = route({
  id: "createSession",
  method: "post",
  path: "/v1/sessions",
  summary: "Create a session",
  tag: "sessions",
  auth: "key",
  body: Api.CreateSession,
  headers: IDEMPOTENCY,
  answers: {
    200: answer("The session that this Idempotency-Key created before.", Api.Session),
    201: answer("The new session.", Api.Session),
  },
  errors: ["conflict_error", "unprocessable_error"],
  example: { cwd: "/workspace", options: { permissionMode: "acceptEdits" } },
})

export const listSessions = route({
  id: "listSessions",
  method: "get",
  path: "/v1/sessions",
  summary: "List sessions, the newest first",
  description: "Within seconds of what the sessions themselves say. Long options and metadata are shortened.",
  tag: "sessions",
  auth: "key",
  query: Schema.Struct({ limit: Limit(100), cursor: Cursor, order: Order }),
  answers: {
    200: answer("A page of sessions.", list("data", Api.Session, { next_cursor: Schema.NullOr(Schema.String) })),
  },
})

export const getSession = route({
  id: "getSession",
  method: "get",
  path: "/v1/sessions/{id}",
  summary: "Read a session",
  tag: "sessions",
  auth: "key",
  params: SessionId,
  answers: { 200: answer("The session.", Api.Session) },
})

export const patchSession = route({
  id: "patchSession",
  method: "patch",
  path: "/v1/sessions/{id}",
  summary: "Change a session's title, metadata or options",
  description: "Options are merged by name; they hold from the next turn on.",
  tag: "sessions",
  auth: "key",
  params: SessionId,
  body: Api.PatchSession,
  answers: { 200: answer("The changed session.", Api.Session) },
  example: { permissionMode: "plan" },
})

export const deleteSession = route({
  id: "deleteSession",
  method: "delete",
  path: "/v1/sessions/{id}",
  summary: "Erase a session everywhere",
  tag: "sessions",
  auth: "key",
  params: SessionId,
  answers: { 200: answer("What was erased.", Api.EraseReceipt) },
})

export const createTicket = route({
  id: "createTicket",
  method: "post",
  path: "/v1/sessions/{id}/tickets",
  summary: "Make a ticket for a client that cannot send headers",
  description: "The ticket goes into `?ticket=` and opens what its scopes name, for this session, until it expires.",
  tag: "sessions",
  auth: "key",
  params: SessionId,
  body: Api.CreateTicket,
  answers: { 201: answer("The ticket.", Api.Ticket) },
  example: { ttl_seconds: 600 },
})

export const query = route({
  id: "query",
  method: "post",
  path: "/v1/query",
  summary: "Create a session and run one prompt",
  tag: "query",
  auth: "key",
  body: Api.Query,
  headers: QUERY_HEADERS,
  answers: QUERY_ANSWERS,
  errors: ["conflict_error", "unprocessable_error"],
  example: { prompt: "Create notes.txt with three ideas", options: { permissionMode: "acceptEdits" } },
})

export const querySession = route({
  id: "querySession",
  method: "post",
  path: "/v1/sessions/{id}/query",
  summary: "Run a prompt in a session",
  description: "JSON waits until the turn ends or needs an answer, at most 10 minutes.",
  tag: "query",
  auth: "key",
  params: SessionId,
  body: Api.QuerySession,
  headers: QUERY_HEADERS,
  answers: QUERY_ANSWERS,
  errors: ["conflict_error", "unprocessable_error"],
  example: { prompt: "List the files" },
})

export const pageEvents = route({
  id: "pageEvents",
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary: "Read the log by pages",
  tag: "events",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Seq),
    limit: Limit(1000),
    order: Order,
    name: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  }),
  answers: {
    200: answer("Events.", list("events", Api.Event, { has_more: Schema.Boolean, last_seq: Schema.Int })),
  },
})

export const streamEvents = route({
  id: "streamEvents",
  method: "get",
  path: "/v1/sessions/{id}/events/stream",
  summary: "Follow the log live (server-sent events)",
  description: "Stays open on idle sessions. `event: catch_up_truncated` says that the cursor was too old.",
  tag: "events",
  auth: "stream",
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Schema.Union([Seq, Schema.Literal("head")])),
    partials: Schema.optionalKey(Schema.Boolean),
    format: Schema.optionalKey(Schema.Literals(["sdk"])),
    ticket: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048))),
  }),
  headers: { "Last-Event-ID": "The last seq that was seen; wins over `after`." },
  answers: { 200: SSE },
})

export const interrupt = route({
  id: "interrupt",
  method: "post",
  path: "/v1/sessions/{id}/interrupt",
  summary: "Stop the running turn",
  tag: "controls",
  auth: "key",
  params: SessionId,
  body: Schema.Struct({}),
  answers: {
    200: answer(
      "Whether a turn was stopped, and which prompts still wait.",
      Schema.Struct({ interrupted: Schema.Boolean, still_queued: Schema.Array(Schema.String) }),
    ),
  },
})

export const listPermissions = route({
  id: "listPermissions",
  method: "get",
  path: "/v1/sessions/{id}/permissions",
  summary: "List what waits for an answer",
  tag: "permissions",
  auth: "key",
  params: SessionId,
  answers: { 200: answer("Open asks.", list("pending", Api.Pending)) },
})

export const answerPermission = route({
  id: "answerPermission",
  method: "post",
  path: "/v1/sessions/{id}/permissions/{request_id}",
  summary: "Answer an ask",
  description: "The first answer wins; the same again is a 200, another one a 409.",
  tag: "permissions",
  auth: "key",
  params: Schema.Struct({ id: Uuid, request_id: Schema.String.check(Schema.isMaxLength(200)) }),
  body: Api.AnswerAsk,
  answers: {
    200: answer("Settled.", Schema.Struct({ request_id: Schema.String, status: Schema.Literal("settled") })),
  },
  errors: ["conflict_error"],
  example: { behavior: "allow" },
})

export const listMessages = route({
  id: "listMessages",
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "Read the conversation as messages and parts",
  tag: "messages",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({ after: Cursor, limit: Limit(500) }),
  answers: {
    200: answer("Messages, each `{info, parts}`.", list("messages", Schema.Unknown, { has_more: Schema.Boolean })),
  },
})

const FilePath = Schema.Struct({ id: Uuid, path: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096)) })

export const listFiles = route({
  id: "listFiles",
  method: "get",
  path: "/v1/sessions/{id}/files",
  summary: "List the workspace's files",
  tag: "files",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({
    prefix: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4096))),
    cursor: Cursor,
    limit: Limit(1000),
  }),
  answers: { 200: answer("A page of files.", list("files", Api.File, { next_cursor: Schema.NullOr(Schema.String) })) },
})

export const getFile = route({
  id: "getFile",
  method: "get",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Read a file",
  tag: "files",
  auth: "key",
  params: FilePath,
  headers: { "If-None-Match": "An `etag` seen before: the same file is a 304." },
  answers: {
    200: { description: "The file's bytes.", contentType: "application/octet-stream" },
    304: { description: "The file is the one with that `etag`." },
  },
})

export const putFile = route({
  id: "putFile",
  method: "put",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Write a file (at most 32 MiB) and its parent folders",
  tag: "files",
  auth: "key",
  params: FilePath,
  bytes: true,
  answers: { 200: answer("Replaced.", Api.File), 201: answer("Created.", Api.File) },
  errors: ["conflict_error"],
})

export const deleteFile = route({
  id: "deleteFile",
  method: "delete",
  path: "/v1/sessions/{id}/files/{path}",
  summary: "Delete a file or folder",
  tag: "files",
  auth: "key",
  params: FilePath,
  answers: { 204: { description: "Deleted." } },
})

export const sessionCost = route({
  id: "sessionCost",
  method: "get",
  path: "/v1/sessions/{id}/cost",
  summary: "What a session has cost",
  tag: "costs",
  auth: "key",
  params: SessionId,
  answers: { 200: answer("Its cost.", Api.Cost) },
})

export const listCosts = route({
  id: "listCosts",
  method: "get",
  path: "/v1/costs",
  summary: "What all sessions have cost",
  tag: "costs",
  auth: "key",
  query: Schema.Struct({
    from: Schema.optionalKey(Instant),
    to: Schema.optionalKey(Instant),
    limit: Limit(1000),
    cursor: Cursor,
  }),
  answers: {
    200: answer(
      "Costs by session and model; the totals are over all pages.",
      list("data", SessionCost.annotate({ identifier: "SessionCost" }), {
        total_usd: Schema.Finite,
        has_unpriced: Schema.Boolean,
        next_cursor: Schema.NullOr(Schema.String),
      }),
    ),
  },
})

export const listModels = route({
  id: "listModels",
  method: "get",
  path: "/v1/models",
  summary: "List models and prices",
  tag: "catalogue",
  auth: "key",
  answers: { 200: answer("Models.", list("data", Api.Model)) },
})

export const listTools = route({
  id: "listTools",
  method: "get",
  path: "/v1/tools",
  summary: "List the built-in tools",
  description:
    "`projection` adds each tool's schema as that provider takes it; `rejected` names those it would refuse.",
  tag: "catalogue",
  auth: "key",
  query: Schema.Struct({ projection: Schema.optionalKey(Provider) }),
  answers: { 200: answer("Tools.", list("data", Api.ToolInfo, { rejected: Schema.Array(Api.RejectedTool) })) },
})

const MCP_SESSION = Schema.Struct({ session: Schema.optionalKey(Uuid) })
const MCP_HEADERS = { "perch-session-id": "The session whose tools these are; or `?session=`." }
const NO_METHOD = { 405: { description: "Only POST is served.", contentType: "application/json" } }

export const mcp = route({
  id: "mcp",
  method: "post",
  path: "/mcp",
  summary: "A session's workspace tools, for MCP clients",
  description:
    "MCP's streamable HTTP transport without its stream: one JSON-RPC message in, one JSON answer out. A call runs under " +
    "the session's permissions, nobody is asked, and it is logged as `tool:called`.",
  tag: "mcp",
  auth: "key",
  query: MCP_SESSION,
  body: Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]),
  headers: MCP_HEADERS,
  answers: {
    200: { description: "The JSON-RPC answer.", contentType: "application/json" },
    202: { description: "A notification was taken." },
  },
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
})

export const mcpStream = route({
  id: "mcpStream",
  method: "get",
  path: "/mcp",
  summary: "Not served: there is no stream to listen to",
  tag: "mcp",
  auth: "key",
  answers: NO_METHOD,
})

export const mcpEnd = route({
  id: "mcpEnd",
  method: "delete",
  path: "/mcp",
  summary: "Not served: there is no MCP session to end",
  tag: "mcp",
  auth: "key",
  answers: NO_METHOD,
})

export const createKey = route({
  id: "createKey",
  method: "post",
  path: "/v1/admin/keys",
  summary: "Make an API key for a tenant; it is shown once",
  tag: "admin",
  auth: "root",
  body: Api.CreateKey,
  answers: { 201: answer("The key.", Api.CreatedKey) },
  example: { tenant: "acme", label: "production" },
})

export const listKeys = route({
  id: "listKeys",
  method: "get",
  path: "/v1/admin/keys",
  summary: "List API keys",
  tag: "admin",
  auth: "root",
  query: Schema.Struct({ tenant: Schema.optionalKey(Api.TenantName), limit: Limit(1000), cursor: Cursor }),
  answers: {
    200: answer("A page of keys.", list("data", Api.ApiKeyInfo, { next_cursor: Schema.NullOr(Schema.String) })),
  },
})

export const revokeKey = route({
  id: "revokeKey",
  method: "delete",
  path: "/v1/admin/keys/{key_id}",
  summary: "Revoke an API key",
  description: "Takes effect everywhere within a minute.",
  tag: "admin",
  auth: "root",
  params: Schema.Struct({ key_id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)) }),
  answers: { 204: { description: "Revoked." } },
})

export const healthz = route({
  id: "healthz",
  method: "get",
  path: "/healthz",
  summary: "Whether the Worker answers",
  tag: "server",
  auth: "none",
  answers: { 200: answer("It does.", Schema.Struct({ status: Schema.Literal("ok") })) },
})

export const openapi = route({
  id: "openapi",
  method: "get",
  path: "/openapi.json",
  summary: "This document",
  tag: "server",
  auth: "none",
  answers: { 200: { description: "OpenAPI 3.1.", contentType: "application/json" } },
})
