// The questions of an AskUserQuestion ask and the answers that a person gives, before they are sent.
// Invariant: an answer that is sent is a label of its question or a text of the person's own; every question has one.
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

/** What is chosen for one question; `other` counts while `usesOther`. */
export interface Choice {
  readonly labels: ReadonlyArray<string>
  readonly usesOther: boolean
  readonly other: string
}

export const NO_CHOICE: Choice = { labels: [], usesOther: false, other: "" }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isRecord) : []

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

/** A label was clicked: of one choice it replaces the others, of several it is added or removed. */
export const choose = (choice: Choice, label: string, isMultiple: boolean): Choice => {
  if (!isMultiple) return { ...choice, labels: [label], usesOther: false }
  const has = choice.labels.includes(label)
  return { ...choice, labels: has ? choice.labels.filter((other) => other !== label) : [...choice.labels, label] }
}

/** A text of one's own: of one choice it replaces the label, of several it goes with them. */
export const chooseOther = (choice: Choice, other: string, isMultiple: boolean): Choice => ({
  labels: isMultiple ? choice.labels : [],
  usesOther: true,
  other,
})

const given = ({ labels, usesOther, other }: Choice): ReadonlyArray<string> =>
  usesOther && other.trim() !== "" ? [...labels, other.trim()] : labels

/** The answers as the API takes them, or the question that has none yet. */
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
