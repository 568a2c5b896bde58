// Receives an ask that is open; returns the interrupt by which a run that ends says what it waits for. And the other way
// round: an answer to an interrupt, as the ask takes it.
// Invariant: what the interrupt's schema describes, the ask's answer takes.
import type { AskKind, AskOpened } from "../../schemas/log/ask-events.ts"
import type { AgUiInterrupt } from "./ag-ui-event.ts"

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
  responseSchema: SCHEMAS[ask.kind],
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

const BEHAVIOR = { type: "string", enum: ["allow", "deny"] }
const MESSAGE = { type: "string" }

const APPROVAL = {
  type: "object",
  properties: { behavior: BEHAVIOR, message: MESSAGE, updatedInput: { type: "object" } },
  required: ["behavior"],
}

const CONTENT = {
  type: "object",
  properties: { content: { type: "string" }, is_error: { type: "boolean" } },
  required: ["content"],
}

const SCHEMAS: Readonly<Record<AskKind, Json>> = {
  permission: APPROVAL,
  question: {
    type: "object",
    properties: { answers: { type: "object", additionalProperties: { type: "string" } } },
    required: ["answers"],
  },
  plan: {
    type: "object",
    properties: { behavior: BEHAVIOR, message: MESSAGE, permissionMode: { type: "string" } },
    required: ["behavior"],
  },
  client_tool: CONTENT,
  outcome: CONTENT,
  elicitation: {
    type: "object",
    properties: { action: { type: "string", enum: ["accept", "decline", "cancel"] }, content: { type: "object" } },
    required: ["action"],
  },
}

const CANCELLED = "The user cancelled this."

/** An entry of `resume` as the answer to an ask of this kind: `{approved}` and true or false are short for an approval. */
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
  return typeof approved === "boolean" ? { ...verdict(approved), ...rest } : { ...payload }
}

const verdict = (approved: boolean): Json =>
  approved ? { behavior: "allow" } : { behavior: "deny", message: "The user declined this." }
