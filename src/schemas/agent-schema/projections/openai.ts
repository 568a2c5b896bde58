// Receives a closed JSON Schema; returns it under the rules of OpenAI's strict mode (functions and structured output).
// Every property is required, and an optional one may be null instead; keywords that strict mode does not support are
// dropped (lengths of strings, patterns with look-around), and its limits are checked.
import type { ClosedNode, JsonObject, ObjectNode } from "../closed-json-schema.ts"
import type { SchemaIssueAt } from "../errors.ts"
import type { Projection } from "./projection.ts"

/** The limits that OpenAI publishes for Structured Outputs. */
const OPENAI_LIMITS = {
  properties: 5000,
  /** Levels of objects; the root is the first. */
  depth: 10,
  enumValues: 1000,
  /** Characters of all property names and enum values together. */
  nameCharacters: 120_000,
  /** An enum of more than `longEnum` values has at most this many characters. */
  longEnum: 250,
  longEnumCharacters: 15_000,
}

const LOOK_AROUND = /\(\?<?[=!]/

export const toOpenAi = (schema: ObjectNode): Projection => ({
  schema: strict(schema),
  issues: limitIssues(schema),
  renamed: {},
})

const strict = (node: ClosedNode): JsonObject => {
  if ("anyOf" in node) return { ...node, anyOf: node.anyOf.map(strict) }
  switch (node.type) {
    case "object":
      return {
        ...node,
        properties: Object.fromEntries(
          Object.entries(node.properties).map(([name, child]) => [
            name,
            node.required.includes(name) ? strict(child) : nullable(strict(child)),
          ]),
        ),
        required: Object.keys(node.properties),
      }
    case "array":
      return { ...node, items: strict(node.items) }
    case "string": {
      const { minLength: _, maxLength: __, pattern, ...rest } = node
      return pattern === undefined || LOOK_AROUND.test(pattern) ? rest : { ...rest, pattern }
    }
    default:
      return { ...node }
  }
}

const nullable = (schema: JsonObject): JsonObject => {
  const { anyOf, type, enum: values } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] }
  return {
    ...schema,
    type: [type, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}

const limitIssues = (schema: ObjectNode): ReadonlyArray<SchemaIssueAt> => {
  const issues: Array<SchemaIssueAt> = []
  let properties = 0
  let enumValues = 0
  let characters = 0
  const visit = (node: ClosedNode, path: string, depth: number): void => {
    if ("anyOf" in node) {
      node.anyOf.forEach((member, index) => visit(member, `${path}|${index}`, depth))
    } else if (node.type === "array") {
      visit(node.items, `${path}[]`, depth)
    } else if (node.type === "object") {
      if (depth > OPENAI_LIMITS.depth) {
        issues.push({ path, issue: "nesting-too-deep" })
        return
      }
      for (const [name, child] of Object.entries(node.properties)) {
        properties += 1
        characters += name.length
        visit(child, `${path}.${name}`, depth + 1)
      }
    } else if (node.type === "string" && node.enum !== undefined) {
      const length = node.enum.reduce((sum, value) => sum + value.length, 0)
      enumValues += node.enum.length
      characters += length
      if (node.enum.length > OPENAI_LIMITS.longEnum && length > OPENAI_LIMITS.longEnumCharacters) {
        issues.push({ path, issue: "enum-too-long" })
      }
    }
  }
  visit(schema, "$", 1)
  if (properties > OPENAI_LIMITS.properties) issues.push({ path: "$", issue: "too-many-properties" })
  if (enumValues > OPENAI_LIMITS.enumValues) issues.push({ path: "$", issue: "too-many-enum-values" })
  if (characters > OPENAI_LIMITS.nameCharacters) issues.push({ path: "$", issue: "names-too-long" })
  return issues
}
