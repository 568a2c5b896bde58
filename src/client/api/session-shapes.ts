// What the API's routes about sessions, turns and questions take and give, as plain types without any other package.
// Invariant: test/types/client-shapes.ts compares them with the schemas that the server decodes and answers with.

import type { ResultMessage } from "./messages.ts"

export type SessionState = "idle" | "running" | "requires_action"

/** Options of a session or a turn, under the Claude Agent SDK's names; the server names one that it does not take. */
export type SessionOptions = Readonly<Record<string, unknown>>

/** A session. Times are ISO 8601. */
export interface Session {
  readonly id: string
  readonly type: "session"
  readonly title: string | null
  readonly cwd: string
  readonly state: SessionState
  readonly model: string
  readonly permissionMode: string
  readonly options: SessionOptions
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
  readonly updated_at: string
  /** Turns that ended in a result. */
  readonly turns: number
  readonly total_cost_usd: number
  /** The last place of the log. */
  readonly last_seq: number
  /** In lists: the beginning of its first prompt; null while it has none. */
  readonly first_prompt?: string | null
  /** A revert that can be taken back: the first message, and part, that the conversation lacks. */
  readonly revert?: {
    readonly messageID: string
    readonly partID?: string
    /** The checkpoint of the files before they were put back. */
    readonly snapshot?: string
    readonly diff?: string
  }
}

/** The body of `POST /v1/sessions`. */
export interface CreateSession {
  /** A UUID of your own. */
  readonly id?: string
  /** What to do when a session with this `id` exists: refuse (the default), or take it. */
  readonly on_exists?: "conflict" | "attach"
  /** The absolute path of the working directory (`/workspace`). */
  readonly cwd?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly options?: SessionOptions
  /** SDK messages that the session begins with. */
  readonly history?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The body of `POST /v1/sessions/{id}/fork`. */
export interface ForkSession {
  readonly id?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  /** The conversation goes on after this message (its uuid). */
  readonly at?: string
  readonly options?: SessionOptions
}

/** The body of `PATCH /v1/sessions/{id}`: what is left out stays as it is. */
export interface PatchSession {
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly model?: string
  readonly permissionMode?: string
  readonly options?: SessionOptions
}

/** A text, or content blocks as the Messages API takes them. */
export type Prompt = string | ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>

/** A prompt for a session. */
export interface Query {
  readonly prompt: Prompt
  /** Names the turn (a UUID). */
  readonly uuid?: string
  /** Options of this turn alone. */
  readonly options?: SessionOptions
  /** Which agent carries the prompt out: `auto` lets the router decide. */
  readonly route?: "auto" | "claude-code" | "minimal"
  /** The prompt as a subtask, whose labels may force a route. */
  readonly subtask?: { readonly id: string; readonly description: string; readonly labels?: ReadonlyArray<string> }
  /** What to do while another turn runs: wait (the default), end it, or refuse with a ConflictError. */
  readonly on_busy?: "queue" | "interrupt" | "reject"
}

/** A prompt and the session that it begins. */
export interface FirstQuery extends Query {
  readonly cwd?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
}

/** A question that waits for an answer. */
export interface Ask {
  readonly request_id: string
  /** `permission`, `question`, `plan`, `client_tool`, `outcome` or `elicitation`. */
  readonly kind: string
  readonly turn_id: string
  readonly tool_name: string
  readonly tool_use_id: string
  /** The subagent whose call it is; absent for the session's own. */
  readonly agent_id?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly blocked_path?: string
  /** Of a permission: what it is in opencode's terms, for what, and what the reply `always` would save. */
  readonly permission?: string
  readonly patterns?: ReadonlyArray<string>
  readonly always?: ReadonlyArray<{ readonly permission: string; readonly pattern: string }>
  readonly created_at: string
  readonly expires_at: string
}

export type TurnStatus = "queued" | "running" | "requires_action" | "completed" | "failed" | "interrupted" | "cancelled"

/** A prompt and all that follows until its result. Times are ISO 8601. */
export interface Turn {
  readonly type: "turn"
  readonly session_id: string
  readonly turn_id: string
  readonly status: TurnStatus
  /** The turn that this prompt became part of. */
  readonly joined_turn_id: string | null
  /** What holds it up: its own questions, or those of the turn before it. */
  readonly pending: ReadonlyArray<Ask>
  /** Null until it has ended, and for a turn that never ran. */
  readonly result: ResultMessage | null
  readonly cost_usd: number | null
  readonly queued_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly first_seq: number
  readonly last_seq: number | null
  /** While it waits until its tenant runs fewer turns; position 1 is next. */
  readonly lane?: { readonly position: number; readonly limit: number; readonly since: string }
}

/** A permission that was saved with the reply `always`. */
export interface SavedPermission {
  readonly id: string
  readonly permission: string
  readonly pattern: string
  readonly scope: "session" | "tenant"
  readonly created_at: string
}

/** An answer, by the kind of the question. */
export type AskAnswer =
  | {
      readonly behavior: "allow"
      readonly updatedInput?: Readonly<Record<string, unknown>>
      readonly updatedPermissions?: ReadonlyArray<unknown>
      readonly permissionMode?: string
    }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean }
  | { readonly reply: "once" }
  | { readonly reply: "always"; readonly scope?: "session" | "tenant" }
  | { readonly reply: "reject"; readonly message?: string }
  | { readonly answers: Readonly<Record<string, string | ReadonlyArray<string>>> }
  | {
      readonly action: "accept"
      readonly content?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
    }
  | { readonly action: "decline" | "cancel" }
  | {
      readonly content: string | ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>
      readonly is_error?: boolean
    }

/** What a ticket may do. */
export type TicketRole = "observe" | "prompt" | "answer" | "control"

/** A ticket for a page, and when it ends (ISO 8601). */
export interface Ticket {
  readonly ticket: string
  readonly expires_at: string
  readonly [field: string]: unknown
}

/** An event of the log. */
export interface LogEvent {
  readonly seq: number
  readonly name: string
  readonly uuid: string
  readonly turn: string | null
  readonly parent_tool_use_id: string | null
  readonly at: number
  readonly payload: unknown
}

/** An entry of the session's todo list. */
export interface Todo {
  readonly id: string
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly priority: "medium"
  readonly activeForm: string
}

/** `partID` keeps the beginning of the message. */
export interface RevertOptions {
  readonly partID?: string
  readonly rewindFiles?: boolean
}

/** What a rewind changes, or changed; `error` says why it can't be done. */
export interface RewindReport {
  readonly canRewind: boolean
  readonly error?: string
  readonly filesChanged?: ReadonlyArray<string>
  readonly insertions?: number
  readonly deletions?: number
  readonly skippedLinks?: number
}

/** A page of a list; `next_cursor` is null at its end. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
}
