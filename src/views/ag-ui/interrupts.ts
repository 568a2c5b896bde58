// Receives an open ask; returns the interrupt with which a run ends, which describes what the turn waits for. And the other
// way round: converts a client's answer to an interrupt into an answer to the ask.
// Invariant: every answer that the interrupt's schema describes is accepted as an answer to the ask.
import type { AskKind, AskOpened } from "../../schemas/log/ask-events.ts"
import type { AgUiInterrupt } from "./ag-ui-event.ts"
import { answerSchema } from "./answer-schema.ts"

type Json = Readonly<Record<string, unknown>>

const REASONS: Readonly<Record<AskKind, string>> = {
  permission: "tool_approval",
  question: "question",
  plan: "plan_approval",
  client_tool: "tool_call",
  outcome: "unknown_outcome",
  elicitation: "elicitation",
}

export const interruptOf = (ask: AskOpened, subagentRunId?: string): AgUiInterrupt => ({
  id: ask.request_id,
  reason: REASONS[ask.kind],
  message: messageOf(ask),
  ...(ask.tool_use_id === "" ? {} : { toolCallId: ask.tool_use_id }),
  responseSchema: answerSchema(ask),
  expiresAt: new Date(ask.expires_at).toISOString(),
  metadata: {
    kind: ask.kind,
    toolName: ask.tool_name,
    input: ask.input,
    ...(ask.suggestions === undefined ? {} : { suggestions: ask.suggestions }),
    ...(ask.decision_reason === undefined ? {} : { decisionReason: ask.decision_reason }),
    ...(ask.blocked_path === undefined ? {} : { blockedPath: ask.blocked_path }),
  },
  ...(subagentRunId === undefined ? {} : { subagentRunId }),
})

const messageOf = ({ kind, tool_name: tool, description, input }: AskOpened): string => {
  if (description !== undefined && description !== "") return description
  switch (kind) {
    case "permission":
      return `The tool ${tool} asks for permission.`
    case "question":
      return questionsOf(input).join("\n")
    case "plan":
      return typeof input["plan"] === "string" ? input["plan"] : "A plan waits for approval."
    case "outcome":
      return `The server stopped while ${tool} ran. What was the outcome of the call?`
    case "elicitation":
      return typeof input["message"] === "string" ? input["message"] : "A server asks for input."
    case "client_tool":
      return `The app is to run ${tool}.`
  }
}

const questionsOf = ({ questions }: Json): ReadonlyArray<string> =>
  Array.isArray(questions) ? questions.map((one: unknown) => String(Reflect.get(Object(one), "question"))) : []

const CANCELLED = "The user cancelled this."

/** Converts an entry of `resume` into an answer to an ask of this kind; `{approved}` and a bare boolean allow or deny. */
export const answerOf = (
  kind: string,
  entry: { readonly status: "resolved" | "cancelled"; readonly payload?: unknown },
): Json => {
  if (entry.status === "cancelled") {
    if (kind === "elicitation") return { action: "cancel" }
    return kind === "client_tool" ? { content: CANCELLED, is_error: true } : { behavior: "deny", message: CANCELLED }
  }
  const { payload } = entry
  if (typeof payload === "boolean") return verdict(payload)
  if (typeof payload === "string" && (kind === "client_tool" || kind === "outcome")) return { content: payload }
  if (typeof payload !== "object" || payload === null) return { payload }
  const { approved, ...rest } = payload as Json // an object that is not null
  if (typeof approved === "boolean") return { ...verdict(approved), ...rest }
  // A denial without a message gets a default one; a plan's denial is passed on unchanged.
  return rest["behavior"] === "deny" && kind !== "plan" ? { ...verdict(false), ...payload } : { ...payload }
}

const verdict = (approved: boolean): Json =>
  approved ? { behavior: "allow" } : { behavior: "deny", message: "The user declined this." }
