// Payloads of events about asks: what a client must answer, and how each of them ended.
import type { Who } from "../access.ts"
import type { SavedApproval } from "../permissions-saved.ts"

/**
 * What is asked for: permission for a call, answers to questions, approval of a plan, the result of a call that the client
 * itself executes, the outcome of a call whose result was lost in a crash, or the answer to an MCP server's elicitation.
 */
export type AskKind = "permission" | "question" | "plan" | "client_tool" | "outcome" | "elicitation"

/** A permission of opencode, with a pattern, or with the text that patterns are matched against. */
export interface PermissionFor {
  readonly permission: string
  readonly pattern: string
}

/** The approvals that a call needs, each with the text that patterns are matched against; and what `always` would save. */
export interface AskedApproval {
  readonly needs: ReadonlyArray<PermissionFor>
  /** Empty when no saved approval may answer, because a rule or a hook asks, or the path is guarded. */
  readonly always: ReadonlyArray<PermissionFor>
}

/** `ask:opened`: something a client must answer before `expires_at` (milliseconds since 1970). */
export interface AskOpened {
  readonly request_id: string
  readonly kind: AskKind
  readonly tool_name: string
  /** The call that the ask is about; empty for an MCP server's question that belongs to no known call. */
  readonly tool_use_id: string
  readonly input: Record<string, unknown>
  /** The `input` of `can_use_tool`, if it differs: without the model's own text for a plan. */
  readonly told_input?: Record<string, unknown>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly decision_reason_type?: string
  readonly blocked_path?: string
  /** The real path of the call's file when the ask was opened, unless it is the path that the call names. */
  readonly place?: string
  readonly matched_ask_rule?: { readonly source: string; readonly tool_name: string; readonly rule_content?: string }
  /** The needed approvals in opencode's terms; absent in logs of earlier versions. */
  readonly approval?: AskedApproval
  readonly mcp_server?: { readonly name: string; readonly source: string }
  readonly display_name?: string
  readonly description?: string
  /** The subagent that made the call. */
  readonly agent_id?: string
  /** The ask comes from the background and belongs to no turn. */
  readonly detached?: true
  /** The user must sign in to an MCP server in a browser; the callback from there settles the ask. */
  readonly authorization?: true
  readonly expires_at: number
}

/** `ask:settled`: how an ask ended. */
export interface AskSettled {
  readonly request_id: string
  readonly by: "client" | "hook" | "expiry" | "interrupt" | "failure"
  readonly answer: Record<string, unknown>
  /** The answer in opencode's terms, if it was given in these. */
  readonly reply?: "once" | "always" | "reject"
  /** The approvals that the answer saved. */
  readonly saved?: ReadonlyArray<SavedApproval>
  /** The client of the control protocol that answered. */
  readonly client?: string
  /** Who answered. */
  readonly actor?: Who
}
