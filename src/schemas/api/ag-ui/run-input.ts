// `POST /v1/ag-ui`: what a client of the AG-UI protocol sends to run an agent.
// Invariant: every part of an input that is used is checked; of earlier messages only the shape, since the session has its own.
import * as Schema from "effect/Schema"
import { Base64 } from "../../base64.ts"
import { AnyRecord, open } from "../../sdk/open.ts"
import { SessionOptions } from "../../sdk/options/options.ts"
import { ClientTool } from "../../sdk/tools/client-tools.ts"

const opt = Schema.optionalKey
const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

const UrlSource = open({ type: Schema.Literal("url"), value: Schema.String, mimeType: opt(Schema.String) })

/** An image of a type that the model's API accepts, as base64 or by its URL. */
const ImageSource = Schema.Union([
  open({
    type: Schema.Literal("data"),
    value: Base64.annotate({ description: "Base64.", examples: ["iVBORw0KGgo="] }),
    mimeType: Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  }),
  UrlSource,
])

/** A PDF or a text, as base64 or by its URL. */
const DocumentSource = Schema.Union([
  open({
    type: Schema.Literal("data"),
    value: Base64.annotate({ description: "Base64.", examples: ["JVBERi0xLjQK"] }),
    mimeType: Schema.String.check(
      Schema.isPattern(/^(application\/pdf$|text\/)/, { message: "Expected application/pdf or text/…" }),
    ),
  }),
  UrlSource,
])

const TextPart = open({ type: Schema.Literal("text"), text: Schema.String })
const ImagePart = open({ type: Schema.Literal("image"), source: ImageSource })
const DocumentPart = open({ type: Schema.Literal("document"), source: DocumentSource })

/** A part of a message's content. Audio and video are not accepted, because models don't take them. */
export const ContentPart = Schema.Union([TextPart, ImagePart, DocumentPart])
export type ContentPart = typeof ContentPart.Type

const Content = Schema.Union([Schema.String, Schema.Array(ContentPart).check(Schema.isMaxLength(200))])

const message = <const Role extends string, Fields extends Schema.Struct.Fields>(role: Role, fields: Fields) =>
  open({ id: Id, role: Schema.Literal(role), ...fields })

export const AgUiMessage = Schema.Union([
  message("user", { content: Content }),
  message("tool", { toolCallId: Id, content: Content, error: opt(Schema.String) }),
  message("assistant", { content: opt(Schema.String), toolCalls: opt(Schema.Array(open({ id: Id }))) }),
  message("system", { content: Schema.String }),
  message("developer", { content: Schema.String }),
  message("reasoning", { content: Schema.String }),
  message("activity", { activityType: Schema.String }),
]).annotate({ identifier: "AgUiMessage", description: "A message of the conversation, as in AG-UI 1.0." })
export type AgUiMessage = typeof AgUiMessage.Type

/** A tool that the app executes. */
const AgUiTool = Schema.Struct({
  name: ClientTool.fields.name,
  description: Schema.String,
  /** A JSON Schema; without one the tool takes no parameters. */
  parameters: opt(Schema.NullOr(AnyRecord)),
  metadata: opt(Schema.Unknown),
}).annotate({ identifier: "AgUiTool", description: "A tool that the app runs." })

const AgUiContext = Schema.Struct({
  description: Schema.String.check(Schema.isMaxLength(10_000)),
  value: Schema.String.check(Schema.isMaxLength(1_000_000)),
}).annotate({ identifier: "AgUiContext", description: "Context for the prompt." })

const AgUiResume = Schema.Struct({
  interruptId: Id,
  status: Schema.Literals(["resolved", "cancelled"]),
  payload: opt(Schema.Unknown),
  metadata: opt(Schema.Unknown),
}).annotate({ identifier: "AgUiResume", description: "The answer to an interrupt." })

export const RunAgentInput = Schema.Struct({
  threadId: Id.annotate({
    description: "The conversation: a session's id, or any other text, from which a session's id is derived.",
  }),
  runId: Id.annotate({ description: "The run's id. A request with the same id streams the same run from its start." }),
  protocolVersion: opt(Schema.String.check(Schema.isMaxLength(50))),
  parentRunId: opt(Id.annotate({ description: "The run that started this one; returned unchanged." })),
  state: opt(Schema.Unknown.annotate({ description: "The client's state: an object is returned with `todos` added." })),
  messages: Schema.Array(AgUiMessage).check(Schema.isMaxLength(10_000)).annotate({
    description: "The conversation so far. The last user messages, or results of calls, are the new ones.",
  }),
  tools: opt(
    Schema.Array(AgUiTool)
      .check(Schema.isMaxLength(50))
      .annotate({ description: "Tools that the app runs: the run ends with their calls." }),
  ),
  context: opt(
    Schema.Array(AgUiContext)
      .check(Schema.isMaxLength(100))
      .annotate({ description: "Context for the prompt; the model reads it before the prompt." }),
  ),
  forwardedProps: opt(
    Schema.NullOr(open({ options: opt(SessionOptions.annotate({ identifier: "SessionOptions" })) })).annotate({
      description:
        "`options` are options of the turn; `persistSession`, `runtime` and `workspace_limits` are set by the thread's first run. The rest belongs to the app.",
    }),
  ),
  resume: opt(
    Schema.Array(AgUiResume)
      .check(Schema.isMaxLength(100))
      .annotate({ description: "Answers to the interrupts of the previous run." }),
  ),
}).annotate({ identifier: "RunAgentInput" })
export type RunAgentInput = typeof RunAgentInput.Type
