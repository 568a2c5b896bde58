// The questions of an AskUserQuestion ask and the answers that a person gives, before they are sent.
// Invariant: an answer that is sent is a label of its question or a custom text; every question has an answer.
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Ask } from "../../client/api/session-shapes.ts"
import { textOf } from "./ask-model.ts"

export interface QuestionOption {
  readonly label: string
  readonly description: string
  readonly preview: string | null
}

export interface Question {
  readonly question: string
  readonly header: string
  readonly options: ReadonlyArray<QuestionOption>
  readonly isMultiple: boolean
}

/** The choice for one question; the custom text `other` counts only if `usesOther` is true. */
export interface Choice {
  readonly labels: ReadonlyArray<string>
  readonly usesOther: boolean
  readonly other: string
}

export const NO_CHOICE: Choice = { labels: [], usesOther: false, other: "" }

const listOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isPlainObject) : []

export const questionsOf = ({ input }: Ask): ReadonlyArray<Question> =>
  listOf(input["questions"]).map(({ question, header, options, multiSelect }) => ({
    question: textOf(question) ?? "",
    header: textOf(header) ?? "",
    isMultiple: multiSelect === true,
    options: listOf(options).map(({ label, description, preview }) => ({
      label: textOf(label) ?? "",
      description: textOf(description) ?? "",
      preview: textOf(preview) ?? null,
    })),
  }))

/** Applies a click on a label: a single choice is replaced, in a multiple choice the label is added or removed. */
export const choose = (choice: Choice, label: string, isMultiple: boolean): Choice => {
  if (!isMultiple) return { ...choice, labels: [label], usesOther: false }
  const has = choice.labels.includes(label)
  return { ...choice, labels: has ? choice.labels.filter((other) => other !== label) : [...choice.labels, label] }
}

/** Applies a custom text: it replaces a single choice, and is added to a multiple choice. */
export const chooseOther = (choice: Choice, other: string, isMultiple: boolean): Choice => ({
  labels: isMultiple ? choice.labels : [],
  usesOther: true,
  other,
})

const given = ({ labels, usesOther, other }: Choice): ReadonlyArray<string> =>
  usesOther && other.trim() !== "" ? [...labels, other.trim()] : labels

/** The answers in the API's form, or the first question without an answer. */
export const answersOf = (
  questions: ReadonlyArray<Question>,
  choices: ReadonlyArray<Choice>,
): { readonly answers: Readonly<Record<string, string | ReadonlyArray<string>>> } | { readonly missing: number } => {
  const texts = questions.map((_, index) => given(choices[index] ?? NO_CHOICE))
  const missing = texts.findIndex((list) => list.length === 0)
  if (missing >= 0) return { missing }
  const entries = questions.map(({ question, isMultiple }, index): [string, string | ReadonlyArray<string>] => {
    const list = texts[index] ?? []
    return [question, isMultiple ? list : (list[0] ?? "")]
  })
  return { answers: Object.fromEntries(entries) }
}
