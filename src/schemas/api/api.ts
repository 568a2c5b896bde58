// The bodies of the HTTP API about sessions, prompts, asks and events: what clients send, and those responses that no other
// file in schemas/ defines.
// Invariant: every text, list and number that a client sends has a bound, and unknown fields are refused by name.
import * as Schema from "effect/Schema"
import { AbsolutePath } from "../absolute-path.ts"
import { Route } from "../interop/claude-code-config.ts"
import { Subtask } from "../interop/subtask.ts"
import { validMedia } from "../base64.ts"
import { Uuid } from "../ids.ts"
import { DocumentBlock, ImageBlock } from "../sdk/messages/content-blocks.ts"
import { ElicitAnswer, PlanAnswer, QuestionAnswer, ReplyAnswer } from "../sdk/control/ask-answers.ts"
import { ClientToolAnswer } from "../sdk/tools/client-tools.ts"
import { PermissionMode, PermissionResult } from "../sdk/options/permissions.ts"
import { OptionChanges } from "../rpc/option-changes.ts"
import { SessionOptions } from "../sdk/options/options.ts"
import { OnBusy } from "../rpc/turns.ts"
import { SessionInfo } from "../rpc/session.ts"

const Options = SessionOptions.annotate({ identifier: "SessionOptions" })

export const Session = SessionInfo.annotate({ identifier: "Session" })

/** Characters of a session's title. */
export const MAX_TITLE = 500
const Title = Schema.String.check(Schema.isMaxLength(MAX_TITLE))

const Metadata = Schema.Record(
  Schema.String.check(Schema.isMaxLength(64, { message: "Expected a name of at most 64 characters" })),
  Schema.String.check(Schema.isMaxLength(1024)),
).check(Schema.isMaxProperties(64))

/** The options for opening a session: its own, and those that select an existing session. */
const OpenOptions = Schema.Struct({
  ...SessionOptions.fields,
  /** The id of the session to resume. */
  resume: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  /** With `resume` or `continue`: creates a new session that begins with everything the other one has. */
  forkSession: Schema.optionalKey(Schema.Boolean),
  /** With `resume` or `continue`: the conversation continues after this message (its uuid). */
  resumeSessionAt: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  /** Resumes the most recently used session of the working directory; creates a session when there is none. */
  continue: Schema.optionalKey(Schema.Boolean),
}).annotate({ identifier: "OpenOptions" })

const MAX_HISTORY = 10_000

/** `POST /v1/sessions` */
export const CreateSession = Schema.Struct({
  id: Schema.optionalKey(Uuid),
  /** What to do when a session with this `id` exists: refuse (the default), or use it with these options. */
  on_exists: Schema.optionalKey(Schema.Literals(["conflict", "attach"])),
  cwd: Schema.optionalKey(AbsolutePath),
  title: Schema.optionalKey(Schema.NullOr(Title)),
  metadata: Schema.optionalKey(Metadata),
  options: Schema.optionalKey(OpenOptions),
  /**
   * SDK messages of another session, in order, that the new one begins with: the next prompt continues that
   * conversation. Nothing in them is run, counted or paid again.
   */
  history: Schema.optionalKey(
    Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).check(Schema.isMaxLength(MAX_HISTORY)),
  ),
}).annotate({ identifier: "CreateSession" })
export type CreateSession = typeof CreateSession.Type

/** `POST /v1/sessions/{id}/fork`. Missing fields are the parent's; `options` are merged with the parent's by name. */
export const ForkSession = Schema.Struct({
  /** The new session's own id. */
  id: Schema.optionalKey(Uuid),
  title: Schema.optionalKey(Schema.NullOr(Title)),
  metadata: Schema.optionalKey(Metadata),
  /** The conversation continues after this message (its uuid). */
  at: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  options: Schema.optionalKey(Options),
}).annotate({ identifier: "ForkSession" })
export type ForkSession = typeof ForkSession.Type

/** `PATCH /v1/sessions/{id}`. `model` and `permissionMode` are short for the options of the same name. */
export const PatchSession = Schema.Struct({
  title: Schema.optionalKey(Schema.NullOr(Title)),
  metadata: Schema.optionalKey(Metadata),
  model: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  permissionMode: Schema.optionalKey(PermissionMode),
  options: Schema.optionalKey(OptionChanges),
}).annotate({ identifier: "PatchSession" })
export type PatchSession = typeof PatchSession.Type

const TextBlock = Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String.check(Schema.isMinLength(1)) }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)

/** A prompt: a text, or content blocks as the Messages API accepts them. */
const PromptInput = Schema.Union([
  Schema.String.check(Schema.isMinLength(1)),
  Schema.Array(Schema.Union([TextBlock, ImageBlock, DocumentBlock])).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(200),
    validMedia,
  ),
]).annotate({ identifier: "Prompt", expected: "text or content blocks" })

/** A prompt of the control protocol: an app may send an empty one, as to the official SDK. */
export const ControlPrompt = Schema.Union([
  Schema.String,
  Schema.Array(
    Schema.Union([
      Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown),
      ]),
      ImageBlock,
      DocumentBlock,
    ]),
  ).check(Schema.isMinLength(1), Schema.isMaxLength(200)),
])

const queryFields = {
  prompt: PromptInput,
  /** The id of the turn; sending the same uuid again returns the same turn. */
  uuid: Schema.optionalKey(Uuid),
  options: Schema.optionalKey(Options),
  /** The agent that executes the prompt; without it, and without a subtask, nothing is routed. */
  route: Schema.optionalKey(Route),
  /** The prompt as a subtask; the default of its description is the prompt. */
  subtask: Schema.optionalKey(Subtask),
}

