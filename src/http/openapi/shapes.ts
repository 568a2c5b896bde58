// The document's names for shapes that several others contain: content blocks, usage, permissions, options, parts, and every
// message of the SDK.
// Invariant: inner shapes precede the shapes that contain them, because a shape can only refer to those named before it.
import * as Schema from "effect/Schema"
import { AuditAction } from "../../store/audit.ts"
import { Scope, TicketRole } from "../../schemas/access.ts"
import * as Reply from "../../schemas/interop/reply-settings.ts"
import * as Parts from "../../schemas/parts.ts"
import { OnBusy } from "../../schemas/rpc/turns.ts"
import { SessionState } from "../../schemas/rpc/session.ts"
import * as Answers from "../../schemas/sdk/control/ask-answers.ts"
import * as Stream from "../../schemas/api/stream-events.ts"
import {
  AssistantMessageBody,
  ContentBlockDelta,
  StopReason,
  StreamEvent,
} from "../../schemas/sdk/messages/api-message.ts"
import * as Blocks from "../../schemas/sdk/messages/content-blocks.ts"
import { HttpHook, HttpHookMatcher, HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import { McpSdkServerConfig, McpServerToolPolicy } from "../../schemas/sdk/options/mcp-config.ts"
import { AuthorizationCode, ClientCredentials } from "../../schemas/sdk/options/mcp-oauth.ts"
import { McpUnusedEntry, McpHttpEntry, McpRemoteEntry, McpSseEntry } from "../../schemas/sdk/options/mcp-entries.ts"
import * as Values from "../../schemas/sdk/messages/message-values.ts"
import * as Options from "../../schemas/sdk/options/options.ts"
import { ClientTool, ClientToolAnswer } from "../../schemas/sdk/tools/client-tools.ts"
import * as Permissions from "../../schemas/sdk/options/permissions.ts"
import * as Usage from "../../schemas/sdk/messages/usage.ts"
import * as UsageValues from "../../schemas/sdk/messages/usage-values.ts"
import type { NamedShape, NamedUnion } from "./components.ts"
import { MESSAGE_SHAPES } from "./message-shapes.ts"

const shape = (schema: Schema.Top, description: string, suffix?: string): NamedShape => ({
  schema,
  description,
  closed: true,
  ...(suffix === undefined ? {} : { suffix }),
})

/** A shape that only answers contain. */
const given = (...args: Parameters<typeof shape>): NamedShape => ({ ...shape(...args), closed: false })

const [allowed, denied] = Permissions.PermissionResult.members
const [approved, rejected] = Answers.PlanAnswer.members

export const NAMED_SHAPES: Readonly<Record<string, NamedShape | NamedUnion>> = {
  PermissionMode: shape(Permissions.PermissionMode, "What a session may do without asking. `auto` runs as `default`."),
  SessionState: shape(SessionState, "Whether a turn is running, waiting for an answer of a client, or neither."),
  OnBusy: shape(
    OnBusy,
    "What to do while a turn is running: queue the prompt, interrupt the turn, or refuse with a 409.",
  ),
  Scope: shape(Scope, "What an API key may do."),
  TicketRole: shape(TicketRole, "What a ticket may do in its session."),
  AuditAction: shape(AuditAction, "The action, as `noun:past verb`."),
  Effort: shape(Options.Effort, "How much effort the model puts into an answer."),
  StopReason: shape(StopReason, "Why the model stopped."),
  TerminalReason: shape(Values.TerminalReason, "Why a turn ended."),
  AssistantMessageError: shape(Values.SDKAssistantMessageError, "Why a model request failed."),
  FastModeState: shape(Values.FastModeState, "The state of the API's fast mode; Perch does not use it."),
  FastModeDisabledReason: shape(Values.FastModeDisabledReason, "Why fast mode is off."),
  ApiKeySource: shape(Values.ApiKeySource, "The source of the key for model requests."),
  StartupFailureReason: shape(
    Values.SDKStartupFailureReason,
    "Why a local installation did not start; Perch never sends it.",
  ),
  CacheControl: given(Blocks.CacheControl, "Marks the end of a prefix that the API caches."),
  Base64ImageSource: given(Blocks.Base64ImageSource, "An image in base64."),
  UrlSource: given(Blocks.UrlSource, "Content that the API fetches."),
  FileSource: given(Blocks.FileSource, "A file that was uploaded to the API."),
  TextBlock: given(Blocks.TextBlock, "Text."),
  ImageBlock: given(Blocks.ImageBlock, "An image, at most 5 MB."),
  DocumentBlock: given(Blocks.DocumentBlock, "A PDF or plain text."),
  SearchResultBlock: given(Blocks.SearchResultBlock, "A search result that the model may cite."),
  ToolUseBlock: given(Blocks.ToolUseBlock, "A tool call of the model."),
  AssistantContentBlock: given(
    Blocks.AssistantContentBlock,
    "A block of an assistant message. The API may add types: ignore unknown ones.",
    "Block",
  ),
  ToolResultBlock: given(Blocks.ToolResultBlock, "The result of a tool call.", "Block"),
  ContentBlock: given(
    Blocks.UserContentBlock,
    "A block that a request may contain. The API may add types: ignore unknown ones.",
    "Block",
  ),
  MessageParam: given(Blocks.MessageParam, "One message of a model request."),
  CacheCreation: given(Usage.CacheCreation, "Tokens written to the cache, by TTL."),
  IterationsUsage: given(Usage.IterationsUsage, "The steps that one request took on the API's side.", "Iteration"),
  OutputTokensDetails: given(Usage.OutputTokensDetails, "The output tokens by kind."),
  ServerToolUsage: given(Usage.ServerToolUsage, "Calls of the API's own tools."),
  FallbackCreditUsage: given(Usage.FallbackCreditUsage, "Whether the credit for a refused request was used."),
  ApiUsage: given(Usage.ApiUsage, "The tokens of one model request, as the Messages API counts them."),
  ApiDeltaUsage: given(Usage.ApiDeltaUsage, "The tokens of a model request so far."),
  Usage: given(Usage.NonNullableUsage, "The tokens of a turn."),
  ModelUsage: given(Usage.ReportedModelUsage, "Usage and cost of one model."),
  CostBreakdown: given(Usage.CostBreakdown, "USD by kind of token; the total is their sum."),
  AssistantMessageBody: given(AssistantMessageBody, "A response of the Messages API."),
  ContentBlockDelta: given(ContentBlockDelta, "What is added to a content block while it streams.", ""),
  StreamEvent: given(StreamEvent, "A raw event of the Messages API while an answer streams.", "Event"),
  PermissionRule: shape(Permissions.PermissionRuleValue, "A permission rule, such as `Bash(git status:*)`."),
  PermissionUpdate: shape(Permissions.PermissionUpdate, "A change to the session's permissions.", "Update"),
  PermissionDenial: given(Values.SDKPermissionDenial, "A tool call that was not allowed to run."),
  MessageOrigin: given(Values.SDKMessageOrigin, "What added a user message to the conversation.", "Origin"),
  ContextUsage: given(UsageValues.SDKContextUsage, "Usage of the model's context window."),
  UsageReport: given(UsageValues.SDKUsageReport, "Usage of a session, with the limits of its plan if it has one."),
  HttpHook: shape(HttpHook, "A URL that a session posts a hook event to."),
  HttpHookMatcher: shape(HttpHookMatcher, "Hooks of one event that share a matcher."),
  HttpHooks: shape(HttpHookMatchers, "URLs that a session posts hook events to, by event."),
  McpToolPolicy: shape(McpServerToolPolicy, "The host's permissions for one tool of an MCP server."),
  McpClientCredentials: shape(ClientCredentials, "Signs in to an MCP server as a client."),
  McpAuthorizationCode: shape(AuthorizationCode, "Signs in to an MCP server on behalf of a user, who visits a page."),
  McpHttpServer: shape(McpHttpEntry, "An MCP server over streamable HTTP."),
  McpSseServer: shape(McpSseEntry, "An MCP server over SSE, the transport that streamable HTTP replaced."),
  McpRemoteServer: shape(McpRemoteEntry, "A remote MCP server as opencode configures it."),
  McpUnusedServer: shape(McpUnusedEntry, "An MCP server that is disabled, or an entry without a type."),
  McpSdkServer: shape(McpSdkServerConfig, "An MCP server inside the client, reached over its control connection."),
  ClientTool: shape(ClientTool, "A tool that your app runs."),
  SystemPrompt: shape(
    Options.SystemPrompt,
    "Your own system prompt, or the preset with appended text.",
    "SystemPrompt",
  ),
  BlockReplyChunking: shape(Reply.BlockReplyChunking, "The minimum and maximum size of the blocks of a reply."),
  ReplyRoute: shape(Reply.ReplyRoute, "The destination of a message."),
  ReplySettings: shape(Reply.ReplySettings, "Settings of the replies for a chat channel."),
  MessagingTool: shape(Reply.MessagingTool, "A tool that sends messages itself."),
  WorkspaceLimits: shape(Options.WorkspaceLimits, "How much a session's workspace may contain."),
  OutputFormat: shape(Options.OutputFormat, "The format of a turn's `structured_output`."),
  ThinkingConfig: shape(Options.ThinkingConfig, "How the model thinks before it answers.", "Thinking"),
  SessionSettings: shape(
    Options.SessionSettings,
    "Settings of a session: permission rules, mode, directories, effort.",
  ),
  SourceText: given(Parts.SourceText, "A text and its position in its source."),
  Interval: given(Parts.Interval, "A start and end time, in milliseconds since 1970."),
  PartTokens: given(Parts.Tokens, "Token counts; `input` excludes the cache."),
  PartFileDiff: given(Parts.PartFileDiff, "What changed in one file."),
  PartApiError: given(Parts.ApiError, "A failed model request."),
  MessageError: given(Parts.MessageError, "Why an assistant message failed, by name."),
  PartSource: given(Parts.FilePartSource, "The source of a file part's text.", "PartSource"),
  FilePart: given(Parts.FilePart, "A file of a message."),
  ToolState: given(Parts.ToolState, "The state of a tool call.", "ToolState"),
  Part: given(Parts.Part, "A part of a message, in the form that user interfaces show.", "Part"),
  UserInfo: given(Parts.UserInfo, "A user message without its parts."),
  AssistantInfo: given(Parts.AssistantInfo, "An assistant message without its parts."),
  MessageInfo: given(Parts.MessageInfo, "A message without its parts."),
  Message: given(Parts.Message, "A message and its parts."),
  ...MESSAGE_SHAPES,
  PermissionResultAllow: shape(allowed, "The call may run."),
  PermissionResultDeny: shape(denied, "The call may not run."),
  PlanAnswerAllow: shape(approved, "The plan is approved."),
  PlanAnswerDeny: shape(rejected, "The plan is rejected and has to be revised."),
  QuestionAnswer: shape(Answers.QuestionAnswer, "The answers to the model's questions, by question."),
  ClientToolAnswer: shape(ClientToolAnswer, "The result of a call of your own tool."),
  ElicitAnswer: shape(Answers.ElicitAnswer, "The answer to a question of an MCP server."),
  ReplyAnswer: shape(
    Answers.ReplyAnswer,
    "An answer to a permission in opencode's terms; it can't be combined with other fields.",
  ),
  // Flat, because code generators support a union of objects as a body, but not a union of unions.
  AskAnswer: {
    union: [
      "PermissionResultAllow",
      "PermissionResultDeny",
      "PlanAnswerAllow",
      "PlanAnswerDeny",
      "QuestionAnswer",
      "ClientToolAnswer",
      "ElicitAnswer",
      "ReplyAnswer",
    ],
    description: "The answer to an ask, by its `kind`.",
  },
  AskEvent: given(Stream.AskEvent, "An open ask, as `GET …/permissions` lists it. The event's name is `ask`."),
  AskSettledEvent: given(
    Stream.AskSettledEvent,
    "An ask was settled: by what, and with which outcome. The event's name is `ask_settled`.",
  ),
  TurnCancelledEvent: given(
    Stream.TurnCancelledEvent,
    "The prompt of this stream was cancelled before it ran, or its session was deleted. The stream ends. The event's name is `turn_cancelled`.",
  ),
  LaneWaitingEvent: given(
    Stream.LaneWaitingEvent,
    "The turn waits because its tenant's maximum number of turns is running, or its position in the queue changed. The event's name is `lane_waiting`.",
  ),
  LaneEnteredEvent: given(
    Stream.LaneEnteredEvent,
    "The turn has left the tenant's queue. The event's name is `lane_entered`.",
  ),
  LiveEvent: {
    union: ["SDKMessage", "AskEvent", "AskSettledEvent", "TurnCancelledEvent", "LaneWaitingEvent", "LaneEnteredEvent"],
    description: "What a stream sends, by `type`: messages of the SDK, and events of Perch's own.",
  },
}
