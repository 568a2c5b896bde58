// Receives the input of a tool call and the tool's JSON Schema; returns the input with quoted parameters as values.
// Models sometimes quote what is not a text: `"limit": "5"`, `"items": "[1, 2]"`. As in the official SDK, a parameter of the call
// (not one inside another) is read as JSON if its schema accepts no text.
// Invariant: an input without such a parameter is returned as it is.
import * as Result from "effect/Result"
import { isPlainObject } from "../schemas/plain-object.ts"
import { parseJson } from "../schemas/bounded-json.ts"

type Type = "array" | "boolean" | "null" | "number" | "object" | "string"

/** How many references and unions a schema may nest before it counts as one that accepts everything. */
const MAX_DEPTH = 8

const typeOf = (value: unknown): Type => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value as Type // a value of JSON
}

const target = (root: unknown, ref: string): unknown =>
  ref.startsWith("#/")
    ? ref
        .slice(2)
        .split("/")
        .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
    : undefined

/** The types of the values that a schema accepts; null for any. */
const typesOf = (schema: unknown, root: unknown, depth = 0): ReadonlyArray<Type> | null => {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return null
  const { type, $ref: ref } = schema
  if (typeof ref === "string") return typesOf(target(root, ref), root, depth + 1)
  // A name that is not a type equals the type of no value, so it can do no harm.
  if (type !== undefined) return [type].flat().map((one) => (one === "integer" ? "number" : one)) as Array<Type>
  if ("const" in schema) return [typeOf(schema["const"])]
  if (Array.isArray(schema["enum"])) return schema["enum"].map(typeOf)
  const members = schema["anyOf"] ?? schema["oneOf"]
  if (!Array.isArray(members)) return null
  const all = members.map((member) => typesOf(member, root, depth + 1))
  return all.includes(null) ? null : all.flatMap((types) => types ?? [])
}

/** The value that a text quotes: a list, an object, true, false, or a number in its shortest form. */
const quotedValue = (text: string): unknown => {
  if (text === "true" || text === "false") return text === "true"
  if (String(Number(text)) === text) return Number.isFinite(Number(text)) ? Number(text) : undefined
  return /^\s*[[{]/.test(text) ? Result.getOrUndefined(parseJson(text)) : undefined
}

export const withoutQuotes = (schema: Readonly<Record<string, unknown>>, input: unknown): unknown => {
  const { properties } = schema
  if (!isPlainObject(input) || !isPlainObject(properties)) return input
  const changed = Object.entries(input).flatMap(([name, given]): ReadonlyArray<readonly [string, unknown]> => {
    if (typeof given !== "string" || !Object.hasOwn(properties, name)) return []
    const types = typesOf(properties[name], schema)
    if (types === null || types.includes("string")) return []
    const value = quotedValue(given)
    return value !== undefined && types.includes(typeOf(value)) ? [[name, value]] : []
  })
  return changed.length === 0 ? input : { ...input, ...Object.fromEntries(changed) }
}
