// Receives a sent JSON Schema that the dialect accepts; returns the function that checks values against it.
// Invariant: `@cfworker/json-schema` decides, within a budget of visits; patterns run in RE2 and lengths count UTF-16
// units. Both are tests in the library's table of formats, where they are registered during one (synchronous) check.
import { format as formats, type OutputUnit, validate as validateJson } from "@cfworker/json-schema"
import type { JsonObject } from "./closed-json-schema.ts"
import { childrenOf, LIST, localPointer, MAP, ONE } from "./dialect-keywords.ts"
import { type DecodeIssue, issueText, type SchemaIssueAt } from "./errors.ts"
import { isPlainPattern, re2Test } from "./re2-pattern.ts"
import { isPlainObject } from "../plain-object.ts"

/** The most schema nodes that one check may visit, since a schema can require exponential work. */
const MAX_VISITS = 200_000
const MAX_VALUE_DEPTH = 100
const MAX_VALUE_NODES = 100_000
/** The longest list for `uniqueItems`, which compares every pair. */
const MAX_UNIQUE_ITEMS = 2000
const MAX_ISSUES = 50
/** The most errors that are read: the validator reports one for each keyword on the way to a problem. */
const MAX_ERRORS = 1000

/** Formats that are checked: those of the specification that can be tested in linear time. Others are not checked. */
const FORMATS = new Set(["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"])

/** Keywords whose value is passed to the validator unchanged. */
const COPIED = [
  "enum",
  "const",
  "required",
  "dependentRequired",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "uniqueItems",
]

class OverBudget extends Error {
  override readonly name = "OverBudget"
}

export interface DialectValidator {
  /** The first fifty issues of a value; empty when it is valid. */
  readonly issuesOf: (value: unknown) => ReadonlyArray<DecodeIssue>
  /** Parts of the schema that are sent to the model but not checked here. */
  readonly unchecked: ReadonlyArray<SchemaIssueAt>
}

/** Makes the validator. Every reference of the schema must be local and lead to a schema in it. */
export const dialectValidator = (schema: JsonObject): DialectValidator => {
  const made = new RuntimeSchema()
  const root = made.build(schema, "#")
  return { issuesOf: (value) => made.check(root, value), unchecked: made.unchecked }
}

/** The types of a node. As the official SDK: OpenAPI's `nullable: true` adds null to them. */
const typesOf = ({ type, nullable }: JsonObject): unknown =>
  nullable === true && type !== undefined ? [...(Array.isArray(type) ? type : [type]), "null"] : type

type RuntimeNode = Record<string, unknown> | boolean

class RuntimeSchema {
  readonly unchecked: Array<SchemaIssueAt> = []
  readonly #lookup: Record<string, RuntimeNode> = Object.create(null) as Record<string, RuntimeNode> // an empty table
  readonly #tests: Record<string, (text: string) => boolean> = {}
  #visits = 0
  #unique = false

