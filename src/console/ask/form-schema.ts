// Receives the JSON Schema of an elicitation; returns its form. Receives the values of the form; returns the content to send.
// Invariant: as in MCP, a form is flat: texts, numbers, yes or no, and choices. An empty optional field is omitted.

import { isPlainObject } from "../../schemas/plain-object.ts"
import { visibleText } from "../kit/text/visible-text.ts"

export interface FormChoice {
  readonly value: string
  readonly title: string
}

export interface FormField {
  readonly name: string
  readonly title: string
  readonly description: string | null
  readonly isRequired: boolean
  readonly kind: "text" | "number" | "yes-no" | "choice" | "choices"
  /** The format of the field's text. */
  readonly format: "text" | "email" | "uri" | "date" | "number" | "integer"
  readonly choices: ReadonlyArray<FormChoice>
  readonly min: number | null
  readonly max: number | null
  readonly initial: FormValue
}

/** The value of a field on the page: a number is a text until it is sent. */
export type FormValue = string | boolean | ReadonlyArray<string>
export type FormValues = Readonly<Record<string, FormValue>>
export type FormContent = Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>

type Json = Readonly<Record<string, unknown>>

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)
const number = (value: unknown): number | null => (typeof value === "number" ? value : null)
const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

const formatOf = ({ type, format }: Json): FormField["format"] => {
  if (type === "number" || type === "integer") return type
  return format === "email" || format === "uri" || format === "date" ? format : "text"
}

const choicesOf = (schema: Json): ReadonlyArray<FormChoice> => {
  const options = schema["oneOf"] ?? schema["anyOf"]
  if (Array.isArray(options)) {
    return options.filter(isPlainObject).flatMap((option) => {
      const value = text(option["const"])
      return value === null ? [] : [{ value, title: visibleText(text(option["title"]) ?? value) }]
    })
  }
  const names = texts(schema["enumNames"])
  return texts(schema["enum"]).map((value, index) => ({ value, title: visibleText(names[index] ?? value) }))
}

const kindOf = (schema: Json, choices: ReadonlyArray<FormChoice>): FormField["kind"] => {
  switch (schema["type"]) {
    case "boolean":
      return "yes-no"
    case "number":
    case "integer":
      return "number"
    case "array":
      return "choices"
    default:
      return choices.length > 0 ? "choice" : "text"
  }
}

const initialOf = (kind: FormField["kind"], value: unknown): FormValue => {
  if (kind === "yes-no") return value === true
  if (kind === "choices") return texts(value)
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

/** The fields in the order of the schema; none if the schema does not describe a form. */
export const formOf = (schema: unknown): ReadonlyArray<FormField> => {
  if (!isPlainObject(schema) || !isPlainObject(schema["properties"])) return []
  const required = texts(schema["required"])
  return Object.entries(schema["properties"]).flatMap(([name, field]) => {
    if (!isPlainObject(field)) return []
    const choices = choicesOf(field["type"] === "array" && isPlainObject(field["items"]) ? field["items"] : field)
    const kind = kindOf(field, choices)
    const description = text(field["description"])
    return [
      {
        name,
        title: visibleText(text(field["title"]) ?? name),
        description: description === null ? null : visibleText(description),
        isRequired: required.includes(name),
        kind,
        format: formatOf(field),
        choices,
        min: number(field[kind === "number" ? "minimum" : kind === "choices" ? "minItems" : "minLength"]),
        max: number(field[kind === "number" ? "maximum" : kind === "choices" ? "maxItems" : "maxLength"]),
        initial: initialOf(kind, field["default"]),
      } satisfies FormField,
    ]
  })
}

export const initialValues = (fields: ReadonlyArray<FormField>): FormValues =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))

const isEmpty = (value: FormValue): boolean => value === "" || (Array.isArray(value) && value.length === 0)

/** The problem with a field's value; null when it is valid. */
const problemOf = (field: FormField, value: FormValue): string | null => {
  if (isEmpty(value)) return field.isRequired ? `${field.title} is needed.` : null
  const { min, max } = field
  if (field.kind === "number") {
    // Number(" ") is 0.
    const given = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
    if (!Number.isFinite(given)) return `${field.title} must be a number.`
    if (field.format === "integer" && !Number.isInteger(given)) return `${field.title} must be a whole number.`
    if (min !== null && given < min) return `${field.title} must be at least ${min}.`
    return max !== null && given > max ? `${field.title} must be at most ${max}.` : null
  }
  if (typeof value === "boolean" || field.kind === "choice") return null
  const length = typeof value === "string" ? Array.from(value).length : value.length
  const unit = typeof value === "string" ? "characters" : "choices"
  if (min !== null && length < min) return `${field.title} must have at least ${min} ${unit}.`
  return max !== null && length > max ? `${field.title} must have at most ${max} ${unit}.` : null
}

/** The content to send, or the first invalid field and its problem. */
export const contentOf = (
  fields: ReadonlyArray<FormField>,
  values: FormValues,
): { readonly content: FormContent } | { readonly field: string; readonly problem: string } => {
  const content: Record<string, FormContent[string]> = {}
  for (const field of fields) {
    const value = values[field.name] ?? field.initial
    const problem = problemOf(field, value)
    if (problem !== null) return { field: field.name, problem }
    if (!isEmpty(value)) content[field.name] = field.kind === "number" ? Number(value) : value
  }
  return { content }
}
