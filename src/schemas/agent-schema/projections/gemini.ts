// Receives a closed JSON Schema; returns the `Schema` object of a Gemini function declaration: a subset of OpenAPI 3.0.
// No additionalProperties, $schema or $ref; types in capitals; counts as int64 texts; `enum` on strings only; an
// `anyOf` is the only keyword of its node; parameter names are `[A-Za-z_][A-Za-z0-9_]{0,63}`, so that `-n` becomes `_n`.
import type { ClosedNode, JsonObject, ObjectNode } from "../closed-json-schema.ts"
import type { SchemaIssueAt } from "../errors.ts"
import type { Projection } from "./projection.ts"

interface Notes {
  readonly issues: Array<SchemaIssueAt>
  readonly renamed: Record<string, string>
}

export const toGemini = (schema: ObjectNode): Projection => {
  const notes: Notes = { issues: [], renamed: {} }
  return { schema: project(schema, "$", notes), ...notes }
}

const project = (node: ClosedNode, path: string, notes: Notes): JsonObject => {
  if ("anyOf" in node) {
    // A union's title and description are copied to each member without its own.
    const { anyOf, ...annotations } = node
    return { anyOf: anyOf.map((member, index) => project({ ...annotations, ...member }, `${path}|${index}`, notes)) }
  }
  const annotations = {
    ...(node.title === undefined ? {} : { title: node.title }),
    ...(node.description === undefined ? {} : { description: node.description }),
  }
  const type = node.type.toUpperCase()
  switch (node.type) {
    case "object":
      return { type, ...annotations, ...members(node, path, notes) }
    case "array":
      return {
        type,
        ...annotations,
        items: project(node.items, `${path}[]`, notes),
        ...count("minItems", node.minItems),
        ...count("maxItems", node.maxItems),
      }
    case "string":
      if (node.enum !== undefined) {
        if (node.enum.includes("")) notes.issues.push({ path, issue: "empty-enum-value-unsupported" })
        return { type, ...annotations, format: "enum", enum: node.enum }
      }
      return {
        type,
        ...annotations,
        ...count("minLength", node.minLength),
        ...count("maxLength", node.maxLength),
        ...(node.pattern === undefined ? {} : { pattern: node.pattern }),
      }
    case "boolean":
      return { type, ...annotations }
    default:
      return {
        type,
        ...annotations,
        ...(node.minimum === undefined ? {} : { minimum: node.minimum }),
        ...(node.maximum === undefined ? {} : { maximum: node.maximum }),
      }
  }
}

const count = (key: string, value: number | undefined): JsonObject => (value === undefined ? {} : { [key]: `${value}` })

const members = (node: ObjectNode, path: string, notes: Notes): JsonObject => {
  const properties: Record<string, JsonObject> = {}
  const names = new Map<string, string>()
  for (const [name, child] of Object.entries(node.properties)) {
    const as = parameterName(name, (taken) => Object.hasOwn(node.properties, taken) || Object.hasOwn(properties, taken))
    if (as !== name) notes.renamed[`${path}.${as}`] = name
    names.set(name, as)
    properties[as] = project(child, `${path}.${as}`, notes)
  }
  if (names.size === 0) notes.issues.push({ path, issue: "empty-object-unsupported" })
  const required = node.required.map((name) => names.get(name))
  return { properties, ...(required.length === 0 ? {} : { required }), propertyOrdering: [...names.values()] }
}

/** The name itself if Gemini accepts it; otherwise the nearest one that is not taken. */
const parameterName = (name: string, taken: (name: string) => boolean): string => {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) return name
  const base = name
    .replace(/[^A-Za-z0-9_]/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, 60)
  let free = base
  for (let index = 2; taken(free); index += 1) free = `${base}_${index}`
  return free
}
