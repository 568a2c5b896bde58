// Receives the form that an MCP server asks a user to fill in, and the user's content; returns the content as the server gets
// it, or what is wrong with it and in which field.
// Invariant: as in MCP, a form is flat: strings, numbers, booleans and choices. Returned content matches its form, and a
// field without a value has its default.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ownValue } from "../../schemas/own-value.ts"

const opt = Schema.optionalKey
const MAX_FIELDS = 100

const Choice = Schema.Struct({ const: Schema.String })
const TextField = Schema.Struct({
  type: Schema.Literal("string"),
  minLength: opt(Schema.Finite),
  maxLength: opt(Schema.Finite),
  format: opt(Schema.String),
  enum: opt(Schema.Array(Schema.String)),
  oneOf: opt(Schema.Array(Choice)),
  default: opt(Schema.String),
})
const NumberField = Schema.Struct({
  type: Schema.Literals(["number", "integer"]),
  minimum: opt(Schema.Finite),
  maximum: opt(Schema.Finite),
  default: opt(Schema.Finite),
})
const BooleanField = Schema.Struct({ type: Schema.Literal("boolean"), default: opt(Schema.Boolean) })
const ChoicesField = Schema.Struct({
  type: Schema.Literal("array"),
  minItems: opt(Schema.Finite),
  maxItems: opt(Schema.Finite),
  items: Schema.Struct({
    type: opt(Schema.Literal("string")),
    enum: opt(Schema.Array(Schema.String)),
    anyOf: opt(Schema.Array(Choice)),
  }),
  default: opt(Schema.Array(Schema.String)),
})
const Field = Schema.Union([TextField, NumberField, BooleanField, ChoicesField])
type Field = typeof Field.Type

const Form = Schema.Struct({
  type: opt(Schema.Literal("object")),
  properties: opt(Schema.Record(Schema.String, Field).check(Schema.isMaxProperties(MAX_FIELDS))),
  required: opt(Schema.Array(Schema.String)),
})
const decodeForm = Schema.decodeUnknownResult(Form)

type Value = string | number | boolean | ReadonlyArray<string>
type Content = Readonly<Record<string, Value>>

/** True for a schema that can be shown to a user as a form. */
export const isForm = (schema: unknown): boolean => Result.isSuccess(decodeForm(schema))

/** Messages quote field names up to this many characters. */
const MAX_NAME = 200

export const readForm = (
  schema: unknown,
  content: Content,
): { readonly content: Content } | { readonly problem: string; readonly field: string } => {
  // The form was checked before the ask was opened; a server without a form accepts no content.
  const { properties = {}, required = [] } = Result.getOrElse(decodeForm(schema ?? {}), () => ({}) as typeof Form.Type)
  const wrong = (name: string, why: string) => {
    return { problem: why, field: `content.${name.slice(0, MAX_NAME)}` }
  }
  const read: Record<string, Value> = {}
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (field === undefined) return wrong(name, "is not a field of the form")
    const why = issueOf(field, value)
    if (why !== undefined) return wrong(name, why)
    read[name] = value
  }
  for (const [name, { default: value }] of Object.entries(properties)) {
    if (!Object.hasOwn(read, name) && value !== undefined) read[name] = value
  }
  const missing = required.find((name) => !Object.hasOwn(read, name))
  return missing === undefined ? { content: read } : wrong(missing, "is missing: the form requires it")
}

const issueOf = (field: Field, value: Value): string | undefined => {
  switch (field.type) {
    case "string":
      return typeof value === "string" ? textIssue(field, value) : "must be a string"
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "array":
      return Array.isArray(value) ? choicesIssue(field, value) : "must be a list of texts"
    default:
      return typeof value === "number" ? numberIssue(field, value) : "must be a number"
  }
}

const textIssue = (field: typeof TextField.Type, value: string): string | undefined => {
  const choices = field.enum ?? field.oneOf?.map((choice) => choice.const)
  if (choices !== undefined) return choices.includes(value) ? undefined : "must be one of the form's choices"
  // Code points, as JSON Schema counts characters.
  const { length } = Array.from(value)
  if (length < (field.minLength ?? 0)) return `must have at least ${field.minLength} characters`
  if (length > (field.maxLength ?? Infinity)) return `must have at most ${field.maxLength} characters`
  const format = ownValue(FORMATS, field.format ?? "")
  return format === undefined || format.is(value) ? undefined : `must be ${format.name}`
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** True for a day that exists in the calendar. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const at = Date.parse(`${day}T00:00:00Z`)
  return DATE.test(day) && Number.isFinite(at) && new Date(at).toISOString().startsWith(day)
}

/** The formats that MCP defines; others are not checked. */
const FORMATS: Readonly<Record<string, { readonly name: string; readonly is: (text: string) => boolean }>> = {
  email: { name: "an email address", is: (text) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text) },
  uri: { name: "a URI", is: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text) && URL.canParse(text) },
  date: { name: "a date such as 2026-01-31", is: (text) => DATE.test(text) && isDay(text) },
  "date-time": {
    name: "a date and time such as 2026-01-31T12:00:00Z",
    is: (text) => MOMENT.test(text) && isDay(text) && Number.isFinite(Date.parse(text)),
  },
}

const numberIssue = (field: typeof NumberField.Type, value: number): string | undefined => {
  if (field.type === "integer" && !Number.isInteger(value)) return "must be an integer"
  if (value < (field.minimum ?? -Infinity)) return `must be at least ${field.minimum}`
  return value > (field.maximum ?? Infinity) ? `must be at most ${field.maximum}` : undefined
}

const choicesIssue = (field: typeof ChoicesField.Type, values: ReadonlyArray<string>): string | undefined => {
  const choices = field.items.enum ?? field.items.anyOf?.map((choice) => choice.const)
  if (choices !== undefined && !values.every((value) => choices.includes(value))) {
    return "must contain only the form's choices"
  }
  if (values.length < (field.minItems ?? 0)) return `must have at least ${field.minItems} choices`
  return values.length > (field.maxItems ?? Infinity) ? `must have at most ${field.maxItems} choices` : undefined
}
