// Rows of the route table: the four routes of opencode's fork on the Claude Agent SDK.
import * as Opencode from "../../../schemas/api/opencode/sdk-bodies.ts"
import { PROMPT_BODY } from "../../../schemas/api/prompt-size.ts"
import { route } from "../../route.ts"
import { answer, IDEMPOTENCY } from "../parts.ts"

const OK = { 200: answer("Done.", Opencode.SdkOk) }
const SESSION = "ses_66c8a1b2f001KdTq3vXyZ0Ab4C"

export const sdkStart = route({
  id: "sdkStart",
  method: "post",
  path: "/sdk/start",
  summary: "Send a prompt, as opencode's clients do",
  description:
    "Answers when the prompt is stored; the session is made if there is none of that id and `resume` is not given. What comes of it is in the stream of the session that `perch-session-id` names (`format=parts`): a turn that fails is a `session.error` there.",
  tag: "query",
  auth: "sessions:write",
  body: Opencode.SdkStart,
  bodyLimit: PROMPT_BODY,
  headers: IDEMPOTENCY,
  answers: {
    200: {
      ...answer("The prompt is stored.", Opencode.SdkOk),
      headers: ["perch-session-id", "perch-turn-id", "idempotent-replayed"],
    },
  },
  errors: ["not_found_error", "conflict_error", "unprocessable_error"],
  example: {
    prompt: "List the files",
    sessionID: SESSION,
    messageID: "msg_66c8a1b2f002QeRt5uIoP6As7D",
    variant: "high",
  },
})

export const sdkInterrupt = route({
  id: "sdkInterrupt",
  method: "post",
  path: "/sdk/interrupt",
  summary: "Stop the running turn of a session, as opencode's clients do",
  description: "As `POST /v1/sessions/{id}/interrupt`. A session without a running turn stays as it is.",
  tag: "controls",
  auth: "sessions:write",
  body: Opencode.SdkInterrupt,
  answers: OK,
  errors: ["not_found_error"],
  example: { sessionID: SESSION },
})

export const sdkRewind = route({
  id: "sdkRewind",
  method: "post",
  path: "/sdk/rewind",
  summary: "Put the files of a session back, as opencode's clients do",
  description: "As `POST /v1/sessions/{id}/rewind`: to where they were at that prompt. 409 while a turn is open.",
  tag: "files",
  auth: "files",
  body: Opencode.SdkRewind,
  answers: OK,
  errors: ["not_found_error", "conflict_error"],
  example: { sessionID: SESSION, messageID: "msg_66c8a1b2f002QeRt5uIoP6As7D" },
})

export const sdkModel = route({
  id: "sdkModel",
  method: "post",
  path: "/sdk/model",
  summary: "Change the model of a session, as opencode's clients do",
  description: "As `PATCH /v1/sessions/{id}` with `model`; it holds from the next model request on.",
  tag: "controls",
  auth: "sessions:write",
  body: Opencode.SdkModel,
  answers: OK,
  errors: ["not_found_error", "conflict_error"],
  example: { sessionID: SESSION, model: "sonnet" },
})
