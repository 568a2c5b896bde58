// Rows of the route table: Perch as an MCP server.
import * as Schema from "effect/Schema"
import { ErrorBody } from "../../schemas/api/api.ts"
import { Uuid } from "../../schemas/ids.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { route } from "../route.ts"
import { answer } from "./parts.ts"

const MCP_SESSION = Schema.Struct({ session: Schema.optionalKey(Uuid) })
const JsonRpcMessage = Schema.StructWithRest(
  Schema.Struct({ jsonrpc: Schema.Literal("2.0").annotate({ description: "Always `2.0`." }) }),
  [Schema.Record(Schema.String, Schema.Unknown)],
).annotate({
  identifier: "JsonRpcMessage",
  description: "A message of JSON-RPC: a result, an error or a notification.",
})

/** The transport's answer to a body that is no JSON-RPC message. */
const JsonRpcFailure = Schema.Struct({
  jsonrpc: Schema.Literal("2.0").annotate({ description: "Always `2.0`." }),
  error: Schema.Struct({
    code: Schema.Int.annotate({ description: "JSON-RPC's code: -32700 for what can't be read." }),
    message: Schema.String.annotate({ description: "What was wrong." }),
  })
    .annotate({ identifier: "JsonRpcFault", description: "What was wrong with a message." })
    .annotateKey({ description: "What was wrong." }),
  id: Schema.Null.annotate({ description: "The message has no id that could be read." }),
}).annotate({ identifier: "JsonRpcFailure", description: "The answer to what is no message of JSON-RPC." })
const MCP_HEADERS = { "perch-session-id": "The session whose tools are listed too; or `?session=`." }

export const oauthCallback = route({
  id: "oauthCallback",
  method: "get",
  path: "/v1/mcp/callback",
  summary: "Where browsers come back to",
  description:
    "The redirect URI of authorizations that sessions ask users for. It needs no key: `state` is sealed, names one question of one session, and is good once, for an hour. The answer is a page of fixed text.",
  tag: "mcp",
  auth: "none",
  answers: {
    200: { description: "A page for the user.", contentType: "text/html" },
    400: { description: "The state is not known, or not any more.", contentType: "text/html" },
    502: { description: "The authorization server gave no token.", contentType: "text/html" },
  },
})

export const mcp = route({
  id: "mcp",
  method: "post",
  path: "/mcp",
  summary: "Perch as an MCP server",
  description:
    "MCP's streamable HTTP transport: one JSON-RPC message in, one JSON answer out, or for a call with a `progressToken` a stream that ends with it; GET and DELETE are a 405. " +
    "The tools `perch_run`, `perch_result`, `perch_asks`, `perch_answer` and `perch_stop` run prompts and answer what they ask, as far as the key's scopes go. With a session named, its workspace tools " +
    "and those of its MCP servers are listed too, and its files are resources. Commands of Perch and of the tenant are prompts. A call of these runs under the " +
    "session's permissions and hooks, asks no questions, and is logged as `tool:called`. A failed call has its reason in " +
    '`_meta["perch/error"]`: `Error (<reason>): message`.',
  tag: "mcp",
  auth: "sessions:write",
  query: MCP_SESSION,
  body: Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]),
  bodyLimit: PROMPT_BODY,
  headers: MCP_HEADERS,
  answers: {
    200: {
      ...answer(
        "The JSON-RPC answer, or a stream of events that ends with it.",
        Schema.Union([JsonRpcMessage, Schema.Array(JsonRpcMessage)]),
      ),
      events: JsonRpcMessage,
    },
    202: { description: "A notification was taken." },
    400: {
      description:
        "`invalid_request_error`: the request is malformed. What is no message of JSON-RPC is answered as the protocol has it.",
      body: Schema.Union([ErrorBody, JsonRpcFailure]),
    },
    406: answer("`Accept` does not have both `application/json` and `text/event-stream`.", JsonRpcFailure),
    415: answer("The body's `Content-Type` is not `application/json`.", JsonRpcFailure),
  },
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
})