  /** The schema in the form that the validator gets: only known keywords, and a `type` whose getter counts the visit. */
  build(schema: unknown, pointer: string): RuntimeNode {
    if (!isPlainObject(schema)) return schema !== false
    const node: Record<string, unknown> = {}
    this.#lookup[pointer] = node
    for (const key of COPIED) if (Object.hasOwn(schema, key)) node[key] = schema[key]
    if (node["uniqueItems"] === true) this.#unique = true
    for (const { keyword, pointer: below, schema: child } of childrenOf(schema)) {
      this.#put(node, keyword, below, this.build(child, `${pointer}${below}`))
    }
    if (!this.#plainNames(schema)) {
      delete node["patternProperties"]
      // The meaning of these two depends on the names that the patterns match.
      delete node["additionalProperties"]
      delete node["unevaluatedProperties"]
      this.unchecked.push({ path: pointer, issue: "pattern-properties-unchecked" })
    }
    if (typeof schema["$ref"] === "string") node["$ref"] = localPointer(schema["$ref"])
    const { format } = schema
    if (typeof format === "string") {
      if (FORMATS.has(format)) node["format"] = format
      else this.unchecked.push({ path: pointer, issue: "format-unchecked" })
    }
    this.#textTests(schema, node, pointer)
    const type = typesOf(schema)
    const cost = 1 + (Array.isArray(schema["enum"]) ? schema["enum"].length : 0)
    Object.defineProperty(node, "type", {
      enumerable: true,
      get: () => {
        this.#visits += cost
        if (this.#visits > MAX_VISITS) throw new OverBudget()
        return type
      },
    })
    return node
  }

  #put(node: Record<string, unknown>, keyword: string, pointer: string, child: RuntimeNode): void {
    if (ONE.some((one) => one === keyword)) node[keyword] = child
    else if (LIST.some((list) => list === keyword)) {
      const list = node[keyword]
      node[keyword] = Array.isArray(list) ? [...list, child] : [child]
    } else if (MAP.some((map) => map === keyword)) {
      const map = (node[keyword] ??= {}) as Record<string, RuntimeNode> // made here
      map[
        pointer
          .slice(keyword.length + 2)
          .replaceAll("~1", "/")
          .replaceAll("~0", "~")
      ] = child
    }
  }

