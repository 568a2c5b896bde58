// The short forms in which questions and plans are answered over REST (`canUseTool` has a longer form for both), the answer to
// a permission in opencode's terms, and the answer to an MCP server's elicitation.
import * as Schema from "effect/Schema"
import { SavedScope } from "../../permissions-saved.ts"
import { PermissionMode } from "../options/permissions.ts"
import { Page, text } from "../tools/tool-fields.ts"

const opt = Schema.optionalKey
const AnswerText = text(100_000)

/** For each question, by its text: a label or a free text; several labels if the question allows several. */
export const QuestionAnswer = Schema.Struct({
  answers: Schema.Record(
    Schema.String,
    Schema.Union([AnswerText, Schema.Array(AnswerText).check(Schema.isMinLength(1), Schema.isMaxLength(20))]),
  ).check(Schema.isMaxProperties(4)),
  /** The user's notes on each question. */
  annotations: opt(
    Schema.Record(Schema.String, Schema.Struct({ preview: opt(Page), notes: opt(AnswerText) })).check(
      Schema.isMaxProperties(4),
    ),
  ),
})
export type QuestionAnswer = typeof QuestionAnswer.Type

/** The answer to a permission in opencode's terms. `scope` is for `always`: the session (the default), or the whole tenant. */
export const ReplyAnswer = Schema.Struct({
  reply: Schema.Literals(["once", "always", "reject"]),
  message: opt(AnswerText),
  scope: opt(SavedScope),
})
export type ReplyAnswer = typeof ReplyAnswer.Type

/** The user's answer to an MCP server's elicitation; `content` has a value for each field of its form. */
export const ElicitAnswer = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: opt(
    Schema.Record(
      Schema.String,
      Schema.Union([
        AnswerText,
        Schema.Finite,
        Schema.Boolean,
        Schema.Array(AnswerText).check(Schema.isMaxLength(1000)),
      ]),
    ).check(Schema.isMaxProperties(200)),
  ),
})
export type ElicitAnswer = typeof ElicitAnswer.Type

/** The answer to a plan. `permissionMode` is the mode in which the session continues; by default, the one before plan mode. */
export const PlanAnswer = Schema.Union([
  Schema.Struct({
    behavior: Schema.Literal("allow"),
    message: opt(AnswerText),
    permissionMode: opt(PermissionMode),
  }),
  Schema.Struct({ behavior: Schema.Literal("deny"), message: opt(AnswerText) }),
])
export type PlanAnswer = typeof PlanAnswer.Type
