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
    "Responds when the prompt is stored; the session is created if there is none with that id and `resume` is not given. The outcome is in the stream (`format=parts`) of the session with the id `perch-session-id`: a failed turn is a `session.error` there.",
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
  description: "Same as `POST /v1/sessions/{id}/interrupt`. It has no effect on a session without a running turn.",
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
  summary: "Restore the files of a session, as opencode's clients do",
  description:
    "Same as `POST /v1/sessions/{id}/rewind`: restores their state at that prompt. 409 while a turn is open.",
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
  description: "Same as `PATCH /v1/sessions/{id}` with `model`; it applies from the next model request on.",
  tag: "controls",
  auth: "sessions:write",
  body: Opencode.SdkModel,
  answers: OK,
  errors: ["not_found_error", "conflict_error"],
  example: { sessionID: SESSION, model: "sonnet" },
})
