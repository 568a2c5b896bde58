// A session's messages as a UI shows them: `{info, parts[]}`, the vocabulary of opencode's MessageV2.
// Invariant: the shapes are opencode's, plus the fields that only the Claude SDK knows (`sdk`, `signature`,
// `redacted-reasoning`). Times are milliseconds since 1970, costs are US dollars, `tokens.input` is without cache.
import * as Schema from "effect/Schema"
import { PermissionMode } from "./sdk/options/permissions.ts"

const Metadata = Schema.Record(Schema.String, Schema.Unknown)
export const Interval = Schema.Struct({ start: Schema.Finite, end: Schema.optionalKey(Schema.Finite) })
const ClosedInterval = Schema.Struct({ start: Schema.Finite, end: Schema.Finite })

/** `input` and `output` are what the API counted; `reasoning` is the part of `output` that was thinking. */
export const Tokens = Schema.Struct({
  input: Schema.Finite,
  output: Schema.Finite,
  reasoning: Schema.Finite,
  cache: Schema.Struct({ read: Schema.Finite, write: Schema.Finite }),
})
export type Tokens = typeof Tokens.Type

export const PartFileDiff = Schema.Struct({
  file: Schema.String,
  before: Schema.String,
  after: Schema.String,
  additions: Schema.Finite,
  deletions: Schema.Finite,
  status: Schema.optionalKey(Schema.Literals(["added", "deleted", "modified"])),
  /** True when one of the sides is no text: both are then empty. */
  binary: Schema.optionalKey(Schema.Boolean),
  /** True when a side is cut, or the file was too large to be compared. */
  truncated: Schema.optionalKey(Schema.Boolean),
})
export type PartFileDiff = typeof PartFileDiff.Type

export const ApiError = Schema.Struct({
  name: Schema.Literal("APIError"),
  data: Schema.Struct({
    message: Schema.String,
    statusCode: Schema.optionalKey(Schema.Finite),
    isRetryable: Schema.Boolean,
    responseHeaders: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    responseBody: Schema.optionalKey(Schema.String),
    metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  }),
})
export type ApiError = typeof ApiError.Type

/** Why an assistant message failed, by name. */
export const MessageError = Schema.Union([
  Schema.Struct({
    name: Schema.Literal("ProviderAuthError"),
    data: Schema.Struct({ providerID: Schema.String, message: Schema.String }),
  }),
  Schema.Struct({ name: Schema.Literal("UnknownError"), data: Schema.Struct({ message: Schema.String }) }),
  Schema.Struct({ name: Schema.Literal("MessageOutputLengthError"), data: Schema.Struct({}) }),
  Schema.Struct({ name: Schema.Literal("MessageAbortedError"), data: Schema.Struct({ message: Schema.String }) }),
  ApiError,
])
export type MessageError = typeof MessageError.Type

export const SourceText = Schema.Struct({ value: Schema.String, start: Schema.Int, end: Schema.Int })
const Position = Schema.Struct({ line: Schema.Finite, character: Schema.Finite })

/** Where the text of a file part came from. */
export const FilePartSource = Schema.Union([
  Schema.Struct({ type: Schema.Literal("file"), text: SourceText, path: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("symbol"),
    text: SourceText,
    path: Schema.String,
    range: Schema.Struct({ start: Position, end: Position }),
    name: Schema.String,
    kind: Schema.Int,
  }),
  Schema.Struct({
    type: Schema.Literal("resource"),
    text: SourceText,
    clientName: Schema.String,
    uri: Schema.String,
  }),
])
export type FilePartSource = typeof FilePartSource.Type

const base = { id: Schema.String, sessionID: Schema.String, messageID: Schema.String }

const TextPart = Schema.Struct({
  ...base,
  type: Schema.Literal("text"),
  text: Schema.String,
  /** Not written by a person: a reminder, a summary, a note of the loop. */
  synthetic: Schema.optionalKey(Schema.Boolean),
  ignored: Schema.optionalKey(Schema.Boolean),
  time: Schema.optionalKey(Interval),
  metadata: Schema.optionalKey(Metadata),
})
export type TextPart = typeof TextPart.Type

const ReasoningPart = Schema.Struct({
  ...base,
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  signature: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Metadata),
  time: Interval,
})
export type ReasoningPart = typeof ReasoningPart.Type

const RedactedReasoningPart = Schema.Struct({
  ...base,
  type: Schema.Literal("redacted-reasoning"),
  data: Schema.String,
  time: Interval,
})
export type RedactedReasoningPart = typeof RedactedReasoningPart.Type

export const FilePart = Schema.Struct({
  ...base,
  type: Schema.Literal("file"),
  mime: Schema.String,
  filename: Schema.optionalKey(Schema.String),
  url: Schema.String,
  source: Schema.optionalKey(FilePartSource),
})
export type FilePart = typeof FilePart.Type

const ToolInput = Schema.Record(Schema.String, Schema.Unknown)

export const ToolState = Schema.Union([
  Schema.Struct({
    status: Schema.Literal("pending"),
    input: ToolInput,
    raw: Schema.String,
    /** When the call began to stream, or was stored; messages of earlier versions have none. */
    time: Schema.optionalKey(Schema.Struct({ start: Schema.Finite })),
  }),
  Schema.Struct({
    status: Schema.Literal("running"),
    input: ToolInput,
    title: Schema.optionalKey(Schema.String),
    metadata: Schema.optionalKey(Metadata),
    time: Schema.Struct({ start: Schema.Finite }),
  }),
  Schema.Struct({
    status: Schema.Literal("completed"),
    input: ToolInput,
    output: Schema.String,
    title: Schema.String,
    metadata: Metadata,
    time: Schema.Struct({ ...ClosedInterval.fields, compacted: Schema.optionalKey(Schema.Finite) }),
    attachments: Schema.optionalKey(Schema.Array(FilePart)),
  }),
  Schema.Struct({
    status: Schema.Literal("error"),
    input: ToolInput,
    error: Schema.String,
    metadata: Schema.optionalKey(Metadata),
    time: ClosedInterval,
  }),
])
export type ToolState = typeof ToolState.Type

