// Receives an ask that was opened or settled; returns its bus event: permissions and questions in opencode's own shapes; plans,
// calls of a client's tool and forms of MCP servers in shapes that Perch defines.
// Invariant: pure; every ask is announced on the bus, and so is its settlement.
import type { AskOpened, AskSettled } from "../../schemas/log/ask-events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { patternOf, permissionOf } from "../../schemas/sdk/tools/permission-names.ts"
import type { Question } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { textOf } from "../../schemas/json/text-field.ts"

type Input = Readonly<Record<string, unknown>>

/** An event of the bus, by its type. */
export interface Bus<Type extends string, Properties> {
  readonly type: Type
  readonly properties: Properties
}

/** The part of the call that an ask is about. */
interface AskedTool {
  readonly messageID: string
  readonly callID: string
}

interface Settled {
  readonly sessionID: string
  readonly requestID: string
}

type PermissionReply = "once" | "always" | "reject"

export type AskBusEvent =
  | Bus<
      "permission.asked",
      {
        readonly id: string
        readonly sessionID: string
        readonly permission: string
        readonly patterns: Array<string>
        readonly metadata: Record<string, unknown>
        readonly always: Array<string>
        readonly tool?: AskedTool
      }
    >
  | Bus<"permission.replied", Settled & { readonly reply: PermissionReply }>
  | Bus<
      "question.asked",
      {
        readonly id: string
        readonly sessionID: string
        readonly questions: Array<{
          question: string
          header: string
          options: Array<{ label: string; description: string }>
          multiple?: boolean
        }>
        readonly tool?: AskedTool
      }
    >
  | Bus<"question.replied", Settled & { readonly answers: Array<Array<string>> }>
  | Bus<"question.rejected", Settled>
  | Bus<
      "plan.asked",
      { readonly id: string; readonly sessionID: string; readonly callID: string; readonly plan: string }
    >
  | Bus<
      "plan.replied",
      Settled & { readonly approved: boolean; readonly message?: string; readonly permissionMode?: PermissionMode }
    >
  | Bus<"plan.rejected", Settled>
  | Bus<
      "client_tool.asked",
      {
        readonly id: string
        readonly sessionID: string
        readonly name: string
        readonly input: Record<string, unknown>
        readonly tool?: AskedTool
      }
    >
  /** Without the form itself, which may concern secrets: clients read it from `GET …/permissions`. */
  | Bus<
      "elicitation.asked",
      { readonly id: string; readonly sessionID: string; readonly server: string; readonly tool?: AskedTool }
    >
  | Bus<"client_tool.replied" | "client_tool.rejected" | "elicitation.replied" | "elicitation.rejected", Settled>

/** Maximum length of a question's header in opencode, in UTF-16 code units. */
const MAX_NAME = 30

/** `messageID` is the assistant message that contains the call's part; without it the event refers to no part. */
export const askOpened = (sessionID: string, ask: AskOpened, messageID?: string): AskBusEvent => {
  const place = { id: ask.request_id, sessionID }
  const tool = messageID === undefined ? {} : { tool: { messageID, callID: ask.tool_use_id } }
  switch (ask.kind) {
    case "permission":
    case "outcome":
      return {
        type: "permission.asked",
        properties: { ...place, ...approvalOf(ask), metadata: metadataOf(ask), ...tool },
      }
    case "question":
      return {
        type: "question.asked",
        properties: { ...place, questions: questionsOf(ask.input).map(questionInfo), ...tool },
      }
    case "plan":
      return { type: "plan.asked", properties: { ...place, callID: ask.tool_use_id, plan: textOf(ask.input["plan"]) } }
    case "client_tool":
      return { type: "client_tool.asked", properties: { ...place, name: ask.tool_name, input: ask.input, ...tool } }
    case "elicitation":
      return {
        type: "elicitation.asked",
        properties: { ...place, server: ask.mcp_server?.name ?? ask.tool_name, ...tool },
      }
  }
}

/** `ask` is the ask that `settled` closes. */
export const askSettled = (
  sessionID: string,
  { kind, input }: Pick<AskOpened, "kind" | "input">,
  settled: AskSettled,
): AskBusEvent => {
  const place = { sessionID, requestID: settled.request_id }
  switch (kind) {
    case "permission":
    case "outcome":
      return { type: "permission.replied", properties: { ...place, reply: replyOf(settled) } }
    case "question":
      return settled.answer["behavior"] === "allow"
        ? { type: "question.replied", properties: { ...place, answers: answersOf(input, settled.answer) } }
        : { type: "question.rejected", properties: place }
    case "plan":
      return planSettled(place, settled)
    case "client_tool":
    case "elicitation":
      return { type: `${kind}.${isAnswered(settled) ? "replied" : "rejected"}`, properties: place }
  }
}

