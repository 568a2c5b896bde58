// What happens in a run, in the words and the order of OpenClaw's runner: each step is one call of its callbacks.
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

/** A block of a reply, while the run goes on. */
export interface BlockReply extends ReplyPayload {
  /** It answers the message that the run was started with. */
  readonly replyToCurrent?: boolean
  /** It names the message that it answers. */
  readonly replyToTag?: boolean
  readonly reaction?: { readonly emoji: string; readonly replyToCurrent?: boolean }
}

/** What happened to the run; `shown` is what its callback gets of `data`. */
export interface AgentStep {
  readonly kind: "agent_event"
  readonly stream: "lifecycle" | "tool" | "assistant" | "compaction" | "thinking" | "error"
  readonly data: Readonly<Record<string, unknown>>
  /** Undefined where there is no callback. */
  readonly shown?: Readonly<Record<string, unknown>>
}

export type ReplyStep =
  | AgentStep
  | { readonly kind: "assistant_message_start" | "block_reply_flush" }
  | ({ readonly kind: "partial_reply" } & Pick<ProgressStep, "text" | "mediaUrls">)
  | { readonly kind: "reasoning_stream"; readonly text: string }
  | ({ readonly kind: "tool_result" } & ToolResultReply)
  | ({ readonly kind: "block_reply" } & BlockReply)

/** A step at its time; `commit` and `rollback` are for those who send steps before they are certain. */
export type RunStep =
  | { readonly runId: string; readonly ts: number; readonly step: ReplyStep }
  /** What was sent up to here is certain. */
  | "commit"
  /** What was sent since the last `commit` comes again, as far as it was right. */
  | "rollback"
