// Every field of the user message that a client of the control protocol sends, and how Perch handles it.
// Invariant: the table has every field of the SDK's types; any other field is refused by name.
import { type FieldRules, harmless, honoured, refused, rulesCheck } from "./field-rules.ts"

const SUBAGENTS = "belongs to messages of subagents, which no client sends"

export const PROMPT_FIELDS: FieldRules = {
  type: honoured(),
  message: honoured(),
  "message.role": refused("must be user", (role) => role === "user"),
  "message.content": honoured(
    "is the prompt: a string, or text, image and document blocks, sent to the model unchanged, except that requests have their own `cache_control`",
  ),
  uuid: honoured("identifies the prompt: sending it again refers to the same turn"),
  shouldQuery: honoured("false adds the prompt to the conversation without asking the model"),
  client_composed: harmless("is always so: every prompt is sent as written"),
  session_id: harmless("names no other session than the connection's own"),
  timestamp: harmless("is not used: the log has the time at which the prompt arrived"),
  inline_pastes: harmless("repeats parts of message.content, which is sent unchanged"),
  isReplay: refused("is for messages that the server sends again"),
  parent_tool_use_id: refused(SUBAGENTS),
  agent_id: refused(SUBAGENTS),
  subagent_type: refused(SUBAGENTS),
  task_description: refused(SUBAGENTS),
  isSynthetic: honoured("true gives the prompt's turn, and its replay in another, the origin unclassified"),
  priority: honoured(
    "now ends the running turn and runs next; later waits for all prompts without it; next, the default, joins the running turn between calls",
  ),
  origin: refused(
    "must be human, which the result repeats: every prompt is the user's",
    (origin) =>
      origin === undefined ||
      origin === null ||
      (typeof origin === "object" && Object.keys(origin).length === 1 && Reflect.get(origin, "kind") === "human"),
  ),
  pasted_content: refused("is not supported by this version of Perch: put what was pasted into message.content"),
  tool_use_result: refused("is for results of tools, which only the server sends"),
  file_attachments: refused("is for messages that the server replays"),
}

/** The fields of a user message that Perch does not support. */
export const promptIssues = rulesCheck("user", PROMPT_FIELDS)
