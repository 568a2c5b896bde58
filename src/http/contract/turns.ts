// Rows of the route table: prompts, turns, interrupts, and the answers to a turn's asks.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/api.ts"
import { Turn } from "../../schemas/api/turns.ts"
import { Uuid } from "../../schemas/ids.ts"
import { WaitUntil } from "../../schemas/rpc/turns.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, NoFields, Order, page, QUERY_ANSWERS, QUERY_HEADERS, SessionId } from "./parts.ts"

export const query = route({
  id: "query",
  method: "post",
  path: "/v1/query",
  summary: "Create a session and run one prompt",
  description:
    "Combines `POST /v1/sessions` and a query in the new session. The header `perch-session-id` contains the session's id.",
  tag: "query",
  auth: "sessions:write",
  body: Api.Query,
  bodyLimit: PROMPT_BODY,
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
  description:
    "A JSON response waits until the turn ends, or until an ask of this turn or of an earlier one blocks it, at most 10 minutes.",
  tag: "query",
  auth: "sessions:write",
  params: SessionId,
  body: Api.QuerySession,
  bodyLimit: PROMPT_BODY,
  headers: QUERY_HEADERS,
  answers: QUERY_ANSWERS,
  errors: ["conflict_error", "unprocessable_error"],
  example: { prompt: "List the files" },
})

export const compactSession = route({
  id: "compactSession",
  method: "post",
  path: "/v1/sessions/{id}/compact",
  summary: "Compact the conversation",
  description:
    "Same as the prompt `/compact` with these instructions: a turn of its own, which waits for the running one. The model continues from the summary and the last exchange; the log and the history keep everything.",
  tag: "query",
  auth: "sessions:write",
  params: SessionId,
  body: Api.CompactSession,
  headers: QUERY_HEADERS,
  answers: QUERY_ANSWERS,
  errors: ["conflict_error", "unprocessable_error"],
  example: { instructions: "Keep the names of all files" },
})

export const listTurns = route({
  id: "listTurns",
  method: "get",
  path: "/v1/sessions/{id}/turns",
  summary: "List a session's turns, the newest first",
  description:
    "In the order of their prompts. A page has fewer turns when its results are large; `cursor` is a page's `next_cursor`.",
  tag: "turns",
  auth: "sessions:read",
  params: SessionId,
  query: Schema.Struct({ limit: Limit(100), cursor: Cursor, order: Order }),
  answers: { 200: answer("A page of turns.", page(Turn)) },
})

/** The longest `wait`, in seconds. */
const MAX_WAIT_S = 120

export const getTurn = route({
  id: "getTurn",
  method: "get",
  path: "/v1/sessions/{id}/turns/{turn_id}",
  summary: "Read a turn, or wait for it",
  description:
    "`wait` delays the response by up to this number of seconds, until the turn has ended or an ask blocks it; with `until=end` until it has ended. The response is the turn in either case: check its `status`.",
  tag: "turns",
  auth: "sessions:read",
  params: Schema.Struct({ id: Uuid, turn_id: Uuid }),
  query: Schema.Struct({
    wait: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_WAIT_S })).annotate({
        description: "Seconds to wait. 0, the default, responds immediately.",
      }),
    ),
    until: Schema.optionalKey(WaitUntil),
  }),
  answers: { 200: answer("The turn.", Turn) },
})

export const interrupt = route({
  id: "interrupt",
  method: "post",
  path: "/v1/sessions/{id}/interrupt",
  summary: "Stop the running turn",
  description: "The turn ends with a `result` and keeps the text so far. Queued prompts run next.",
  tag: "controls",
  auth: "sessions:write",
  params: SessionId,
  body: NoFields,
  answers: {
    200: answer(
      "Whether a turn was stopped, and which prompts are still queued.",
      Schema.Struct({ interrupted: Schema.Boolean, still_queued: Schema.Array(Schema.String) }),
    ),
  },
})

export const listPermissions = route({
  id: "listPermissions",
  method: "get",
  path: "/v1/sessions/{id}/permissions",
  summary: "List the asks that wait for an answer",
  description:
    "Permission questions, questions of the model, plans, calls of your own tools, and questions of MCP servers, the oldest first.",
  tag: "permissions",
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("Open asks.", list("pending", Api.PendingAsk)) },
})

export const answerPermission = route({
  id: "answerPermission",
  method: "post",
  path: "/v1/sessions/{id}/permissions/{request_id}",
  summary: "Answer an ask",
  description:
    "The body depends on the ask's `kind`. A `permission` accepts what `canUseTool` returns, or `{reply, message?, scope?}` with `once`, `always` or `reject`; so do a `question`, which also accepts `{answers: {QUESTION: LABEL or text}}`, and a `plan`, which also accepts `{behavior, message?, permissionMode?}`. " +
    "A `client_tool` accepts the result of the call, `{content, is_error?}`. An `outcome` asks for the result of a call whose outcome was lost when the server stopped: it accepts that result, or `allow` to run the call again, or `deny` with a message for the model. " +
    "An `elicitation`, a question of an MCP server, accepts `{action, content?}` with `accept`, `decline` or `cancel`. The first answer counts; the same answer again is a 200, a different one a 409.",
  tag: "permissions",
  auth: "answer",
  params: Schema.Struct({ id: Uuid, request_id: Schema.String.check(Schema.isMaxLength(200)) }),
  body: Api.AnswerAsk,
  bodyLimit: PROMPT_BODY,
  answers: {
    200: answer(
      "Settled. The turn continues: its result is at `GET …/turns/{turn_id}?wait=`.",
      Schema.Struct({ request_id: Schema.String, status: Schema.Literal("settled"), turn_id: Schema.String }),
    ),
  },
  errors: ["conflict_error"],
  example: { behavior: "allow" },
})
