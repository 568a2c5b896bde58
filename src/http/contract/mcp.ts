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
    code: Schema.Int.annotate({ description: "JSON-RPC's error code: -32700 for messages that can't be parsed." }),
    message: Schema.String.annotate({ description: "What was wrong." }),
  })
    .annotate({ identifier: "JsonRpcFault", description: "What was wrong with a message." })
    .annotateKey({ description: "What was wrong." }),
  id: Schema.Null.annotate({ description: "Always null: the message has no readable id." }),
}).annotate({ identifier: "JsonRpcFailure", description: "The response to a body that is not a JSON-RPC message." })
const MCP_HEADERS = { "perch-session-id": "The session whose tools are listed too; or `?session=`." }

export const oauthCallback = route({
  id: "oauthCallback",
  method: "get",
  path: "/v1/mcp/callback",
  summary: "OAuth redirect endpoint for MCP servers",
  description:
    "The redirect URI of authorizations that sessions ask users for. It needs no key: `state` is sealed, identifies one question of one session, and can be used once, within an hour. The response is a page with a fixed text.",
  tag: "mcp",
  auth: "none",
  answers: {
    200: { description: "A page for the user.", contentType: "text/html" },
    400: { description: "The state is unknown or no longer valid.", contentType: "text/html" },
    502: { description: "The authorization server returned no token.", contentType: "text/html" },
  },
})

export const mcp = route({
  id: "mcp",
  method: "post",
  path: "/mcp",
  summary: "Perch as an MCP server",
  description:
    "MCP's streamable HTTP transport: one JSON-RPC message in, one JSON response out, or for a call with a `progressToken` a stream that ends with the response; GET and DELETE are a 405. " +
    "The tools `perch_run`, `perch_result`, `perch_asks`, `perch_answer` and `perch_stop` run prompts and answer their asks, as far as the key's scopes permit. If the request specifies a session, its workspace tools " +
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
        "The JSON-RPC response, or a stream of events that ends with it.",
        Schema.Union([JsonRpcMessage, Schema.Array(JsonRpcMessage)]),
      ),
      events: JsonRpcMessage,
    },
    202: { description: "The notification was accepted, or the client has cancelled the call, which is not answered." },
    400: {
      description:
        "`invalid_request_error`: the request is malformed. A body that is not a JSON-RPC message gets an error response of the protocol.",
      body: Schema.Union([ErrorBody, JsonRpcFailure]),
    },
    406: answer("`Accept` does not contain both `application/json` and `text/event-stream`.", JsonRpcFailure),
    415: answer("The body's `Content-Type` is not `application/json`.", JsonRpcFailure),
  },
  errors: ["not_found_error"],
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
})
