// Receives an open ask; returns the JSON Schema of its answers, from which a client can build a form.
// Invariant: the ask accepts every answer that matches the schema.
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { PermissionMode } from "../../schemas/sdk/options/permissions.ts"

type Json = Readonly<Record<string, unknown>>

export const answerSchema = ({ kind, input }: AskOpened): Json => {
  switch (kind) {
    case "permission":
      return PERMISSION
    case "plan":
      return PLAN
    case "question":
      return closed({ answers: closed(answersTo(input)) }, "answers")
    case "elicitation":
      return input["mode"] === "url" ? closed({ action: { enum: [ACCEPT, ...REFUSALS] } }, "action") : formOf(input)
    case "client_tool":
    case "outcome":
      return CONTENT
  }
}

const TEXT = { type: "string" }
const ACCEPT = "accept"
const REFUSALS = ["decline", "cancel"]

const closed = (properties: Json, ...required: ReadonlyArray<string>): Json => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
})

const oneOf = (...forms: ReadonlyArray<Json>): Json => ({ type: "object", oneOf: forms })

const DENY = closed({ behavior: { const: "deny" }, message: TEXT }, "behavior")

const PERMISSION = oneOf(closed({ behavior: { const: "allow" }, updatedInput: { type: "object" } }, "behavior"), DENY)

const PLAN = oneOf(
  closed(
    { behavior: { const: "allow" }, message: TEXT, permissionMode: { enum: [...PermissionMode.literals] } },
    "behavior",
  ),
  DENY,
)

const CONTENT = closed({ content: TEXT, is_error: { type: "boolean" } }, "content")

/** A text for each question, or several texts for a multiple choice. */
const answersTo = ({ questions }: Json): Json =>
  Object.fromEntries(
    (Array.isArray(questions) ? questions : []).map((one: unknown) => {
      const { question, multiSelect } = Object(one) as Json // the tool's own input
      const several = { type: "array", items: TEXT, minItems: 1, maxItems: 20 }
      return [String(question), multiSelect === true ? { anyOf: [TEXT, several] } : TEXT]
    }),
  )

/** The MCP server's own form, without additional properties. */
const formOf = ({ requested_schema: form }: Json): Json =>
  oneOf(
    closed(
      { action: { const: ACCEPT }, content: { ...Object(form), additionalProperties: false } },
      "action",
      "content",
    ),
    closed({ action: { enum: REFUSALS } }, "action"),
  )
