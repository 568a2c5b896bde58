// Receives a tool with one input Schema; returns it with the decoder and the JSON Schema made from that Schema.
// Invariant: what `inputSchema` allows, `decode` accepts, and a refusal names each parameter that is wrong.
import { Effect, Result, Schema, type SchemaIssue } from "effect"
import { type Tool, ToolError } from "./tool.ts"

/** Closes every object of a JSON Schema and drops what is of no use to a model. */
const close = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== "object" || schema === null) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) out[key] = close(value)
  if (out["type"] === "object" && out["properties"] !== undefined) out["additionalProperties"] = false
  return out
}

/** The JSON Schema of a tool's input: an object at the root, closed, without references. */
const inputSchemaOf = (schema: Schema.Top): Readonly<Record<string, unknown>> => {
  const document = Schema.toJsonSchemaDocument(schema)
  // A Struct's document is an object schema, and `close` keeps its shape.
  return close(document.schema) as Record<string, unknown>
}

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  // Only reads own values of JSON; anything else gives undefined.
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  )

const pathName = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join("")

const expectedType = (issue: SchemaIssue.InvalidType): string => {
  const tag = issue.ast._tag
  if (tag === "Arrays") return "array"
  return tag === "Objects" ? "object" : tag.toLowerCase()
}

/** One line per thing that is wrong, in the SDK's form. */
const explain = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, input: unknown): Array<string> => {
  const name = `\`${pathName(path)}\``
  switch (issue._tag) {
    case "Pointer":
      return explain(issue.issue, [...path, ...issue.path], input)
    case "Composite":
      return issue.issues.flatMap((inner) => explain(inner, path, input))
    case "Encoding":
      return explain(issue.issue, path, input)
    case "MissingKey":
      return [`The required parameter ${name} is missing`]
    case "UnexpectedKey":
      return [`An unexpected parameter ${name} was provided`]
    case "InvalidType": {
      const given = typeName(valueAt(input, path))
      if (path.length === 0) return [`The input is expected as \`object\` but provided as \`${given}\``]
      return [`The parameter ${name} type is expected as \`${expectedType(issue)}\` but provided as \`${given}\``]
    }
    case "AnyOf":
      return [`The parameter ${name} has a value that is not allowed`]
    default:
      return [`The parameter ${name} has a value out of bounds`]
  }
}

const MAX_LINES = 20

/** The text for input that does not fit: `InputValidationError: NAME failed due to the following issue(s): …`. */
export const invalidInput = (tool: string, lines: ReadonlyArray<string>): ToolError => {
  const shown = lines.slice(0, MAX_LINES).map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line))
  const more = lines.length > MAX_LINES ? [`(${lines.length - MAX_LINES} more)`] : []
  return new ToolError({
    reason: "invalid_arguments",
    message: `InputValidationError: ${tool} failed due to the following issue(s):\n${[...shown, ...more].join("\n")}`,
  })
}

type Definition<Input> = Omit<Tool<Input>, "decode" | "inputSchema">

/** Completes a tool's definition with the decoder and JSON Schema of `schema`. */
export const makeTool = <Input>(schema: Schema.Codec<Input, unknown>, definition: Definition<Input>): Tool<Input> => {
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(schema))
  return {
    ...definition,
    inputSchema: inputSchemaOf(schema),
    decode: (input) => {
      const result = decode(input, { errors: "all", onExcessProperty: "error" })
      if (Result.isSuccess(result)) return Effect.succeed(result.success)
      return Effect.fail(invalidInput(definition.name, explain(result.failure.issue, [], input)))
    },
  }
}