  #plainNames({ patternProperties }: JsonObject): boolean {
    return !isPlainObject(patternProperties) || Object.keys(patternProperties).every(isPlainPattern)
  }

  /** Turns pattern and lengths into custom formats, each in a member of `allOf`. */
  #textTests(schema: JsonObject, node: Record<string, unknown>, pointer: string): void {
    const { pattern, minLength, maxLength } = schema
    const tests: Array<readonly [string, (text: string) => boolean]> = []
    if (typeof minLength === "number") tests.push(["too-short", (text) => text.length >= minLength])
    if (typeof maxLength === "number") tests.push(["too-long", (text) => text.length <= maxLength])
    if (typeof pattern === "string") {
      const test = re2Test(pattern)
      if (test === undefined) this.unchecked.push({ path: pointer, issue: "pattern-unchecked" })
      else tests.push(["pattern-mismatch", test])
    }
    if (tests.length === 0) return
    const members = tests.map(([issue, test]) => {
      const name = `perch:${issue}:${Object.keys(this.#tests).length}`
      this.#tests[name] = test
      return { format: name }
    })
    node["allOf"] = [...(Array.isArray(node["allOf"]) ? node["allOf"] : []), ...members]
  }

  check(root: RuntimeNode, value: unknown): ReadonlyArray<DecodeIssue> {
    const limits = new ValueLimits(this.#unique)
    const copy = limits.copy(value, [])
    if (limits.issues.length > 0) return limits.issues
    this.#visits = 0
    Object.assign(formats, this.#tests)
    try {
      const { valid, errors } = validateJson(copy, root, "2020-12", this.#lookup, false)
      return valid ? [] : explain(errors)
    } catch (error) {
      if (error instanceof OverBudget) return [{ path: [], issue: "too-costly-to-check" }]
      throw error
    } finally {
      for (const name of Object.keys(this.#tests)) delete formats[name]
    }
  }
}

/** Copies a value into objects without a prototype (the validator uses `in`), and reports what exceeds the limits. */
class ValueLimits {
  readonly issues: Array<DecodeIssue> = []
  readonly #unique: boolean
  #nodes = 0

  constructor(unique: boolean) {
    this.#unique = unique
  }

  copy(value: unknown, path: ReadonlyArray<string | number>): unknown {
    this.#nodes += 1
    if (this.issues.length > 0) return null
    if (path.length > MAX_VALUE_DEPTH || this.#nodes > MAX_VALUE_NODES) {
      this.issues.push({ path: path.slice(0, 10), issue: path.length > MAX_VALUE_DEPTH ? "too-deep" : "too-large" })
      return null
    }
    if (typeof value === "number" && !Number.isFinite(value)) this.issues.push({ path, issue: "not-number" })
    if (typeof value !== "object" || value === null) return value ?? null
    if (Array.isArray(value)) {
      if (this.#unique && value.length > MAX_UNIQUE_ITEMS) this.issues.push({ path, issue: "too-many-items" })
      return value.map((item, index) => this.copy(item, [...path, index]))
    }
    const copy = Object.create(null) as Record<string, unknown> // empty
    for (const [key, child] of Object.entries(value)) copy[key] = this.copy(child, [...path, key])
    return copy
  }
}

/** Issue names by the validator's keywords. Keywords that only report that something below them is wrong have none. */
const ISSUES: Readonly<Record<string, string>> = {
  false: "unknown-property",
  enum: "not-in-enum",
  const: "not-in-enum",
  minimum: "below-minimum",
  exclusiveMinimum: "below-minimum",
  maximum: "above-maximum",
  exclusiveMaximum: "above-maximum",
  multipleOf: "not-a-multiple",
  minItems: "too-few-items",
  maxItems: "too-many-items",
  uniqueItems: "items-not-unique",
  minProperties: "too-few-properties",
  maxProperties: "too-many-properties",
  propertyNames: "property-name-not-allowed",
  contains: "item-missing",
  anyOf: "no-union-member",
  oneOf: "no-union-member",
  not: "value-not-allowed",
}

const NAMED = new Set([...Object.keys(ISSUES), "dependentRequired", "required", "type", "format"])

const explain = (errors: ReadonlyArray<OutputUnit>): ReadonlyArray<DecodeIssue> => {
  // An error of the schema `false` has no location, but the error before it does: it is of the keyword with that schema.
  const placed = errors
    .slice(0, MAX_ERRORS)
    .map((error, index) =>
      error.keyword === "false" ? { ...error, keywordLocation: errors[index - 1]?.keywordLocation ?? "#" } : error,
    )
  // A failed union is one issue: the errors of its members would only obscure it.
  const unions = placed.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf" || keyword === "not")
  const outside = placed.filter(
    ({ keywordLocation }) => !unions.some((union) => keywordLocation.startsWith(`${union.keywordLocation}/`)),
  )
  const named = outside.filter(({ keyword }) => NAMED.has(keyword))
  // The validator also reports an invalid property as unknown: only the issues inside it are kept.
  const known = ({ keyword, instanceLocation: place }: OutputUnit): boolean =>
    keyword === "false" &&
    named.some(
      (other) =>
        other.instanceLocation.startsWith(`${place}/`) ||
        (other.keyword !== "false" && other.instanceLocation === place),
    )
  const byText = new Map(named.filter((error) => !known(error)).map((error) => asEntry(issueOf(error))))
  return byText.size === 0 ? [{ path: [], issue: "value-not-allowed" }] : [...byText.values()].slice(0, MAX_ISSUES)
}

const asEntry = (issue: DecodeIssue): readonly [string, DecodeIssue] => [issueText(issue), issue]

const issueOf = ({ instanceLocation, keyword, error }: OutputUnit): DecodeIssue => {
  const path = pathOf(instanceLocation)
  const quoted = /"(.*)"/s.exec(error)?.[1] ?? ""
  if (keyword === "required") return { path: [...path, quoted], issue: "missing-property" }
  if (keyword === "dependentRequired") {
    const name = /does not have "(.*)"/s.exec(error)?.[1] ?? ""
    return { path: [...path, name], issue: "missing-property" }
  }
  if (keyword === "type") {
    const types = (/Expected "(.*)"/.exec(error)?.[1] ?? "").split('", "')
    return { path, issue: `not-${types.join("-or-")}`, expected: types.join(" or ") }
  }
  if (keyword === "format") return { path, issue: /^perch:([a-z-]+):/.exec(quoted)?.[1] ?? "format-mismatch" }
  return { path, issue: ISSUES[keyword] ?? "value-not-allowed" }
}

const pathOf = (location: string): ReadonlyArray<string | number> =>
  location
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~")))
