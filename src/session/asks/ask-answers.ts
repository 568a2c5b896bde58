// Receives what a client posts as the answer to an ask; returns the answer as the loop reads it, or what is wrong with it.
// Invariant: each kind of ask has its own forms of answer, and an accepted answer is complete: nothing is filled in later.
import * as Schema from "effect/Schema"
import type { AskKind, AskOpened } from "../../schemas/log/ask-events.ts"
import { ElicitAnswer, PlanAnswer, QuestionAnswer } from "../../schemas/sdk/control/ask-answers.ts"
import { ClientToolAnswer } from "../../schemas/sdk/tools/client-tools.ts"
import { PermissionResult } from "../../schemas/sdk/options/permissions.ts"
import type { Question } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { fieldIssues } from "../../schemas/errors/union-issues.ts"
import { readForm } from "./elicited-form.ts"

type Answer = Readonly<Record<string, unknown>>

export type ReadAnswer = { readonly answer: Answer } | { readonly problem: string; readonly field?: string }

const STRICT = { onExcessProperty: "error" } as const

/** As `STRICT`, but reports every problem. */
const REPORT_ALL = { ...STRICT, errors: "all" } as const

const PERMISSION = '{behavior:"allow", updatedInput?, updatedPermissions?} or {behavior:"deny", message, interrupt?}'

const FORMS: Readonly<Record<AskKind, string>> = {
  permission: PERMISSION,
  question: `{answers: {QUESTION: LABEL or text}, annotations?}, ${PERMISSION}`,
  plan: `{behavior:"allow", permissionMode?}, {behavior:"deny", message?} or ${PERMISSION}`,
  client_tool: "{content: text or text and image blocks, is_error?}",
  outcome: `{content: text or text and image blocks, is_error?} for its result, or, to run it again or not, ${PERMISSION}`,
  elicitation: '{action:"accept", content?}, {action:"decline"} or {action:"cancel"}',
}

export const readAnswer = (ask: AskOpened, body: Answer): ReadAnswer => {
  const read = ownForm(ask, body)
  return read ?? misread(ask.kind, body)
}

const ownForm = (ask: AskOpened, body: Answer): ReadAnswer | null => {
  if (ask.kind === "client_tool") return clientToolAnswer(body)
  return ask.kind === "elicitation" ? elicited(ask, body) : (shortForm(ask, body) ?? permissionAnswer(body))
}

const SHAPES: Readonly<Record<AskKind, Schema.Codec<unknown>>> = {
  permission: PermissionResult,
  question: Schema.Union([QuestionAnswer, PermissionResult]),
  plan: Schema.Union([PlanAnswer, PermissionResult]),
  client_tool: ClientToolAnswer,
  outcome: Schema.Union([ClientToolAnswer, PermissionResult]),
  elicitation: ElicitAnswer,
}

/** An answer of the wrong form, and the first field at which it differs. */
const misread = (kind: AskKind, body: Answer): ReadAnswer => {
  const problem = `the answer to ${kind === "outcome" || kind === "elicitation" ? "an" : "a"} ${kind.replace("_", " ")} must be ${FORMS[kind]}`
  const decoded = Schema.decodeUnknownResult(SHAPES[kind], REPORT_ALL)(body)
  const path = decoded._tag === "Failure" ? fieldIssues(decoded.failure.issue, body)[0]?.path : undefined
  return path === undefined || path.length === 0 ? { problem } : { problem, field: fieldPath(path) }
}

/** The answer to an ask that no client answered: a denial, a failed result of a client tool, or a cancelled elicitation. */
export const noAnswer = (kind: AskKind, message: string): Answer => {
  if (kind === "elicitation") return { action: "cancel" }
  return kind === "client_tool" ? { content: message, is_error: true } : { behavior: "deny", message }
}

const permissionAnswer = (body: Answer): ReadAnswer | null => {
  const decoded = Schema.decodeUnknownResult(PermissionResult, STRICT)(body)
  // PermissionResult is a plain object.
  return decoded._tag === "Failure" ? null : { answer: decoded.success as unknown as Answer }
}

const clientToolAnswer = (body: Answer): ReadAnswer | null => {
  const decoded = Schema.decodeUnknownResult(ClientToolAnswer, STRICT)(body)
  return decoded._tag === "Failure" ? null : { answer: { ...decoded.success } }
}

/** The user's content, checked against the server's form. A page that the user was asked to visit takes no content. */
const elicited = ({ input }: AskOpened, body: Answer): ReadAnswer | null => {
  const decoded = Schema.decodeUnknownResult(ElicitAnswer, STRICT)(body)
  if (decoded._tag === "Failure") return null
  const { action, content } = decoded.success
  if (action !== "accept") {
    return content === undefined ? { answer: { action } } : { problem: `a ${action} has no content`, field: "content" }
  }
  if (input["mode"] === "url") {
    return content === undefined
      ? { answer: { action } }
      : { problem: "the server asks to visit a page and accepts no content", field: "content" }
  }
  const form = readForm(input["requested_schema"], content ?? {})
  return "problem" in form ? form : { answer: { action, content: form.content } }
}

const shortForm = ({ kind, input }: AskOpened, body: Answer): ReadAnswer | null => {
  if (kind === "question" && "answers" in body) return answersOf(input, body)
  if (kind === "outcome") return resultOf(body)
  return kind === "plan" ? verdictOf(body) : null
}

/** As `canUseTool` returns them: each answer is a text keyed by its question; several labels are joined with commas. */
const answersOf = (input: Answer, body: Answer): ReadAnswer | null => {
  const decoded = Schema.decodeUnknownResult(QuestionAnswer, STRICT)(body)
  if (decoded._tag === "Failure") return null
  const { answers, annotations } = decoded.success
  // Can't fail: the tool's own decoder accepted this input.
  const questions = input["questions"] as ReadonlyArray<Question>
  const unknownQuestion = Object.keys({ ...annotations, ...answers }).find(
    (name) => !questions.some(({ question }) => question === name),
  )
  if (unknownQuestion !== undefined) {
    const field = fieldPath([Object.hasOwn(answers, unknownQuestion) ? "answers" : "annotations", unknownQuestion])
    return { problem: "there is no such question", field }
  }
  const texts = Object.entries(answers).map(([name, given]) => [
    name,
    typeof given === "string" ? given : given.join(", "),
  ])
  const updatedInput = {
    ...input,
    answers: Object.fromEntries(texts),
    ...(annotations === undefined ? {} : { annotations }),
  }
  return { answer: { behavior: "allow", updatedInput } }
}

/** A call's result as reported by a person. Its `behavior` distinguishes it from a decision whether the call runs. */
const resultOf = (body: Answer): ReadAnswer | null => {
  const result = clientToolAnswer(body)
  return result !== null && "answer" in result ? { answer: { behavior: "result", ...result.answer } } : null
}

const verdictOf = (body: Answer): ReadAnswer | null => {
  const decoded = Schema.decodeUnknownResult(PlanAnswer, STRICT)(body)
  if (decoded._tag === "Failure") return null
  const verdict = decoded.success
  if (verdict.behavior === "deny") {
    return { answer: { behavior: "deny", message: verdict.message ?? "The user did not accept the plan." } }
  }
  const { permissionMode: mode } = verdict
  if (mode === undefined) return { answer: { behavior: "allow" } }
  return { answer: { behavior: "allow", updatedPermissions: [{ type: "setMode", mode, destination: "session" }] } }
}
