// The keywords of JSON Schema 2020-12 by the kind of their value, and a check of a node's keywords.
// Unknown keywords are allowed everywhere, as the specification requires.
import type { JsonObject } from "./closed-json-schema.ts"
import { isPattern } from "./re2-pattern.ts"
import { isPlainObject } from "../plain-object.ts"

/** Keywords whose value is one schema. */
export const ONE = [
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "items",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
] as const
/** Keywords whose value is a list of schemas. */
export const LIST = ["allOf", "anyOf", "oneOf", "prefixItems"] as const
/** Keywords whose value is a map of schemas by name. */
export const MAP = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] as const
/** Keywords whose schemas apply to the same value as the node. */
export const SAME_VALUE = new Set(["not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"])

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]

type Test = (value: unknown) => boolean
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isNumber: Test = (value) => typeof value === "number" && Number.isFinite(value)
const isText: Test = (value) => typeof value === "string"
const isFlag: Test = (value) => typeof value === "boolean"
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const isType: Test = (value) => typeof value === "string" && TYPES.includes(value)

/** Keywords whose value is plain data. */
const PLAIN: Readonly<Record<string, Test>> = {
  type: (value) => isType(value) || (isTexts(value) && Array.isArray(value) && value.length > 0 && value.every(isType)),
  // An empty enum would match no value.
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isTexts,
  dependentRequired: (value) => isPlainObject(value) && Object.values(value).every(isTexts),
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: isFlag,
  pattern: (value) => typeof value === "string" && isPattern(value),
  patternProperties: (value) => !isPlainObject(value) || Object.keys(value).every(isPattern),
  format: isText,
  title: isText,
  description: isText,
  $ref: isText,
  $id: isText,
  $anchor: (value) => typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  $dynamicAnchor: isText,
  $dynamicRef: isText,
  $schema: isText,
  $comment: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  examples: Array.isArray,
}

/** The keywords of a node with values that JSON Schema does not allow. */
export const wrongKeywords = (node: JsonObject): ReadonlyArray<string> => [
  ...Object.keys(PLAIN).filter((key) => Object.hasOwn(node, key) && PLAIN[key]?.(node[key]) === false),
  ...LIST.filter((key) => Object.hasOwn(node, key) && !(Array.isArray(node[key]) && node[key].length > 0)),
  ...MAP.filter((key) => Object.hasOwn(node, key) && !isPlainObject(node[key])),
]

/** A schema directly below a node, with its keyword and pointer. */
export interface Child {
  readonly keyword: string
  /** Its JSON Pointer from the node: `/properties/name`. */
  readonly pointer: string
  readonly schema: unknown
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** Every schema directly below the node. */
export const childrenOf = (node: JsonObject): ReadonlyArray<Child> => [
  ...ONE.filter((keyword) => Object.hasOwn(node, keyword)).map((keyword) => ({
    keyword,
    pointer: `/${keyword}`,
    schema: node[keyword],
  })),
  ...LIST.flatMap((keyword) => {
    const list = Object.hasOwn(node, keyword) ? node[keyword] : undefined
    return Array.isArray(list)
      ? list.map((schema: unknown, index) => ({ keyword, pointer: `/${keyword}/${index}`, schema }))
      : []
  }),
  ...MAP.flatMap((keyword) => {
    const map = Object.hasOwn(node, keyword) ? node[keyword] : undefined
    return isPlainObject(map)
      ? Object.entries(map).map(([name, schema]) => ({ keyword, pointer: `/${keyword}/${escaped(name)}`, schema }))
      : []
  }),
]

/** The pointer of a local reference: `#/$defs/a%20b` becomes `#/$defs/a b`. Undefined when it is not local, or malformed. */
export const localPointer = (ref: string): string | undefined => {
  if (!ref.startsWith("#")) return undefined
  try {
    return decodeURIComponent(ref)
  } catch {
    return undefined // a malformed escape
  }
}
