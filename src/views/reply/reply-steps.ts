// The steps of a run, with the names and in the order of OpenClaw's runner: each step is one call of one of its callbacks.
import type { ProgressStep } from "./progress.ts"
import type { ToolResultReply } from "./tool-output.ts"

/** One reply as a channel delivers it. */
export interface ReplyPayload {
  readonly text?: string
  readonly mediaUrl?: string
  readonly mediaUrls?: ReadonlyArray<string>
  readonly replyToId?: string
  readonly isError?: boolean
  readonly isReasoning?: boolean
  readonly audioAsVoice?: boolean
}

/** A block of a reply that is sent while the run continues. */
export interface BlockReply extends ReplyPayload {
  /** The block answers the message that started the run. */
  readonly replyToCurrent?: boolean
  /** The model chose the message to answer with a directive. */
  readonly replyToTag?: boolean
  readonly reaction?: { readonly emoji: string; readonly replyToCurrent?: boolean }
}

/** An event of the run; `shown` is the part of `data` that its callback receives. */
export interface AgentStep {
  readonly kind: "agent_event"
  readonly stream: "lifecycle" | "tool" | "assistant" | "compaction" | "thinking" | "error"
  readonly data: Readonly<Record<string, unknown>>
  /** Undefined for events without a callback. */
  readonly shown?: Readonly<Record<string, unknown>>
}

export const agentStep = (stream: AgentStep["stream"], data: AgentStep["data"], shown = data): AgentStep => ({
  kind: "agent_event",
  stream,
  data,
  shown,
})

export type ReplyStep =
  | AgentStep
  | { readonly kind: "assistant_message_start" | "block_reply_flush" }
  | ({ readonly kind: "partial_reply" } & Pick<ProgressStep, "text" | "mediaUrls">)
  | { readonly kind: "reasoning_stream"; readonly text: string }
  | ({ readonly kind: "tool_result" } & ToolResultReply)
  | ({ readonly kind: "block_reply" } & BlockReply)

/** A step with its time (ms); `commit` and `rollback` are for readers that send steps before they are durable. */
export type RunStep =
  | { readonly runId: string; readonly ts: number; readonly step: ReplyStep }
  /** All steps up to here are durable. */
  | "commit"
  /** The steps since the last `commit` are void; those of them that were right are sent again. */
  | "rollback"
