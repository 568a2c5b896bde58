// Rows of the route table: Perch as an MCP server.
import * as Schema from "effect/Schema"
import { Uuid } from "../../schemas/ids.ts"
import { PROMPT_BODY } from "../bodies/prompt-size.ts"
import { route } from "../route.ts"

const MCP_SESSION = Schema.Struct({ session: Schema.optionalKey(Uuid) })
const MCP_HEADERS = { "perch-session-id": "The session whose tools these are; or `?session=`." }

export const mcp = route({
  id: "mcp",
  method: "post",
  path: "/mcp",
  summary: "A session's tools, for MCP clients",
  description:
    "MCP's streamable HTTP transport without its stream: one JSON-RPC message in, one JSON answer out; GET and DELETE are a 405. The tools are those " +
    "that work on the workspace, and those of the MCP servers that the session's client has. A call runs under the " +
    "session's permissions and hooks, asks no questions, and is logged as `tool:called`. A failed call has its reason in " +
    '`_meta["perch/error"]`: `Error (<reason>): message`.',
  tag: "mcp",
  auth: "sessions:write",
  query: MCP_SESSION,
  body: Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]),
  bodyLimit: PROMPT_BODY,
  headers: MCP_HEADERS,
  answers: {
    200: { description: "The JSON-RPC answer.", contentType: "application/json" },
    202: { description: "A notification was taken." },
  },
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
})
