// Receives the components of the document; adds the descriptions and examples that their fields lack, from the glossaries,
// and builds examples of whole values from those.
// Invariant: a schema's own description or example is never replaced.
import { type Glossary, glossaryEntry } from "../../schemas/glossary/glossary.ts"
import { type Json, membersOf } from "./tidy.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

const PREFIX = "#/components/schemas/"

/** Fills in descriptions and examples, in place. */
export const describeAll = (schemas: Record<string, Json>, glossary: Glossary): void => {
  const places = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const { properties } = schema
    if (!isPlainObject(properties)) continue
    const described = Object.entries(properties).map(([field, value]) => {
      if (!isPlainObject(value)) return [field, value]
      const entry = glossaryEntry(glossary, name, field)
      for (const ref of refsOf(value)) if (entry !== undefined) places.set(ref, places.get(ref) ?? entry[0])
      return [field, describeField(value, entry)]
    })
    schemas[name] = { ...schema, properties: Object.fromEntries(described) }
  }
  for (const [union, schema] of Object.entries(schemas)) {
    for (const member of unionMembers(schema)) {
      for (const ref of refsOf(member)) places.set(ref, places.get(ref) ?? describeMember(schemas[ref], union))
    }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (typeof schema["description"] === "string" || "$ref" in schema) continue
    const description = glossary[`#${name}`]?.[0] ?? places.get(name)
    if (description !== undefined) schemas[name] = { ...schema, description }
  }
}

/** Returns a field with its description and example. A reference stays as it is: its target has the description. */
export const describeField = (field: Json, entry: Glossary[string] | undefined): Json => {
  if ("$ref" in field) return field
  if (typeof field["const"] === "string")
    return { ...field, description: field["description"] ?? `Always \`${field["const"]}\`.` }
  if (entry === undefined) return field
  const [description, example] = entry
  const known = "examples" in field || "const" in field || "enum" in field
  const examples = known || !fits(example, field) ? {} : { examples: [example] }
  return { ...field, description: field["description"] ?? description, ...examples }
}

/** Whether a glossary's example has the field's type: fields of the same name may have different types. */
const fits = (example: unknown, { type, items }: Json): boolean => {
  if (example === undefined) return false
  if (Array.isArray(example) && isPlainObject(items) && !("type" in items)) return false
  if (Array.isArray(example) && isPlainObject(items))
    return type === "array" && example.every((each) => fits(each, items))
  const kind = example === null ? "null" : Array.isArray(example) ? "array" : typeof example
  const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
  return types.some((each) => each === kind || (kind === "number" && (each === "integer" || each === "number")))
}

/** The members of all unions inside a schema. */
const unionMembers = (node: unknown): ReadonlyArray<Json> => {
  if (Array.isArray(node)) return node.flatMap(unionMembers)
  if (!isPlainObject(node)) return []
  const own = membersOf(node, "oneOf") ?? membersOf(node, "anyOf") ?? []
  return [...own, ...Object.values(node).flatMap(unionMembers)]
}

/** "The ContentBlock of type `text`." */
const describeMember = (member: Json | undefined, union: string): string => {
  const { properties } = member ?? {}
  const tag = Object.entries(isPlainObject(properties) ? properties : {}).find(
    ([, field]) => isPlainObject(field) && "const" in field,
  )
  if (tag === undefined || !isPlainObject(tag[1])) return `A form of ${union}.`
  return `The ${union} of ${tag[0]} \`${String(tag[1]["const"])}\`.`
}

const refsOf = (node: Json): ReadonlyArray<string> => {
  const inner = [node, node["items"], node["additionalProperties"], ...(membersOf(node, "anyOf") ?? [])]
  return inner.flatMap((each) =>
    isPlainObject(each) && typeof each["$ref"] === "string" ? [each["$ref"].slice(PREFIX.length)] : [],
  )
}

/** The deepest level of nesting in an example. */
const MAX_DEPTH = 12

/** Builds an example value of a schema from the examples of its fields; undefined beyond MAX_DEPTH. */
export const exampleOf = (schemas: Readonly<Record<string, Json>>, node: Json, depth = 0): unknown => {
  const ref = node["$ref"]
  if (typeof ref === "string") return exampleOf(schemas, schemas[ref.slice(PREFIX.length)] ?? {}, depth)
  if (Array.isArray(node["examples"])) return node["examples"][0]
  if ("const" in node) return node["const"]
  if (Array.isArray(node["enum"])) return node["enum"][0]
  if (depth > MAX_DEPTH) return undefined
  const members = membersOf(node, "oneOf") ?? membersOf(node, "anyOf")
  // Beyond half of the depth, nullable values are null.
  if (depth > MAX_DEPTH / 2 && members?.some((member) => member["type"] === "null")) return null
  if (members?.[0] !== undefined) return exampleOf(schemas, members[0], depth + 1)
  const type: unknown = Array.isArray(node["type"]) ? node["type"][0] : node["type"]
  const { properties, items } = node
  if (isPlainObject(properties)) {
    const required: ReadonlyArray<unknown> = Array.isArray(node["required"]) ? node["required"] : []
    const shown = Object.entries(properties).filter(([name]) => required.includes(name))
    return Object.fromEntries(
      shown.map(([name, field]) => [name, isPlainObject(field) ? exampleOf(schemas, field, depth + 1) : null]),
    )
  }
  if (type === "array") return isPlainObject(items) && depth < 4 ? [exampleOf(schemas, items, depth + 1)] : []
  if (type === "object") return {}
  return { string: "text", integer: 1, number: 1, boolean: true }[String(type)] ?? null
}
