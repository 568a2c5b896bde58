// Forms of MCP servers from their JSON Schema.
import { expect, test } from "vitest"
import { contentOf, formOf, initialValues } from "../../../src/console/ask/form-schema.ts"

const SCHEMA = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    mail: { type: "string", format: "email" },
    age: { type: "integer", minimum: 1, maximum: 150 },
    news: { type: "boolean", default: true },
    colour: { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
    size: { type: "string", oneOf: [{ const: "s", title: "Small" }, { const: "l" }] },
    days: { type: "array", minItems: 1, items: { enum: ["mon", "tue"] } },
  },
}

test("each field has its kind, title and choices", () => {
  expect(formOf(SCHEMA)).toMatchObject([
    { name: "name", title: "Your name", kind: "text", isRequired: true, min: 2 },
    { name: "mail", kind: "text", format: "email", isRequired: false },
    { name: "age", kind: "number", format: "integer", min: 1, max: 150 },
    { name: "news", kind: "yes-no", initial: true },
    {
      name: "colour",
      kind: "choice",
      choices: [
        { value: "r", title: "Red" },
        { value: "b", title: "Blue" },
      ],
    },
    {
      name: "size",
      kind: "choice",
      choices: [
        { value: "s", title: "Small" },
        { value: "l", title: "l" },
      ],
    },
    { name: "days", kind: "choices", choices: [{ value: "mon" }, { value: "tue" }], min: 1 },
  ])
})

test("an invalid form has no fields", () => {
  expect(formOf(undefined)).toEqual([])
  expect(formOf({ type: "object" })).toEqual([])
  expect(formOf({ properties: { a: 1 } })).toEqual([])
})

test("the content has numbers as numbers and leaves empty fields out", () => {
  const fields = formOf(SCHEMA)
  const values = { ...initialValues(fields), name: "Ada", age: "36", days: ["mon"] }
  expect(contentOf(fields, values)).toEqual({ content: { name: "Ada", age: 36, news: true, days: ["mon"] } })
})

test("the first invalid field is named", () => {
  const fields = formOf(SCHEMA)
  const values = initialValues(fields)
  expect(contentOf(fields, values)).toEqual({ field: "name", problem: "Your name is needed." })
  expect(contentOf(fields, { ...values, name: "A" })).toMatchObject({ field: "name" })
  expect(contentOf(fields, { ...values, name: "Ada", age: "1.5" })).toMatchObject({
    problem: "age must be a whole number.",
  })
  expect(contentOf(fields, { ...values, name: "Ada", age: "x" })).toMatchObject({ problem: "age must be a number." })
  expect(contentOf(fields, { ...values, name: "Ada", age: " " })).toMatchObject({ problem: "age must be a number." })
  expect(contentOf(formOf({ properties: { n: { type: "number" } } }), { n: " " })).toMatchObject({ field: "n" })
  expect(contentOf(fields, { ...values, name: "Ada", age: "0" })).toMatchObject({ problem: "age must be at least 1." })
})

test("characters that turn texts around are shown by their names, and values keep them", () => {
  const enums = { type: "string", enum: ["a\u202Eb"], title: "Which\u202E", description: "One\u202E" }
  expect(formOf({ type: "object", properties: { pick: enums } })).toMatchObject([
    { title: "Which⟨U+202E⟩", description: "One⟨U+202E⟩", choices: [{ value: "a\u202Eb", title: "a⟨U+202E⟩b" }] },
  ])
})
