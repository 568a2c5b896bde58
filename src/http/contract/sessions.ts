// Rows of the route table: sessions themselves, their progress, and tickets for them.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/api.ts"
import { CreateTicket, Ticket } from "../../schemas/api/credentials.ts"
import { MAX_PROGRESS, Progress, PutProgress } from "../../schemas/api/progress.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { Revert, Unrevert } from "../../schemas/api/revert.ts"
import { route } from "../route.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, list, onceRoute, Order, SessionId } from "./parts.ts"

export const createSession = route({
  id: "createSession",
  method: "post",
  path: "/v1/sessions",
  summary: "Create a session, or go on with one",
  description:
    "`options.resume` names the session to go on with, `options.continue` means the one of the directory that was used last. Which one that is, is known within seconds: a session that was used a moment ago may not be found yet, so name it where you can. With `options.forkSession` the session is copied instead, and `id` is the copy's. " +
    "`history` (at most 10,000 SDK messages within the body's 20 MiB, as a stream, `getSessionMessages` or `GET …/messages?format=sdk` gave them) is what a new session begins with: the next prompt goes on with it; nothing in it is run, counted or paid again.",
  tag: "sessions",
  auth: "sessions:write",
  body: Api.CreateSession,
  bodyLimit: PROMPT_BODY,
  headers: IDEMPOTENCY,
  answers: {
    200: answer(
      "The session that is gone on with, or that this Idempotency-Key created before.",
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
    "The list follows the sessions within seconds. Long options and metadata are shortened; `first_prompt` is the beginning of the first prompt.",
  tag: "sessions",
  auth: "sessions:read",
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
  description: "From the session itself, so you read your own writes.",
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
    "The copy has the whole log and all files, and its own id. Of a turn that is open, prompts that wait and open questions nothing is copied. `at` is the uuid of the message (`info.sdk.uuid` of `GET …/messages`) after which the copy's conversation goes on.",
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
  summary: "Go back to before a message, or a part of one",
  description:
    "The model forgets what comes from there on, and so do `GET …/messages` and the todos; with `rewindFiles` (which needs the scope `files`) the files go back too. Nothing is deleted, and what it cost stays counted. `revert` of the answer is where the conversation ends now: a call goes with the parallel calls before it, a subagent's message with the call that started it. 409 while a turn is open. The same request again, when its answer was lost, changes nothing. Until the next prompt `POST …/unrevert` brings everything back.",
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
  summary: "Take back what was reverted since the last prompt",
  description:
    "Several reverts are taken back together. Files that a revert had put back are restored; when some of them were changed since, `files` must say what becomes of them. 409 when there is nothing to take back.",
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
    "Options are merged by name; they hold from the next turn on. Another `options.runtime` is a 409: it never changes.",
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
  description: "Its log, files, rows and hook events. The id is not used again. The receipt counts what was erased.",
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
  summary: "Read the progress that routed runs read",
  description: "Empty as long as none was written.",
  tag: "sessions",
  auth: "sessions:read",
  params: SessionId,
  answers: { 200: answer("The progress.", Progress) },
})

export const putProgress = route({
  id: "putProgress",
  method: "put",
  path: "/v1/sessions/{id}/progress",
  summary: "Write the progress that routed runs read",
  description:
    "At most 64 KiB of UTF-8. A run that goes on reads it at its next call of `mcp__mechacoder__read_progress`. A copy (fork) begins with its parent's.",
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
  summary: "Make a ticket for a client that cannot send headers",
  description:
    "The ticket goes into `?ticket=`, or a socket's first line, and opens this session until it expires or its key ends. `observe` reads the stream; `prompt` sends user messages and interrupts; `answer` answers asks; `control` changes settings, model, system prompt, rules, hooks and MCP servers, but loosens nothing that the session was opened with. Its key must have the scopes of its roles: `sessions:read` for `observe`, `answer` for `answer`, `sessions:write` for the others.",
  tag: "sessions",
  auth: "tickets",
  params: SessionId,
  body: CreateTicket,
  answers: { 201: answer("The ticket.", Ticket) },
  errors: ["permission_error"],
  example: { roles: ["observe", "prompt", "answer"], ttl_seconds: 600 },
})
