// Rows of the route table: prompts, and what steers a turn: interrupts, and answers to what it asks.
import { Schema } from "effect"
import * as Api from "../../schemas/api.ts"
import { Uuid } from "../../schemas/ids.ts"
import { route } from "../route.ts"
import { answer, list, QUERY_ANSWERS, QUERY_HEADERS, SessionId } from "./parts.ts"

export const query = route({
  id: "query",
  method: "post",
  path: "/v1/query",
  summary: "Create a session and run one prompt",
  tag: "query",
  auth: "sessions:write",
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
  auth: "sessions:write",
  params: SessionId,
  body: Api.QuerySession,
  headers: QUERY_HEADERS,
  answers: QUERY_ANSWERS,
  errors: ["conflict_error", "unprocessable_error"],
  example: { prompt: "List the files" },
})

export const interrupt = route({
  id: "interrupt",
  method: "post",
  path: "/v1/sessions/{id}/interrupt",
  summary: "Stop the running turn",
  tag: "controls",
  auth: "sessions:write",
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
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("Open asks.", list("pending", Api.Pending)) },
})

export const answerPermission = route({
  id: "answerPermission",
  method: "post",
  path: "/v1/sessions/{id}/permissions/{request_id}",
  summary: "Answer an ask",
  description:
    "By the ask's `kind`. A `permission` takes what `canUseTool` gives; so do a `question`, which also takes `{answers: {QUESTION: LABEL or text}}`, and a `plan`, which also takes `{behavior, message?, permissionMode?}`. " +
    "A `client_tool` takes the result of the call, `{content, is_error?}`. The first answer wins; the same again is a 200, another one a 409.",
  tag: "permissions",
  auth: "answer",
  params: Schema.Struct({ id: Uuid, request_id: Schema.String.check(Schema.isMaxLength(200)) }),
  body: Api.AnswerAsk,
  answers: {
    200: answer("Settled.", Schema.Struct({ request_id: Schema.String, status: Schema.Literal("settled") })),
  },
  errors: ["conflict_error"],
  example: { behavior: "allow" },
})
