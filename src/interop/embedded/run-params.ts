// The parameters of `runEmbeddedAgent`: those of `POST /v1/runs`, and those that only a process can have: callbacks, gates, a
// signal.
import type { AgentRunRequest } from "../../schemas/runs/run-request.ts"
import type { RunPayload } from "../../schemas/runs/run-result.ts"
import type { CLIENT_RUNTIME, RunRuntime } from "../../schemas/runs/run-runtime.ts"

type Later = void | Promise<void>

/** The content of a partial reply, of reasoning, or of a tool call's result. */
export interface ReplyPart {
  readonly text?: string
  readonly mediaUrls?: ReadonlyArray<string>
}

/** A complete block of the reply. */
export interface BlockReply extends RunPayload {
  /** Whether the reply itself names the message that it replies to. */
  readonly replyToTag?: boolean
  readonly replyToCurrent?: boolean
}

/** An event of the run; `stream` names its kind. */
export interface AgentEvent {
  readonly stream: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Callbacks, called in the order of the run's frames. Only `onBlockReplyFlush` is awaited before the next call. */
export interface RunCallbacks {
  /** A message of the model starts. */
  readonly onAssistantMessageStart?: () => Later
  /** The text of the message so far. */
  readonly onPartialReply?: (reply: ReplyPart) => Later
  /** A block of the reply is complete. */
  readonly onBlockReply?: (reply: BlockReply) => Later
  /** All blocks so far should be shown, because a tool runs next. */
  readonly onBlockReplyFlush?: () => Later
  /** The model's reasoning so far, with `reasoningLevel: "stream"`. */
  readonly onReasoningStream?: (reasoning: ReplyPart) => Later
  readonly onReasoningEnd?: () => Later
  /** A tool call has ended; see `shouldEmitToolResult`. */
  readonly onToolResult?: (result: ReplyPart) => Later
  readonly onAgentEvent?: (event: AgentEvent) => Later
}

/** The argument of `before_agent_start`. */
export interface BeforeAgentStart {
  readonly prompt: string
  readonly messages: ReadonlyArray<unknown>
}

/** The argument of `agent_end`: how the run ended. */
export interface AgentEnd {
  /** The payloads of the run. */
  readonly messages: ReadonlyArray<RunPayload>
  readonly success: boolean
  readonly error?: string
  readonly durationMs: number
}

/** The run for which a hook is called. */
export interface HookContext {
  readonly sessionId: string
  readonly sessionKey?: string
  readonly runId: string
  readonly workspaceDir?: string
}

/** Hooks that run in this process. */
export interface RunHooks {
  /** Called when the run reaches the head of its lane in this process. `prependContext` is put before the prompt. */
  readonly before_agent_start?: (
    event: BeforeAgentStart,
    context: HookContext,
  ) => Promise<{ readonly prependContext?: string } | void> | { readonly prependContext?: string } | void
  /** Called when the run has ended; not awaited. */
  readonly agent_end?: (event: AgentEnd, context: HookContext) => Later
}

/** Parameters of channel runners that are accepted but have no effect here; `docs/runs.md` says why. */
type HarmlessParam =
  | "sessionFile"
  | "agentDir"
  | "agentId"
  | "trigger"
  | "inputProvenance"
  | "spawnedBy"
  | "ownerNumbers"
  | "senderId"
  | "senderName"
  | "senderUsername"
  | "senderE164"
  | "senderIsOwner"
  | "messageChannel"
  | "currentChannelId"
  | "currentThreadTs"
  | "replyToMode"
  | "hasRepliedRef"
  | "originatingChannel"
  | "originatingSenderId"
  | "disableMessageTool"
  | "requireExplicitMessageTarget"
  | "authProfileId"
  | "authProfileIdSource"
  | "allowTransientCooldownProbe"
  | "toolResultFormat"

/** `query` of the official SDK. */
export type SdkQuery = (call: {
  readonly prompt: AsyncIterable<unknown>
  readonly options: Record<string, unknown>
}) => AsyncIterable<unknown> & { readonly interrupt?: () => Promise<unknown> }

/** The functions that the runtime `claude-sdk` uses; absent ones are imported from the installed packages. */
export interface ClaudeSdk {
  readonly query?: SdkQuery
  /** `spawnPerch` of `perch/client`, or a replacement. */
  readonly spawn?: (server: { readonly url: string; readonly apiKey: string; readonly sessionId: string }) => unknown
}

export type EmbeddedRunParams = Omit<AgentRunRequest, "runId" | "runtime" | "hooks"> & {
  readonly [name in HarmlessParam]?: unknown
} & RunCallbacks & {
    /** The server; by default that of PERCH_URL and PERCH_API_KEY in the process's environment. */
    readonly perch?: { readonly url: string; readonly apiKey: string; readonly fetch?: typeof fetch }
    readonly runId: string
    /** By default PERCH_RUNTIME of the process, then that of the server. Read when the run reaches the head of its lane. */
    readonly runtime?: RunRuntime | typeof CLIENT_RUNTIME
    /** Stops the run, whose result then has the payloads so far and `meta.aborted`. */
    readonly abortSignal?: AbortSignal
    /** Called for each ended tool call; without it, results are emitted when `verboseLevel` is `on` or `full`. */
    readonly shouldEmitToolResult?: () => boolean
    /** Called once, when the run starts. */
    readonly shouldEmitToolOutput?: () => boolean
    readonly hooks?: RunHooks
    readonly claudeSdk?: ClaudeSdk
  }
