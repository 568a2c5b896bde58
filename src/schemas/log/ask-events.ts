// Payloads of events about asks: what a client must answer, and how each of them ended.
import type { Who } from "../access.ts"
import type { SavedApproval } from "../permissions-saved.ts"

/**
 * What is asked: leave for a call, the user's answers to questions, acceptance of a plan, the result of a call that a
 * client carries out itself, or what came of a call whose result a crash took.
 */
export type AskKind = "permission" | "question" | "plan" | "client_tool" | "outcome" | "elicitation"

/** A permission of opencode, and what it is for: a pattern, or what patterns are compared with. */
export interface PermissionFor {
  readonly permission: string
  readonly pattern: string
}

/** What a call lacks, each with the text that patterns are compared with; and what the answer `always` would save. */
export interface AskedApproval {
  readonly needs: ReadonlyArray<PermissionFor>
  /** Empty where no saved approval may answer: a rule asks, or a hook, or the place is guarded. */
  readonly always: ReadonlyArray<PermissionFor>
}

/** `ask:opened`: something a client must answer before `expires_at` (milliseconds since 1970). */
export interface AskOpened {
  readonly request_id: string
  readonly kind: AskKind
  readonly tool_name: string
  /** The call that it is about; empty where a question of an MCP server belongs to no call that is known. */
  readonly tool_use_id: string
  readonly input: Record<string, unknown>
  /** The `input` of `can_use_tool`, where it differs: without the model's own text for a plan. */
  readonly told_input?: Record<string, unknown>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly decision_reason_type?: string
  readonly blocked_path?: string
  /** Where the call's file really was when the question was opened, unless that is the path that the call names. */
  readonly place?: string
  readonly matched_ask_rule?: { readonly source: string; readonly tool_name: string; readonly rule_content?: string }
  /** The same in opencode's terms; absent in logs of earlier versions. */
  readonly approval?: AskedApproval
  readonly mcp_server?: { readonly name: string; readonly source: string }
  readonly display_name?: string
  readonly description?: string
  /** The subagent whose call it is. */
  readonly agent_id?: string
  /** It is asked beside the turns, in the background. */
  readonly detached?: true
  /** The user signs in to an MCP server in a browser, whose return settles it. */
  readonly authorization?: true
  readonly expires_at: number
}

/** `ask:settled`: how an ask ended. */
export interface AskSettled {
  readonly request_id: string
  readonly by: "client" | "hook" | "expiry" | "interrupt" | "failure"
  readonly answer: Record<string, unknown>
  /** The answer in opencode's terms, where it was given so. */
  readonly reply?: "once" | "always" | "reject"
  /** Approvals that it saved. */
  readonly saved?: ReadonlyArray<SavedApproval>
  /** The client of the control protocol that answered. */
  readonly client?: string
  /** Who answered. */
  readonly actor?: Who
}
