// The events of AG-UI 1.0 that Perch sends, and the fields of a run's input that the view needs.
// Invariant: a field without a value is omitted, because the protocol has no null.
import type { TodoEntry } from "../../schemas/api/api.ts"

/** An ask that the turn waits for; `metadata` has its kind, its tool and the tool's input. */
export interface AgUiInterrupt {
  readonly id: string
  readonly reason: string
  readonly message: string
  readonly toolCallId?: string
  readonly responseSchema: Readonly<Record<string, unknown>>
  readonly expiresAt: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly subagentRunId?: string
}

export interface AgUiUsage {
  readonly provider: "anthropic"
  readonly model: string
  /** All input tokens, including those read from and written to the cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
}

export type AgUiOutcome =
  | { readonly type: "success"; readonly pendingToolCallIds?: ReadonlyArray<string> }
  | { readonly type: "interrupt"; readonly interrupts: ReadonlyArray<AgUiInterrupt> }
  | { readonly type: "cancelled" }

type Patch =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }

type Content = string | ReadonlyArray<Readonly<Record<string, unknown>>>

/** An event without the common fields: its time, and the subagent that it belongs to. */
export type AgUiEvent =
  | {
      readonly type: "RUN_STARTED"
      readonly threadId: string
      readonly runId: string
      readonly protocolVersion: "1.0"
      readonly parentRunId?: string
      readonly input?: Readonly<Record<string, unknown>>
    }
  | {
      readonly type: "RUN_FINISHED"
      readonly threadId: string
      readonly runId: string
      readonly outcome: AgUiOutcome
      readonly result?: unknown
      readonly usage?: ReadonlyArray<AgUiUsage>
    }
  | {
      readonly type: "RUN_ERROR"
      readonly message: string
      readonly code: string
      readonly usage?: ReadonlyArray<AgUiUsage>
    }
  | { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }
  | { readonly type: "TEXT_MESSAGE_START"; readonly messageId: string; readonly role: "assistant" }
  | {
      readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"
      readonly messageId: string
      readonly delta: string
    }
  | {
      readonly type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END"
      readonly messageId: string
    }
  | { readonly type: "REASONING_MESSAGE_START"; readonly messageId: string; readonly role: "reasoning" }
  | {
      readonly type: "REASONING_ENCRYPTED_VALUE"
      readonly subtype: "message"
      readonly entityId: string
      readonly encryptedValue: string
    }
  | {
      readonly type: "TOOL_CALL_START"
      readonly toolCallId: string
      readonly toolCallName: string
      readonly parentMessageId: string
    }
  | { readonly type: "TOOL_CALL_ARGS"; readonly toolCallId: string; readonly delta: string }
  | { readonly type: "TOOL_CALL_END"; readonly toolCallId: string }
  | {
      readonly type: "TOOL_CALL_RESULT"
      readonly messageId: string
      readonly toolCallId: string
      readonly role: "tool"
      readonly content: Content
      readonly metadata?: { readonly isError: true }
    }
  | { readonly type: "STATE_SNAPSHOT"; readonly snapshot: Readonly<Record<string, unknown>> }
  | { readonly type: "STATE_DELTA"; readonly delta: ReadonlyArray<Patch> }
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: ReadonlyArray<unknown> }
  | { readonly type: "CUSTOM"; readonly name: string; readonly value: unknown }
  | {
      readonly type: "SUBAGENT_STARTED"
      readonly subagentRunId: string
      readonly name: string
      readonly description: string
      readonly parentToolCallId: string
      readonly parentSubagentRunId?: string
    }
  | {
      readonly type: "SUBAGENT_FINISHED"
      readonly subagentRunId: string
      readonly outcome: { readonly type: "success" | "suspended" }
      readonly result?: string
    }
  | { readonly type: "SUBAGENT_ERROR"; readonly subagentRunId: string; readonly message: string; readonly code: string }

/** The JSON Patch operations that turn the list `before` into `after`: replaced and added entries first, then removals. */
export const todoPatch = (before: ReadonlyArray<TodoEntry>, after: ReadonlyArray<TodoEntry>): ReadonlyArray<Patch> => [
  ...after.flatMap((value, index): ReadonlyArray<Patch> => {
    if (index >= before.length) return [{ op: "add", path: "/todos/-", value }]
    return JSON.stringify(before[index]) === JSON.stringify(value)
      ? []
      : [{ op: "replace", path: `/todos/${index}`, value }]
  }),
  // Removed from the end, so that the indexes of the other entries stay valid.
  ...before
    .map((_, index) => index)
    .filter((index) => index >= after.length)
    .toReversed()
    .map((index): Patch => ({ op: "remove", path: `/todos/${index}` })),
]
