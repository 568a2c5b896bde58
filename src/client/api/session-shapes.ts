// The requests and responses of the API's routes for sessions, turns and asks, as plain types that need no other package.
// Invariant: test/types/client-shapes.ts compares them with the schemas that the server decodes and answers with.

import type { ResultMessage } from "./messages.ts"

/** `requires_action`: a turn waits for answers to its asks. */
export type SessionState = "idle" | "running" | "requires_action"

/** Options of a session or a turn, under the Claude Agent SDK's names; the server's error names an unsupported one. */
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
  /** The seq of the newest event in the log. */
  readonly last_seq: number
  /** Only in lists: the beginning of the first prompt; null while there is none. */
  readonly first_prompt?: string | null
  /** The revert that can be undone: the first message, and part, that it removed from the conversation. */
  readonly revert?: {
    readonly messageID: string
    readonly partID?: string
    /** The checkpoint of the files before the revert rewound them. */
    readonly snapshot?: string
    readonly diff?: string
  }
}

/** The body of `POST /v1/sessions`. */
export interface CreateSession {
  /** A UUID of your own. */
  readonly id?: string
  /** What to do when a session with this `id` exists: refuse (`conflict`, the default), or use it (`attach`). */
  readonly on_exists?: "conflict" | "attach"
  /** The absolute path of the working directory (`/workspace` by default). */
  readonly cwd?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly options?: SessionOptions
  /** SDK messages with which the new session's conversation starts. */
  readonly history?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The body of `POST /v1/sessions/{id}/fork`. */
export interface ForkSession {
  readonly id?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  /** The uuid of the message after which the fork's conversation continues. */
  readonly at?: string
  readonly options?: SessionOptions
}

/** The body of `PATCH /v1/sessions/{id}`: absent fields stay unchanged. */
export interface PatchSession {
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly model?: string
  readonly permissionMode?: string
  /** Null removes a limit: `maxTurns` or `maxBudgetUsd`. */
  readonly options?: SessionOptions
}

/** A text, or content blocks as the Messages API accepts them. */
export type Prompt = string | ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>

/** A prompt for a session. */
export interface Query {
  readonly prompt: Prompt
  /** The id of the turn, a UUID; a random one by default. */
  readonly uuid?: string
  /** Options of this turn alone. */
  readonly options?: SessionOptions
  /** Which agent runs the prompt: `auto` lets the router decide. */
  readonly route?: "auto" | "claude-code" | "minimal"
  /** The prompt as a subtask, whose labels may force a route. */
  readonly subtask?: { readonly id: string; readonly description: string; readonly labels?: ReadonlyArray<string> }
  /** What to do while another turn runs: wait (the default), end it, or refuse with a ConflictError. */
  readonly on_busy?: "queue" | "interrupt" | "reject"
}

/** A prompt, and fields of the session that is created for it. */
export interface FirstQuery extends Query {
  readonly cwd?: string
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
}

/** An ask that waits for an answer. */
export interface Ask {
  readonly request_id: string
  /** `permission`, `question`, `plan`, `client_tool`, `outcome` or `elicitation`. */
  readonly kind: string
  readonly turn_id: string
  readonly tool_name: string
  readonly tool_use_id: string
  /** The subagent whose tool call it is about; absent for the session's main agent. */
  readonly agent_id?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly blocked_path?: string
  /** Only for permissions, in opencode's terms: the permission, the patterns that it is for, and what `always` would save. */
  readonly permission?: string
  readonly patterns?: ReadonlyArray<string>
  readonly always?: ReadonlyArray<{ readonly permission: string; readonly pattern: string }>
  readonly created_at: string
  readonly expires_at: string
}

/**
 * `requires_action`: it waits for answers to `pending`. `failed`: its result is an error. `interrupted`: a client stopped it.
 * `cancelled`: it was cancelled before it started, and has no result. The last four are final.
 */
export type TurnStatus = "queued" | "running" | "requires_action" | "completed" | "failed" | "interrupted" | "cancelled"

/** A prompt and all that follows until its result. Times are ISO 8601. */
export interface Turn {
  readonly type: "turn"
  readonly session_id: string
  readonly turn_id: string
  readonly status: TurnStatus
  /** The id of the turn that this prompt was merged into; null when it has a turn of its own. */
  readonly joined_turn_id: string | null
  /** The asks that block the turn: its own, or those of the turn before it. */
  readonly pending: ReadonlyArray<Ask>
  /** Null until the turn has ended, and for a turn that never ran. */
  readonly result: ResultMessage | null
  readonly cost_usd: number | null
  readonly queued_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly first_seq: number
  readonly last_seq: number | null
  /** Only while the turn is queued because its tenant runs `limit` turns already; position 1 is next. */
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

/** An answer; its shape depends on the kind of the ask. */
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

/** What the bearer of a ticket may do. */
export type TicketRole = "observe" | "prompt" | "answer" | "control"

/** A ticket for a page, and when it expires (ISO 8601). */
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

/** `partID` keeps the parts of the message before it; `rewindFiles` also restores the files. */
export interface RevertOptions {
  readonly partID?: string
  readonly rewindFiles?: boolean
}

/** What a rewind changed or, with `dry_run`, would change; `error` is the reason when it is not possible. */
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
