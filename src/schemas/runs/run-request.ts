// The body of `POST /v1/runs`: the parameters of one run, under the names that callers of a channel runner use.
// Invariant: every field here works; `RUN_FIELDS` also lists those that are accepted and change nothing, and refused ones.
import * as Schema from "effect/Schema"
import { AbsolutePath } from "../absolute-path.ts"
import { Base64 } from "../base64.ts"
import { ReplySettings } from "../interop/reply-settings.ts"
import { HttpHookMatcher } from "../sdk/hooks/http-hooks.ts"
import { OnBusy } from "../rpc/turns.ts"
import { SessionOptions } from "../sdk/options/options.ts"
import { PlayedRecording } from "../sdk/options/session-runtime.ts"
import { ClientToolAnswer, ClientTools } from "../sdk/tools/client-tools.ts"
import { CLIENT_RUNTIME, RunRuntime } from "./run-runtime.ts"

const opt = Schema.optionalKey
const Id = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(128),
  // oxlint-disable-next-line no-control-regex -- readers of the document need not know \p{Cc}
  Schema.isPattern(/^[^\u0000-\u001f\u007f]*$/, { message: "Expected a text without control characters" }),
)

/** The id of a session as a run's caller names it. */
export const RunSessionId = Id.annotate({
  description: "A UUID is the session's own id. From any other text the session's id is derived.",
})
export const AgentRunId = Id.annotate({ description: "The run's id. A request with the same id is the same run." })

/** The longest run in milliseconds: a day. */
const MAX_RUN_MS = 24 * 60 * 60 * 1000
const Timeout = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_RUN_MS })).annotate({
  description:
    "Maximum duration of the run in milliseconds, from the start of its turn; time in the queue does not count.",
})

const Image = Schema.Struct({
  type: Schema.Literal("image"),
  data: Base64.annotate({ description: "Base64." }),
  mimeType: Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"]),
})

const FunctionTool = Schema.Struct({
  type: Schema.Literal("function"),
  function: Schema.Struct({
    name: Schema.String,
    description: opt(Schema.String),
    parameters: opt(Schema.Record(Schema.String, Schema.Unknown)),
  }),
})
export type FunctionTool = typeof FunctionTool.Type

/** Function tools in the form in which a session's options declare them. */
export const declaredTools = (tools: ReadonlyArray<FunctionTool>): ReadonlyArray<unknown> =>
  tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description: description === undefined || description === "" ? name : description,
    inputSchema: parameters ?? { type: "object", properties: {} },
  }))

const isDeclarable = Schema.is(ClientTools)

const FunctionTools = Schema.Array(FunctionTool).check(
  Schema.isMaxLength(50),
  Schema.makeFilter((tools: ReadonlyArray<FunctionTool>) =>
    isDeclarable(declaredTools(tools))
      ? undefined
      : "Expected tools with names of 1 to 64 of A-Z, a-z, 0-9, _ and -, each once, that no built-in tool has, and descriptions of at most 5,000 characters",
  ),
)

const ToolResult = Schema.Struct({
  id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
    description: "The `id` of a pending tool call.",
  }),
  content: ClientToolAnswer.fields.content,
  isError: opt(Schema.Boolean),
})
export type ToolResult = typeof ToolResult.Type

const matchers = opt(Schema.Array(HttpHookMatcher).check(Schema.isMaxLength(20)))

/** The hooks of a run: `before_agent_start` fires as UserPromptSubmit, `agent_end` as Stop or StopFailure. */
const RunHttpHooks = Schema.Struct({ before_agent_start: matchers, agent_end: matchers }).annotate({
  identifier: "RunHttpHooks",
})

const ThinkLevel = Schema.Literals(["off", "minimal", "low", "medium", "high", "xhigh", "max", "adaptive"])

export const AgentRunRequest = Schema.Struct({
  sessionId: RunSessionId,
  runId: opt(AgentRunId),
  prompt: opt(Schema.String.check(Schema.isMinLength(1))),
  images: opt(Schema.Array(Image).check(Schema.isMaxLength(50))),
  toolResults: opt(Schema.Array(ToolResult).check(Schema.isMinLength(1), Schema.isMaxLength(50))),
  timeoutMs: Timeout,
  runtime: opt(
    Schema.Union([RunRuntime, Schema.Literal(CLIENT_RUNTIME)]).annotate({
      description: "`claude-sdk` is refused here: only `runEmbeddedAgent` supports it.",
    }),
  ),
  recording: opt(PlayedRecording),
  sessionKey: opt(Id),
  lane: opt(Schema.Literal("main")),
  workspaceDir: opt(AbsolutePath),
  model: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  provider: opt(Schema.Literal("anthropic")),
  thinkLevel: opt(ThinkLevel),
  extraSystemPrompt: opt(Schema.String.check(Schema.isMaxLength(100_000))),
  disableTools: opt(Schema.Boolean),
  clientTools: opt(FunctionTools),
  /** How replies are shaped: the whole session option `reply`, or single fields under the names that such callers send. */
  reply: opt(ReplySettings),
  reasoningLevel: ReplySettings.fields.reasoningLevel,
  verboseLevel: opt(Schema.Literals(["off", "on", "full"])),
  blockReplyBreak: ReplySettings.fields.blockReplyBreak,
  blockReplyChunking: ReplySettings.fields.blockReplyChunking,
  enforceFinalTag: ReplySettings.fields.enforceFinalTag,
  currentMessageId: opt(Schema.Union([Id, Schema.Int])),
  messageProvider: opt(Id),
  agentAccountId: opt(Id),
  messageTo: opt(Id),
  messageThreadId: opt(Schema.Union([Id, Schema.Int])),
  /** HTTP hooks of the run. */
  hooks: opt(RunHttpHooks),
  onBusy: opt(OnBusy),
  options: opt(SessionOptions),
}).annotate({ identifier: "AgentRunRequest" })
export type AgentRunRequest = typeof AgentRunRequest.Type

/** `POST /v1/runs/{runId}/abort` */
export const AbortAgentRun = Schema.Struct({ sessionId: RunSessionId }).annotate({ identifier: "AbortAgentRun" })
