// Why a call is allowed, denied or asked about, and which part of that clients receive.
// Invariant: clients get a reason's type and text exactly where the official SDK sends them.

/** The `decision_reason_type` of the SDK, as far as Perch has causes for it. */
export type ReasonType =
  | "rule"
  | "mode"
  | "subcommandResults"
  | "hook"
  | "asyncAgent"
  | "workingDir"
  | "safetyCheck"
  | "other"

export interface Reason {
  readonly type: ReasonType
  /** A plain text for the person who is asked, or for the model that was denied. */
  readonly text: string
  /** True when clients receive no reason: the call is asked about, or allowed, only because of the kind of its tool. */
  readonly tacit?: true
  /** True when the reason is a rule that an answer added in this session. */
  readonly answered?: true
}

/** A reason that clients do not receive. */
export const tacit = (text: string): Reason => ({ type: "other", text, tacit: true })

/** Types whose cause the client knows itself: they are sent without a text. */
const WITHOUT_TEXT: ReadonlySet<ReasonType> = new Set(["rule", "mode", "subcommandResults"])

/** The reason as `can_use_tool` and `permission_denied` carry it: both fields, the type alone, or neither. */
export const clientReason = ({
  type,
  text,
  tacit,
}: Reason): { readonly decision_reason_type?: ReasonType; readonly decision_reason?: string } => {
  if (tacit === true) return {}
  return WITHOUT_TEXT.has(type) ? { decision_reason_type: type } : { decision_reason_type: type, decision_reason: text }
}
