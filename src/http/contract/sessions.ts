// Rows of the route table: sessions themselves, their progress, and tickets for them.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/api.ts"
import { CreateTicket, Ticket } from "../../schemas/api/credentials.ts"
import { MAX_PROGRESS, Progress, PutProgress } from "../../schemas/api/progress.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { Revert, Unrevert } from "../../schemas/api/revert.ts"
import { route } from "../route.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, onceRoute, Order, page, SessionId } from "./parts.ts"

export const createSession = route({
  id: "createSession",
  method: "post",
  path: "/v1/sessions",
  summary: "Create or resume a session",
  description:
    "`options.resume` is the id of the session to resume; `options.continue` resumes the last used session of the directory. The list of sessions lags by a few seconds, so `options.continue` may miss a session that was just used: prefer `options.resume`. With `options.forkSession` the session is copied instead, and `id` is the copy's. " +
    "`history` (at most 10,000 SDK messages within the body's 20 MiB and 100,000 keys and elements, as a stream, `getSessionMessages` or `GET …/messages?format=sdk` returned them) is the conversation that a new session starts with: the next prompt continues it; nothing in it is run, counted or charged again.",
  tag: "sessions",
  auth: "sessions:write",
  body: Api.CreateSession,
  bodyLimit: PROMPT_BODY,
  headers: IDEMPOTENCY,
  answers: {
    200: answer(
      "The resumed session, or the session that this Idempotency-Key created before.",
      Api.Session,
      "location",
      "idempotent-replayed",
    ),
    201: answer("The new session.", Api.Session, "location"),
  },
  errors: ["not_found_error", "conflict_error", "unprocessable_error"],
  example: { cwd: "/workspace", options: { permissionMode: "acceptEdits" } },
})

export const listSessions = route({
  id: "listSessions",
  method: "get",
  path: "/v1/sessions",
  summary: "List sessions, the newest first",
  description:
    "The list lags behind the sessions by a few seconds. Long options and metadata are truncated; `first_prompt` is the start of the first prompt.",
  tag: "sessions",
  auth: "sessions:read",
  query: Schema.Struct({ limit: Limit(100), cursor: Cursor, order: Order }),
  answers: {
    200: answer("A page of sessions.", page(Api.Session)),
  },
})

export const getSession = route({
  id: "getSession",
  method: "get",
  path: "/v1/sessions/{id}",
  summary: "Read a session",
  description: "Read from the session itself, so it includes your own writes.",
  tag: "sessions",
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("The session.", Api.Session) },
})

export const forkSession = route({
  id: "forkSession",
  method: "post",
  path: "/v1/sessions/{id}/fork",
  summary: "Copy a session",
  description:
    "The copy has the whole log, all files, and its own id. An open turn, queued prompts and open questions are not copied. `at` is the uuid of the message (`info.sdk.uuid` of `GET …/messages`) after which the copy's conversation continues.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  body: Api.ForkSession,
  headers: IDEMPOTENCY,
  answers: {
    200: answer(
      "The session that this Idempotency-Key created before.",
      Api.Session,
      "location",
      "idempotent-replayed",
    ),
    201: answer("The copy.", Api.Session, "location"),
  },
  errors: ["conflict_error", "unprocessable_error"],
  example: { title: "Another way" },
})

export const revertSession = route({
  id: "revertSession",
  method: "post",
  path: "/v1/sessions/{id}/revert",
  summary: "Revert the conversation to before a message, or a part of one",
  description:
    "Removes that message or part and everything after it from what the model sees, `GET …/messages` and the todos; with `rewindFiles` (which needs the scope `files`) the files are restored too. Nothing is deleted, and its cost still counts. `revert` in the response is where the conversation ends now: a call is reverted together with the parallel calls before it, a subagent's message together with the call that started it. 409 while a turn is open. Repeating the request after its response was lost changes nothing. Until the next prompt `POST …/unrevert` restores everything.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  body: Revert,
  answers: { 200: answer("The session, with `revert`.", Api.Session) },
  errors: ["conflict_error"],
  example: { messageID: "msg_0199a0000000000000000000000", rewindFiles: true },
})

export const unrevertSession = route({
  id: "unrevertSession",
  method: "post",
  path: "/v1/sessions/{id}/unrevert",
  summary: "Undo the reverts since the last prompt",
  description:
    "Several reverts are undone together. Files that a revert had changed are restored; when some of them were changed since, `files` must specify what to do with them. 409 when there is nothing to undo. Repeating the request after its response was lost changes nothing.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  body: Unrevert,
  answers: { 200: answer("The session as it was.", Api.Session) },
  errors: ["conflict_error"],
  example: {},
})

export const patchSession = route({
  id: "patchSession",
  method: "patch",
  path: "/v1/sessions/{id}",
  summary: "Change a session's title, metadata or options",
  description:
    "Options are merged by name; they apply from the next turn on. Null removes `options.maxBudgetUsd` or `options.maxTurns`. Another `options.runtime` is a 409: it is fixed at creation.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  body: Api.PatchSession,
  answers: { 200: answer("The changed session.", Api.Session) },
  errors: ["conflict_error"],
  example: { permissionMode: "plan" },
})

export const deleteSession = route({
  id: "deleteSession",
  method: "delete",
  path: "/v1/sessions/{id}",
  summary: "Erase a session everywhere",
  description:
    "Erases its log, files, rows and hook events. The id can't be used again. The receipt counts what was erased.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  answers: { 200: answer("What was erased.", Api.EraseReceipt) },
})

/** The limit of the JSON body: escaped, a character may take six bytes per byte of its UTF-8. */
const PROGRESS_BODY = 6 * MAX_PROGRESS + 1024

export const getProgress = route({
  id: "getProgress",
  method: "get",
  path: "/v1/sessions/{id}/progress",
  summary: "Read the progress notes for routed runs",
  description: "Empty until progress is written.",
  tag: "sessions",
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("The progress.", Progress) },
})

export const putProgress = route({
  id: "putProgress",
  method: "put",
  path: "/v1/sessions/{id}/progress",
  summary: "Write the progress notes for routed runs",
  description:
    "At most 64 KiB of UTF-8. A run that is in progress reads it at its next call of `mcp__mechacoder__read_progress`. A copy (fork) starts with its parent's progress.",
  tag: "sessions",
  auth: "sessions:write",
  params: SessionId,
  body: PutProgress,
  bodyLimit: PROGRESS_BODY,
  answers: { 200: answer("The progress.", Progress) },
  example: { text: "The parser is done. Next: the printer." },
})

export const createTicket = onceRoute({
  id: "createTicket",
  method: "post",
  path: "/v1/sessions/{id}/tickets",
  summary: "Create a ticket for a client that cannot send headers",
  description:
    "The ticket goes into `?ticket=`, or a socket's first line, and grants access to this session until it expires or its key becomes invalid. `observe` reads the stream; `prompt` sends user messages and interrupts; `answer` answers asks; `control` changes settings, model, system prompt, rules, hooks and MCP servers, but can't loosen restrictions that the session was opened with. Its key must have the scopes of its roles: `sessions:read` for `observe`, `answer` for `answer`, `sessions:write` for the others.",
  tag: "sessions",
  auth: "tickets",
  params: SessionId,
  body: CreateTicket,
  answers: { 201: answer("The ticket.", Ticket) },
  errors: ["permission_error"],
  example: { roles: ["observe", "prompt", "answer"], ttl_seconds: 600 },
})
