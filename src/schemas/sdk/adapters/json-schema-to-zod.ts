// Receives a JSON Schema of a tool of another server or a client; returns a zod 4 schema for the keywords that it supports.
// Invariant: it never refuses a schema. Unsupported parts become `z.any()`, so the result may accept more than the JSON Schema
// does, and never less: a caller that needs the whole schema enforced must also validate with it.
// Supported: `type` (one name or several), `properties`, `required`, `additionalProperties: false`, `items`, `enum`,
// `const`, `oneOf`/`anyOf` (so also a union with null), string and number bounds, `description`.
import * as z from "zod"
import { isPlainObject } from "../../plain-object.ts"

type Json = Readonly<Record<string, unknown>>

/** Below this many levels everything is `z.any()`. */
const MAX_DEPTH = 20
const MAX_MEMBERS = 500

/** The zod schema of a JSON Schema. */
export const jsonSchemaToZod = (schema: unknown): z.ZodType => convert(schema, 0)

const convert = (schema: unknown, depth: number): z.ZodType => {
  if (!isPlainObject(schema) || depth >= MAX_DEPTH) return z.any()
  const made = shapeOf(schema, depth)
  return typeof schema["description"] === "string" ? made.describe(schema["description"]) : made
}

const shapeOf = (schema: Json, depth: number): z.ZodType => {
  if (Array.isArray(schema["enum"])) return oneOfValues(schema["enum"])
  if ("const" in schema) return oneOfValues([schema["const"]])
  const members = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(members)) return union(members, depth)
  const { type } = schema
  if (Array.isArray(type))
    return union(
      type.map((name) => ({ ...schema, type: name })),
      depth,
    )
  switch (type) {
    case "object":
      return object(schema, depth)
    case "array":
      return array(schema, depth)
    case "string":
      return text(schema)
    case "number":
      return bounded(z.number(), schema)
    case "integer":
      return bounded(z.number().refine(Number.isInteger, { error: "expected an integer" }), schema)
    case "boolean":
      return z.boolean()
    case "null":
      return z.null()
    default:
      return z.any()
  }
}

type Scalar = string | number | boolean | null
const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const oneOfValues = (values: ReadonlyArray<unknown>): z.ZodType =>
  values.length > 0 && values.length <= MAX_MEMBERS && values.every(isScalar) ? z.literal(values) : z.any()

const union = (members: ReadonlyArray<unknown>, depth: number): z.ZodType =>
  members.length === 0 || members.length > MAX_MEMBERS
    ? z.any()
    : z.union(members.map((member) => convert(member, depth + 1)))

const object = (schema: Json, depth: number): z.ZodType => {
  const properties = isPlainObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  if (properties.length > MAX_MEMBERS) return z.record(z.string(), z.any())
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const shape = properties.map(([name, property]): [string, z.ZodType] => {
    const field = convert(property, depth + 1)
    return [name, required.includes(name) ? field : z.exactOptional(field)]
  })
  const fields = Object.fromEntries(shape)
  // A required key without a schema must be present, with any value.
  const bare = required.filter((name): name is string => typeof name === "string" && !Object.hasOwn(fields, name))
  const closed = schema["additionalProperties"] === false && schema["patternProperties"] === undefined
  const made = closed ? z.strictObject(fields) : z.looseObject(fields)
  return bare.length === 0 ? made : made.refine((value) => bare.every((name) => Object.hasOwn(value, name)))
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined

const array = (schema: Json, depth: number): z.ZodType => {
  const made = z.array(convert(schema["items"], depth + 1))
  const [min, max] = [count(schema["minItems"]), count(schema["maxItems"])]
  const low = min === undefined ? made : made.min(min)
  return max === undefined ? low : low.max(max)
}

/** Lengths count code points, as in JSON Schema. */
const text = (schema: Json): z.ZodType => {
  const [min, max] = [count(schema["minLength"]) ?? 0, count(schema["maxLength"]) ?? Number.MAX_SAFE_INTEGER]
  if (min === 0 && max === Number.MAX_SAFE_INTEGER) return z.string()
  const fits = (value: string) => {
    const length = codePoints(value)
    return length >= min && length <= max
  }
  return z.string().refine(fits, { error: "the text is too short or too long" })
}

const codePoints = (value: string): number => {
  let total = value.length
  for (let at = 0; at < value.length; at += 1) {
    if (value.codePointAt(at)! > 0xffff) {
      total -= 1
      at += 1
    }
  }
  return total
}

const bounded = (made: z.ZodNumber, schema: Json): z.ZodNumber => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  let out = made
  if (typeof minimum === "number") out = out.min(minimum)
  if (typeof maximum === "number") out = out.max(maximum)
  if (typeof exclusiveMinimum === "number") out = out.gt(exclusiveMinimum)
  if (typeof exclusiveMaximum === "number") out = out.lt(exclusiveMaximum)
  return out
}