/** `POST /v1/sessions/{id}/query` */
export const QuerySession = Schema.Struct({ ...queryFields, on_busy: Schema.optionalKey(OnBusy) }).annotate({
  identifier: "QuerySession",
})
export type QuerySession = typeof QuerySession.Type

/** `POST /v1/sessions/{id}/compact`. */
export const CompactSession = Schema.Struct({
  instructions: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(10_000)).annotate({
      description: "What the summary should focus on.",
      examples: ["Keep the names of all files"],
    }),
  ),
  uuid: queryFields.uuid,
}).annotate({ identifier: "CompactSession" })

/** `POST /v1/query`: a new session and its first prompt. */
export const Query = Schema.Struct({
  ...queryFields,
  on_busy: Schema.optionalKey(OnBusy),
  cwd: Schema.optionalKey(AbsolutePath),
  title: Schema.optionalKey(Schema.NullOr(Title)),
  metadata: Schema.optionalKey(Metadata),
}).annotate({ identifier: "Query" })
export type Query = typeof Query.Type

/** The answer to an ask, by its kind: as `canUseTool` returns it, or shorter for a question and a plan; a tool's result. */
export const AnswerAsk = Schema.Union([
  PermissionResult.annotate({ identifier: "PermissionResult" }),
  PlanAnswer.annotate({ identifier: "PlanAnswer" }),
  QuestionAnswer.annotate({ identifier: "QuestionAnswer" }),
  ClientToolAnswer.annotate({ identifier: "ClientToolAnswer" }),
  ElicitAnswer.annotate({ identifier: "ElicitAnswer" }),
  ReplyAnswer.annotate({ identifier: "ReplyAnswer" }),
]).annotate({ identifier: "AskAnswer" })

/** An item of TodoWrite's list or of the task list, as a user interface shows it. */
export const TodoEntry = Schema.Struct({
  id: Schema.String,
  content: Schema.String,
  status: Schema.Literals(["pending", "in_progress", "completed"]),
  priority: Schema.Literal("medium"),
  activeForm: Schema.String,
}).annotate({ identifier: "TodoEntry" })
export type TodoEntry = typeof TodoEntry.Type

/** An open ask as a client sees it. Times are ISO 8601. */
export const PendingAsk = Schema.Struct({
  request_id: Schema.String,
  kind: Schema.String,
  turn_id: Schema.String,
  tool_name: Schema.String,
  tool_use_id: Schema.String,
  agent_id: Schema.optionalKey(Schema.String),
  input: Schema.Record(Schema.String, Schema.Unknown),
  suggestions: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  decision_reason: Schema.optionalKey(Schema.String),
  decision_reason_type: Schema.optionalKey(Schema.String),
  blocked_path: Schema.optionalKey(Schema.String),
  permission: Schema.optionalKey(
    Schema.String.annotate({ description: "Of a permission: its name in opencode's terms." }),
  ),
  patterns: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The commands, paths or names that need the permission." }),
  ),
  always: Schema.optionalKey(
    Schema.Array(Schema.Struct({ permission: Schema.String, pattern: Schema.String })).annotate({
      description: "What the reply `always` would save; when it is empty, that reply is refused.",
    }),
  ),
  created_at: Schema.String,
  expires_at: Schema.String,
}).annotate({ identifier: "PendingAsk" })
export type PendingAsk = typeof PendingAsk.Type

/** The name by which a client of the control protocol is known to the session. */
export const ClientName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: "Expected 1 to 64 of A-Z, a-z, 0-9, _ and -" }),
)

const open = [Schema.Record(Schema.String, Schema.Unknown)] as const

/** A frame of the SDK's control protocol that a client sends: a user message, a request or an answer. */
const ControlFrame = Schema.StructWithRest(Schema.Struct({ type: Schema.String }), open).annotate({
  identifier: "ControlFrame",
})

/**
 * `POST /v1/sessions/{id}/events`: the official browser SDK's write side. The envelope is that SDK's own, so it may contain
 * more than is read here.
 */
export const SendEvents = Schema.StructWithRest(
  Schema.Struct({
    /** This session's id, or empty. */
    session_id: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64))),
    events: Schema.Array(Schema.StructWithRest(Schema.Struct({ payload: ControlFrame }), open)).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
    ),
  }),
  open,
).annotate({ identifier: "SendEvents" })

/** `refused` is missing when every frame was accepted. */
export const TakenFrames = Schema.Struct({
  accepted: Schema.Int,
  refused: Schema.optionalKey(Schema.Array(Schema.Struct({ index: Schema.Int, message: Schema.String }))),
})
export type TakenFrames = typeof TakenFrames.Type

export const Event = Schema.Struct({
  seq: Schema.Int,
  name: Schema.String,
  uuid: Schema.String,
  turn: Schema.NullOr(Schema.String),
  parent_tool_use_id: Schema.NullOr(Schema.String),
  at: Schema.Int,
  payload: Schema.Unknown,
}).annotate({ identifier: "Event" })

export const EraseReceipt = Schema.Struct({
  id: Schema.String,
  deleted: Schema.Literal(true),
  deleted_at: Schema.String,
  events: Schema.Int,
  files: Schema.Int,
}).annotate({ identifier: "EraseReceipt" })
export type EraseReceipt = typeof EraseReceipt.Type

export const ErrorBody = Schema.Struct({
  type: Schema.Literal("error"),
  error: Schema.Struct({
    type: Schema.String,
    message: Schema.String,
    /** The path of the refused field, if the error is about one. */
    field: Schema.optionalKey(Schema.String),
    /** Everything that is wrong with the request, one entry per field. */
    issues: Schema.optionalKey(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))),
  }),
  request_id: Schema.String,
}).annotate({ identifier: "Error" })
