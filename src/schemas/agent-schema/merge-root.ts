// Receives the root of a sent JSON Schema; returns it as one object schema, the only form that the Messages API accepts there.
// A union of objects at the root becomes one object with the properties of all: the model sees a wider schema than was
// sent, but values are still checked against the sent one.
import type { JsonObject } from "./closed-json-schema.ts"
import { localPointer } from "./dialect-keywords.ts"
import { isPlainObject } from "../plain-object.ts"

/** The properties of an object schema, or of several that were combined. */
interface Shape {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: ReadonlySet<string>
  readonly closed: boolean
}

/** Returns the schema at a local pointer. Cyclic references were refused before. */
export type Resolve = (pointer: string) => unknown

/** The most members, nested ones included, that a root may combine. */
const MAX_MEMBERS = 200

/** The root as an object schema; or the name of the issue when it can't be one. */
export const mergeRoot = (root: JsonObject, lookUp: Resolve): JsonObject | "root-object-required" | "too-large" => {
  const { anyOf, oneOf, allOf, $ref, ...rest } = root
  if ([anyOf, oneOf, allOf, $ref].every((part) => part === undefined)) {
    if (!isObjectLike(root)) return "root-object-required"
    return { ...root, type: "object", properties: root["properties"] ?? {} }
  }
  const walk: Walk = { resolve: lookUp, left: MAX_MEMBERS }
  const shape = shapeOf(root, walk)
  if (walk.left < 0) return "too-large"
  if (shape === undefined) return "root-object-required"
  return {
    ...rest,
    type: "object",
    properties: shape.properties,
    ...(shape.required.size === 0 ? {} : { required: [...shape.required] }),
    ...(shape.closed ? { additionalProperties: false } : { additionalProperties: true }),
  }
}

const isObjectLike = ({ type }: JsonObject): boolean =>
  type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))

interface Walk {
  readonly resolve: Resolve
  /** How many more members may be visited, since references can require exponentially many. */
  left: number
}

const shapeOf = (node: unknown, walk: Walk): Shape | undefined => {
  walk.left -= 1
  if (walk.left < 0) return undefined
  if (node === true) return OPEN
  if (!isPlainObject(node) || !isObjectLike(node)) return undefined
  const parts: Array<Shape> = OWN.some((keyword) => node[keyword] !== undefined) ? [ownShape(node)] : []
  const target = typeof node["$ref"] === "string" ? localPointer(node["$ref"]) : undefined
  const all = [...(target === undefined ? [] : [walk.resolve(target)]), ...listOf(node["allOf"])]
  for (const member of all) {
    const shape = shapeOf(member, walk)
    if (shape === undefined) return undefined
    parts.push(shape)
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const members = listOf(node[keyword])
    if (members.length === 0) continue
    // A tool is always called with an object, so other members are left out.
    const shapes = members.map((member) => shapeOf(member, walk)).filter((shape) => shape !== undefined)
    if (shapes.length === 0) return undefined
    parts.push(shapes.reduce(either))
  }
  return parts.length === 0 ? OPEN : parts.reduce(merged)
}

const OWN = ["properties", "required", "additionalProperties"]

const OPEN: Shape = { properties: {}, required: new Set(), closed: false }

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const ownShape = (node: JsonObject): Shape => {
  const names = listOf(node["required"]).filter((name) => typeof name === "string")
  const properties = isPlainObject(node["properties"]) ? node["properties"] : {}
  return { properties, required: new Set(names), closed: node["additionalProperties"] === false }
}

const haveEqualJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The properties of both; a property that both have becomes a `join` of the two. */
const joined = (a: Shape, b: Shape, join: "anyOf" | "allOf"): Readonly<Record<string, unknown>> => {
  const properties: Record<string, unknown> = { ...a.properties }
  for (const [name, schema] of Object.entries(b.properties)) {
    const before = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (before === undefined) properties[name] = schema
    else if (!haveEqualJson(before, schema)) {
      const members = isPlainObject(before) && Object.keys(before).length === 1 ? listOf(before[join]) : []
      const known = members.length > 0 ? members : [before]
      properties[name] = known.some((member) => haveEqualJson(member, schema)) ? before : { [join]: [...known, schema] }
    }
  }
  return properties
}

const either = (a: Shape, b: Shape): Shape => ({
  properties: joined(a, b, "anyOf"),
  required: new Set([...a.required].filter((name) => b.required.has(name))),
  closed: a.closed && b.closed,
})

const merged = (a: Shape, b: Shape): Shape => ({
  properties: joined(a, b, "allOf"),
  required: new Set([...a.required, ...b.required]),
  // One closed part would forbid the properties of the others. The model sees all properties, and the check decides.
  closed: a.closed && b.closed,
})
