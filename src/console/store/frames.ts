// The frames of `format=parts` and the messages of `GET …/messages`, with the fields that the console reads.
// Invariant: other fields are passed through; the server's OpenAPI document describes them all.

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache: { readonly read: number; readonly write: number }
}

export interface MessageInfo {
  readonly id: string
  readonly role: "user" | "assistant"
  readonly time: { readonly created: number; readonly completed?: number }
  readonly parentID?: string
  readonly modelID?: string
  readonly cost?: number
  readonly tokens?: Tokens
  readonly error?: { readonly name: string; readonly data?: { readonly message?: string } }
  readonly sdk?: {
    readonly uuid?: string
    /** True for a prompt whose turn has not begun. */
    readonly queued?: boolean
    /** True for a prompt that started a new conversation. */
    readonly conversationReset?: boolean
    readonly parentToolUseId?: string
    readonly duration?: { readonly total: number }
  }
  readonly [field: string]: unknown
}

export type ToolStatus = "pending" | "running" | "completed" | "error"

export interface ToolState {
  readonly status: ToolStatus
  readonly input?: Readonly<Record<string, unknown>>
  /** The JSON text of the input while it streams. */
  readonly raw?: string
  readonly output?: string
  readonly error?: string
  readonly title?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly attachments?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly time?: { readonly start?: number; readonly end?: number }
}

/** A part of any type; `type` determines which of the fields it has. */
export interface Part {
  readonly id: string
  readonly messageID: string
  readonly type: string
  readonly text?: string
  readonly synthetic?: boolean
  readonly signature?: string
  readonly tool?: string
  readonly callID?: string
  readonly state?: ToolState
  readonly time?: { readonly start?: number; readonly end?: number }
  readonly [field: string]: unknown
}

export interface MessageWithParts {
  readonly info: MessageInfo
  readonly parts: ReadonlyArray<Part>
}

export interface Frame {
  readonly id: string
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}
