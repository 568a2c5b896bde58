// Types of the messages that turns and logs return, as far as most apps need them, without depending on another package.
// An app that has the Claude Agent SDK's types can use those instead: `perchClient<SDKMessage>({ … })`.

/** The end of a turn. */
export interface ResultMessage {
  readonly type: "result"
  readonly subtype: string
  readonly is_error: boolean
  readonly session_id: string
  readonly uuid?: string
  readonly num_turns: number
  readonly duration_ms?: number
  readonly total_cost_usd: number
  /** The answer's text, when the turn succeeded. */
  readonly result?: string
  readonly structured_output?: unknown
  readonly errors?: ReadonlyArray<string>
  readonly usage?: Readonly<Record<string, unknown>>
  readonly permission_denials?: ReadonlyArray<unknown>
}

/** An answer of the model, or a part of one: each content block is a message of its own, with the id of the answer. */
export interface AssistantMessage {
  readonly type: "assistant"
  readonly uuid: string
  readonly session_id: string
  readonly parent_tool_use_id: string | null
  readonly message: {
    readonly id: string
    readonly role: "assistant"
    readonly model: string
    readonly content: ReadonlyArray<ContentBlock>
    readonly stop_reason: string | null
    readonly usage: Readonly<Record<string, unknown>>
  }
}

/** A prompt, or results of tool calls. */
export interface UserMessage {
  readonly type: "user"
  readonly uuid?: string
  readonly session_id: string
  readonly parent_tool_use_id: string | null
  readonly message: { readonly role: "user"; readonly content: string | ReadonlyArray<ContentBlock> }
  readonly tool_use_result?: unknown
}

/** A report of the session that is not part of the conversation; `subtype` names its kind. */
export interface SystemMessage {
  readonly type: "system"
  readonly subtype: string
  readonly session_id: string
  readonly uuid?: string
  readonly [field: string]: unknown
}

/** A fragment of an answer that the model is still writing; only with `includePartialMessages`. */
export interface PartialMessage {
  readonly type: "stream_event"
  readonly session_id: string
  readonly parent_tool_use_id: string | null
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

/** A content block as the Messages API has it: `text`, `thinking`, `tool_use`, `tool_result`, `image` and others. */
export interface ContentBlock {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly content?: unknown
  readonly is_error?: boolean
  readonly [field: string]: unknown
}

/** A message of the Claude Agent SDK, discriminated by `type`. There are more types than these. */
export type PerchMessage = ResultMessage | AssistantMessage | UserMessage | SystemMessage | PartialMessage