/** Asks in logs of earlier versions contain no patterns. */
const approvalOf = ({ approval, tool_name: toolName, input }: AskOpened) => {
  const [first] = approval?.needs ?? []
  if (approval === undefined || first === undefined) {
    return { permission: permissionOf(toolName), patterns: [patternOf(toolName, input)], always: [] }
  }
  const ofFirst = (list: ReadonlyArray<{ readonly permission: string; readonly pattern: string }>) =>
    list.filter(({ permission }) => permission === first.permission).map(({ pattern }) => pattern)
  return { permission: first.permission, patterns: ofFirst(approval.needs), always: ofFirst(approval.always) }
}

const metadataOf = ({ tool_name: tool, input, kind, description, decision_reason, blocked_path }: AskOpened) => ({
  tool,
  input: { ...input },
  ...(kind === "outcome" ? { kind } : {}),
  ...(description === undefined ? {} : { description }),
  ...(decision_reason === undefined ? {} : { reason: decision_reason }),
  ...(blocked_path === undefined ? {} : { blockedPath: blocked_path }),
})

/** An answer in the form of `canUseTool` counts as "always" if it adds rules or the user marked it as permanent. */
const replyOf = ({ reply, answer }: AskSettled): PermissionReply => {
  if (reply !== undefined) return reply
  if (answer["behavior"] === "deny") return "reject"
  const updates = answer["updatedPermissions"]
  return answer["decisionClassification"] === "user_permanent" || (Array.isArray(updates) && updates.length > 0)
    ? "always"
    : "once"
}

/** An ask may end without an answer: by its expiry, an interrupt, or a failure. */
const isAnswered = ({ by }: AskSettled): boolean => by === "client" || by === "hook"

const planSettled = (place: Settled, settled: AskSettled): AskBusEvent => {
  const { answer } = settled
  const approved = answer["behavior"] === "allow"
  if (!approved && !isAnswered(settled)) return { type: "plan.rejected", properties: place }
  const mode = modeOf(answer["updatedPermissions"])
  const { message } = answer
  return {
    type: "plan.replied",
    properties: {
      ...place,
      approved,
      ...(typeof message === "string" && !approved ? { message } : {}),
      ...(mode === undefined ? {} : { permissionMode: mode }),
    },
  }
}

const modeOf = (updates: unknown): PermissionMode | undefined => {
  const list: ReadonlyArray<unknown> = Array.isArray(updates) ? updates : []
  const update = list.findLast((one) => isPlainObject(one) && one["type"] === "setMode")
  // The session decoded it as a PermissionUpdate when it accepted the answer.
  return update === undefined ? undefined : (update as { readonly mode: PermissionMode }).mode
}

const questionsOf = (input: Input): ReadonlyArray<Question> =>
  // The tool's own decoder has checked them.
  Array.isArray(input["questions"]) ? (input["questions"] as ReadonlyArray<Question>) : []

const questionInfo = ({ question, header, options, multiSelect }: Question) => ({
  question,
  header: header.slice(0, MAX_NAME),
  options: options.map(({ label, description }) => ({ label, description })),
  ...(multiSelect ? { multiple: true } : {}),
})

/** The chosen labels or texts of each question, in the order of the questions; an empty array for a skipped question. */
const answersOf = (input: Input, answer: Input): Array<Array<string>> => {
  const updated = answer["updatedInput"]
  const given = isPlainObject(updated) && isPlainObject(updated["answers"]) ? updated["answers"] : {}
  return questionsOf(input).map(({ question, options, multiSelect }) => {
    const text = Object.hasOwn(given, question) ? given[question] : undefined
    if (typeof text !== "string") return []
    return multiSelect
      ? labelsOf(
          text,
          options.map(({ label }) => label),
        )
      : [text]
  })
}

/** Splits a text of comma-separated labels. Labels may contain commas, so the longest matching label is taken first. */
const labelsOf = (text: string, labels: ReadonlyArray<string>): Array<string> => {
  const found: Array<string> = []
  let rest = text
  while (rest !== "") {
    const label = labels
      .filter((one) => rest === one || rest.startsWith(`${one}, `))
      .toSorted((a, b) => b.length - a.length)[0]
    if (label === undefined) return [...found, rest]
    found.push(label)
    rest = rest.slice(label.length + 2)
  }
  return found
}
