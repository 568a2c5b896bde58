// What `runEmbeddedAgent` receives: the parameters of `POST /v1/runs`, and what only a process can have: callbacks, gates, a signal.
import type { AgentRunRequest } from "../../schemas/runs/run-request.ts"
import type { RunPayload } from "../../schemas/runs/run-result.ts"
import type { CLIENT_RUNTIME, RunRuntime } from "../../schemas/runs/run-runtime.ts"

type Later = void | Promise<void>

/** What a partial reply, reasoning and the result of a tool call show. */
export interface ReplyPart {
  readonly text?: string
  readonly mediaUrls?: ReadonlyArray<string>
}

export interface BlockReply extends RunPayload {
  /** The reply names its target itself. */
  readonly replyToTag?: boolean
  readonly replyToCurrent?: boolean
}

export interface AgentEvent {
  readonly stream: string
  readonly data: Readonly<Record<string, unknown>>
}

/** They are called in the order of the run. Only `onBlockReplyFlush` is awaited before the next one. */
export interface RunCallbacks {
  /** A message of the model begins. */
  readonly onAssistantMessageStart?: () => Later
  /** The text of the message so far. */
  readonly onPartialReply?: (reply: ReplyPart) => Later
  /** A piece of the reply that is complete. */
  readonly onBlockReply?: (reply: BlockReply) => Later
  /** Every block so far is to be shown before a tool runs. */
  readonly onBlockReplyFlush?: () => Later
  /** The model's reasoning so far, with `reasoningLevel: "stream"`. */
  readonly onReasoningStream?: (reasoning: ReplyPart) => Later
  readonly onReasoningEnd?: () => Later
  /** A call of a tool has ended; see `shouldEmitToolResult`. */
  readonly onToolResult?: (result: ReplyPart) => Later
  readonly onAgentEvent?: (event: AgentEvent) => Later
}

export interface BeforeAgentStart {
  readonly prompt: string
  readonly messages: ReadonlyArray<unknown>
}

export interface AgentEnd {
  /** The payloads of the run. */
  readonly messages: ReadonlyArray<RunPayload>
  readonly success: boolean
  readonly error?: string
  readonly durationMs: number
}

export interface HookContext {
  readonly sessionId: string
  readonly sessionKey?: string
  readonly runId: string
  readonly workspaceDir?: string
}

export interface RunHooks {
  /** Called when the run's turn comes in this process's lane. `prependContext` goes before the prompt. */
  readonly before_agent_start?: (
    event: BeforeAgentStart,
    context: HookContext,
  ) => Promise<{ readonly prependContext?: string } | void> | { readonly prependContext?: string } | void
  /** Called when the run is over; not awaited. */
  readonly agent_end?: (event: AgentEnd, context: HookContext) => Later
}

/** Parameters that such callers have and that change nothing here; `docs/runs.md` says why. */
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

/** What the runtime `claude-sdk` runs with; without it both are imported from the packages that are installed. */
export interface ClaudeSdk {
  readonly query?: SdkQuery
  /** As `spawnPerch` of `perch/client` makes it. */
  readonly spawn?: (server: { readonly url: string; readonly apiKey: string; readonly sessionId: string }) => unknown
}

export type EmbeddedRunParams = Omit<AgentRunRequest, "runId" | "runtime" | "hooks"> & {
  readonly [name in HarmlessParam]?: unknown
} & RunCallbacks & {
    /** The server; PERCH_URL and PERCH_API_KEY of the process without it. */
    readonly perch?: { readonly url: string; readonly apiKey: string; readonly fetch?: typeof fetch }
    readonly runId: string
    /** PERCH_RUNTIME of the process without it, then the server's. Read when the run's turn comes in its lane. */
    readonly runtime?: RunRuntime | typeof CLIENT_RUNTIME
    /** Stops the run, which then has the payloads so far and `meta.aborted`. */
    readonly abortSignal?: AbortSignal
    /** Asked for each call of a tool that has ended; true without it when `verboseLevel` is `on` or `full`. */
    readonly shouldEmitToolResult?: () => boolean
    /** Asked when the run begins. */
    readonly shouldEmitToolOutput?: () => boolean
    readonly hooks?: RunHooks
    readonly claudeSdk?: ClaudeSdk
  }
