// AskUserQuestion: receives one to four questions; returns the user's answers, which arrive with the permission to run.
// Invariant: only a user or a hook answers. Answers in the model's own call are neither shown to the user nor kept.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskUserQuestionInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { AskUserQuestionOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { NO_FILES, invalidInput, makeTool } from "../make-tool.ts"
import { ToolError, type ToolOutcome } from "../tool.ts"

const NAME = "AskUserQuestion"

const { questions, answers, annotations, metadata } = AskUserQuestionInput.fields

const { reason, message } = invalidInput(NAME, [
  "Each question, and each label among a question's options, may occur only once",
])

/** What the user wrote instead of choosing an option. The SDK declares it only for the output. */
const response = Schema.optionalKey(Schema.String)

type Answered = AskUserQuestionInput & { readonly response?: string }

/** With `output`, clients see invalid input as well, rather than a failed call. */
const TWICE = new ToolError({ reason, message, output: message })

const tool = makeTool<Answered>(Schema.Struct({ questions }), {
  name: NAME,
  description:
    "Asks the user one to four questions with two to four options each and waits for the answers. Use it when something " +
    "important is undecided and only the user can decide it; the user may also answer in their own words.",
  userParameters: Schema.Struct({ answers, annotations, metadata, response }),
  question: { kind: "question", shown: ({ answers: _, annotations: __, response: ___, ...asked }) => asked },
  readOnly: () => true,
  ...NO_FILES,
  idempotent: false,
  validate: ({ questions: asked }) =>
    isDistinct(asked.map(({ question }) => question)) &&
    asked.every(({ options }) => isDistinct(options.map(({ label }) => label)))
      ? Effect.void
      : Effect.fail(TWICE),
  run: (input) =>
    Effect.sync(() => {
      const { questions: asked, answers: given = {}, annotations: notes, response: written } = input
      const output: AskUserQuestionOutput = {
        questions: asked,
        answers: given,
        ...(written === undefined ? {} : { response: written }),
        ...(notes === undefined ? {} : { annotations: notes }),
      }
      return { content: asText(output), output }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

/**
 * Adds a missing `multiSelect`, which the official SDK defaults to false, and makes one text of an answer with several labels,
 * which its clients may send as a list.
 */
const completed = (input: unknown): unknown => {
  if (!isPlainObject(input) || !Array.isArray(input["questions"])) return input
  const list: ReadonlyArray<unknown> = input["questions"]
  const given = input["answers"]
  return {
    ...input,
    questions: list.map((one) => (isPlainObject(one) ? { multiSelect: false, ...one } : one)),
    ...(isPlainObject(given) ? { answers: Object.fromEntries(Object.entries(given).map(joined)) } : {}),
  }
}

const joined = ([question, answer]: readonly [string, unknown]): readonly [string, unknown] => [
  question,
  isTexts(answer) ? answer.join(", ") : answer,
]

const isTexts = Schema.is(Schema.Array(Schema.String))

export const askUserQuestionTool: typeof tool = { ...tool, decode: (input) => tool.decode(completed(input)) }

const isOutput = Schema.is(AskUserQuestionOutput)

const isDistinct = (texts: ReadonlyArray<string>): boolean => new Set(texts).size === texts.length

const asText = ({
  questions: asked,
  answers: given,
  annotations: notes = {},
  response: written,
}: AskUserQuestionOutput): ToolOutcome["content"] => {
  const answers = asked.flatMap(({ question }) => {
    const answer = Object.hasOwn(given, question) ? given[question] : undefined
    if (answer === undefined) return []
    const { preview, notes: note } = (Object.hasOwn(notes, question) ? notes[question] : undefined) ?? {}
    const more = [
      ...(preview === undefined ? [] : [`chosen preview:\n${preview}`]),
      ...(note === undefined ? [] : [`notes: ${note}`]),
    ]
    return [[`"${question}"="${answer}"`, ...more].join(" ")]
  })
  const lines = [
    ...(answers.length === 0 ? [] : [`The user answered: ${answers.join(", ")}.`]),
    ...(written === undefined ? [] : [`The user responded: ${written}`]),
  ]
  return lines.length === 0 ? "The user did not answer the questions." : lines.join("\n")
}
