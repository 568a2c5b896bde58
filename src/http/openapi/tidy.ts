// Receives one node of a JSON Schema that Effect generated; returns an equivalent that code generators understand best: no
// `allOf` or `anyOf` with one member, no bounds of the safe integers, `const` and `type: [T, "null"]` where possible.
// Invariant: both schemas accept the same values.
import { isPlainObject } from "../../schemas/plain-object.ts"

export type Json = Readonly<Record<string, unknown>>

/** The members of a node's `allOf`, `anyOf` or `oneOf` that are objects; undefined when it has none. */
export const membersOf = (node: Json, key: "allOf" | "anyOf" | "oneOf"): ReadonlyArray<Json> | undefined => {
  const members = node[key]
  return Array.isArray(members) ? members.filter(isPlainObject) : undefined
}

/** Simplifies one node whose children have been simplified. */
export const tidyNode = (node: Json): Json =>
  [emptyStruct, mergeAllOf, flattenAnyOf, joinNull, plainInteger, oneValue, completed].reduce(
    (tidy, step) => step(tidy),
    node,
  )

/** Effect generates `not: null` for a struct without fields; this makes it an object. */
const emptyStruct = (node: Json): Json => {
  const { not, ...rest } = node
  return isPlainObject(not) && not["type"] === "null" && Object.keys(not).length === 1
    ? { ...rest, type: "object" }
    : node
}

const isOpen = (value: Json): boolean =>
  value["type"] === "object" && !("properties" in value) && Object.keys(value).every((key) => key !== "propertyNames")

/** Merges the members of `allOf` into the node where no keyword conflicts. A member that only allows unknown fields is dropped. */
const mergeAllOf = (node: Json): Json => {
  const members = membersOf(node, "allOf")
  if (members === undefined) return node
  const { allOf: _, ...rest } = node
  const left = members.filter((member) => !("properties" in node && isOpen(member)))
  const merged: Record<string, unknown> = {
    ...rest,
    ...(left.length < members.length ? { additionalProperties: true } : {}),
  }
  const kept: Array<Json> = []
  for (const member of left) {
    const fits = Object.keys(member).every((key) => !(key in merged) || key === "description" || key === "examples")
    if (fits && !("$ref" in member && Object.keys(merged).some((key) => key !== "description"))) {
      Object.assign(merged, member)
    } else kept.push(member)
  }
  return kept.length === 0 ? merged : { ...merged, allOf: kept }
}

const flattenAnyOf = (node: Json): Json => {
  const members = membersOf(node, "anyOf")
  if (members === undefined) return node
  const flat = members.flatMap((member) => {
    const inner = Object.keys(member).length === 1 ? membersOf(member, "anyOf") : undefined
    return inner ?? [member]
  })
  const distinct = [...new Map(flat.map((member) => [JSON.stringify(member), member])).values()]
  const { anyOf: _, ...rest } = node
  const [only] = distinct
  return distinct.length === 1 && only !== undefined ? { ...only, ...rest } : { ...rest, anyOf: distinct }
}

/** Replaces the union of a simple type and null by one node with both types. */
const joinNull = (node: Json): Json => {
  const members = membersOf(node, "anyOf")
  if (members?.length !== 2) return node
  const [value, nothing] = members
  if (nothing?.["type"] !== "null" || typeof value?.["type"] !== "string" || value["type"] === "object") return node
  const { anyOf: _, ...rest } = node
  const values = Array.isArray(value["enum"]) ? { enum: [...value["enum"], null] } : {}
  return { ...value, ...rest, type: [value["type"], "null"], ...values }
}

const plainInteger = (node: Json): Json => {
  const { minimum, maximum, ...rest } = node
  if (maximum !== Number.MAX_SAFE_INTEGER) return node
  return minimum === Number.MIN_SAFE_INTEGER || minimum === undefined ? rest : { ...rest, minimum }
}

const oneValue = (node: Json): Json => {
  const { enum: values, ...rest } = node
  return Array.isArray(values) && values.length === 1 ? { ...rest, const: values[0] } : node
}

/** Adds `items` to arrays, and `additionalProperties: true` to objects without properties, which generators take for empty. */
const completed = (node: Json): Json => {
  const { additionalProperties: more, ...rest } = node
  if (node["type"] === "array") return "items" in node ? node : { ...node, items: {} }
  if (node["type"] !== "object" || "properties" in node) return node
  return more === undefined || isEmpty(more) ? { ...rest, additionalProperties: true } : node
}

/** Removes `additionalProperties: true` or `false` from an object of an answer, which may always have more fields. */
export const withoutMore = (node: Json): Json => {
  const { additionalProperties: more, ...rest } = node
  return "properties" in node && typeof more === "boolean" ? rest : node
}

const isEmpty = (value: unknown): boolean => isPlainObject(value) && Object.keys(value).length === 0