export const ToolPart = Schema.Struct({
  ...base,
  type: Schema.Literal("tool"),
  callID: Schema.String,
  tool: Schema.String,
  state: ToolState,
  metadata: Schema.optionalKey(Metadata),
})
export type ToolPart = typeof ToolPart.Type

const AgentPart = Schema.Struct({
  ...base,
  type: Schema.Literal("agent"),
  name: Schema.String,
  source: Schema.optionalKey(SourceText),
})

const SubtaskPart = Schema.Struct({
  ...base,
  type: Schema.Literal("subtask"),
  prompt: Schema.String,
  description: Schema.String,
  agent: Schema.String,
  command: Schema.optionalKey(Schema.String),
})

const StepStartPart = Schema.Struct({
  ...base,
  type: Schema.Literal("step-start"),
  snapshot: Schema.optionalKey(Schema.String),
})

const StepFinishPart = Schema.Struct({
  ...base,
  type: Schema.Literal("step-finish"),
  reason: Schema.String,
  snapshot: Schema.optionalKey(Schema.String),
  cost: Schema.Finite,
  tokens: Tokens,
  precomputedDiff: Schema.optionalKey(Schema.Array(PartFileDiff)),
})

const SnapshotPart = Schema.Struct({ ...base, type: Schema.Literal("snapshot"), snapshot: Schema.String })

const PatchPart = Schema.Struct({
  ...base,
  type: Schema.Literal("patch"),
  hash: Schema.String,
  files: Schema.Array(Schema.String),
})

const RetryPart = Schema.Struct({
  ...base,
  type: Schema.Literal("retry"),
  attempt: Schema.Finite,
  error: ApiError,
  time: Schema.Struct({ created: Schema.Finite }),
})

const CompactionPart = Schema.Struct({ ...base, type: Schema.Literal("compaction"), auto: Schema.Boolean })

export const Part = Schema.Union([
  TextPart,
  ReasoningPart,
  RedactedReasoningPart,
  ToolPart,
  FilePart,
  AgentPart,
  SubtaskPart,
  StepStartPart,
  StepFinishPart,
  SnapshotPart,
  PatchPart,
  RetryPart,
  CompactionPart,
])
export type Part = typeof Part.Type

export const UserInfo = Schema.Struct({
  id: Schema.String,
  sessionID: Schema.String,
  role: Schema.Literal("user"),
  time: Schema.Struct({ created: Schema.Finite }),
  summary: Schema.optionalKey(
    Schema.Struct({
      title: Schema.optionalKey(Schema.String),
      body: Schema.optionalKey(Schema.String),
      diffs: Schema.Array(PartFileDiff),
    }),
  ),
  permissionMode: PermissionMode,
  /** The agent that the prompt is for: `default`. */
  agent: Schema.String,
  model: Schema.Struct({ providerID: Schema.String, modelID: Schema.String }),
  system: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Record(Schema.String, Schema.Boolean)),
  variant: Schema.optionalKey(Schema.String),
  sdk: Schema.optionalKey(
    Schema.Struct({
      uuid: Schema.optionalKey(Schema.String),
      parentToolUseId: Schema.optionalKey(Schema.String),
      queued: Schema.optionalKey(Schema.Literal(true)).annotate({
        description: "Of a prompt whose turn has not started. If such a prompt is cancelled, its message is removed.",
      }),
      conversationReset: Schema.optionalKey(Schema.Literal(true)).annotate({
        description: "Of a prompt that started a new conversation: the model gets none of the messages before it.",
      }),
    }),
  ),
})
export type UserInfo = typeof UserInfo.Type

export const AssistantInfo = Schema.Struct({
  id: Schema.String,
  sessionID: Schema.String,
  role: Schema.Literal("assistant"),
  /** The user message that this one answers. */
  parentID: Schema.String,
  modelID: Schema.String,
  providerID: Schema.String,
  mode: Schema.String,
  /** The same as `mode`, under the name that opencode uses now. */
  agent: Schema.String,
  permissionMode: PermissionMode,
  path: Schema.Struct({ cwd: Schema.String, root: Schema.String }),
  time: Schema.Struct({ created: Schema.Finite, completed: Schema.optionalKey(Schema.Finite) }),
  error: Schema.optionalKey(MessageError),
  cost: Schema.Finite,
  tokens: Tokens,
  /** The API's stop reason, or `cancelled`. */
  finish: Schema.optionalKey(Schema.String),
  summary: Schema.optionalKey(Schema.Boolean),
  sdk: Schema.Struct({
    uuid: Schema.String,
    sessionId: Schema.String,
    parentToolUseId: Schema.optionalKey(Schema.String),
    /**
     * Milliseconds: `api` for the model request, `total` until all of its calls had their results. Absent when unknown, as in
     * histories of other servers.
     */
    duration: Schema.optionalKey(Schema.Struct({ total: Schema.Finite, api: Schema.Finite })),
    /** True when the model has no price: `cost` then leaves its request out. */
    unpriced: Schema.optionalKey(Schema.Boolean),
  }),
})
export type AssistantInfo = typeof AssistantInfo.Type

export const MessageInfo = Schema.Union([UserInfo, AssistantInfo])
export type MessageInfo = typeof MessageInfo.Type

export const Message = Schema.Struct({ info: MessageInfo, parts: Schema.Array(Part) }).annotate({
  identifier: "Message",
})
export type Message = typeof Message.Type
