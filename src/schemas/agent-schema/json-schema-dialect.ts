// Receives a JSON Schema from outside: of an MCP tool, a client's tool, or an `outputFormat`. Returns it in the form that the
// Messages API accepts, with a check for values; or every reason why the API would refuse it.
// Invariant: it never throws, whatever was sent. A refused schema costs one tool, not the request that contains it.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject } from "./closed-json-schema.ts"
import { childrenOf, localPointer, MAP, SAME_VALUE, wrongKeywords } from "./dialect-keywords.ts"
import { dialectValidator } from "./dialect-validator.ts"
import { type DecodeIssue, issueText, SchemaIssueAt } from "./errors.ts"
import { mergeRoot } from "./merge-root.ts"
import { ANTHROPIC_PROPERTY } from "./projections/anthropic.ts"
import { isPlainObject } from "../plain-object.ts"

const MAX_BYTES = 262_144
const MAX_DEPTH = 50
const MAX_NODES = 5000
const MAX_ISSUES = 50
const MAX_PATH = 500

/** Why a sent schema can't be used. Paths are JSON Pointers into it: `#/properties/a`. */
export class JsonSchemaDialectError extends Schema.TaggedError<JsonSchemaDialectError>()("JsonSchemaDialectError", {
  issues: Schema.Array(SchemaIssueAt),
}) {
  override get message(): string {
    return this.issues.map(({ path, issue }) => `${path}: ${issue}`).join("; ")
  }
}

/** A sent schema that can be used. */
export interface ReceivedSchema {
  /** The schema for the Messages API, with one object at the root. */
  readonly jsonSchema: JsonObject
  /** True when the root was a union or a reference, and `jsonSchema` combines its members. */
  readonly merged: boolean
  /** Parts that are sent to the model but not checked by `validate`, such as patterns that RE2 does not support. */
  readonly unchecked: ReadonlyArray<SchemaIssueAt>
  /** Checks a value against the sent schema: returns texts such as `$.x:not-string`, none when it is valid. */
  readonly validate: (value: unknown) => ReadonlyArray<string>
  /** The issues of `validate` as data. */
  readonly issuesOf: (value: unknown) => ReadonlyArray<DecodeIssue>
}

/** Reads a sent JSON Schema (2020-12, with draft-07's `definitions` and lists of `items`). */
export const readJsonSchema = (sent: unknown): Result.Result<ReceivedSchema, JsonSchemaDialectError> => {
  if (!isPlainObject(sent)) return refuse([{ path: "#", issue: "root-object-required" }])
  const sizeIssue = tooLarge(sent)
  if (sizeIssue !== undefined) return refuse([{ path: "#", issue: sizeIssue }])
  const root = withTuples(sent) as JsonObject // an object stays one
  const survey = surveyOf(root)
  if (survey.issues.length > 0) return refuse(survey.issues)
  const issues = [...refIssues(survey), ...endlessIssues(survey)]
  if (issues.length > 0) return refuse(issues)
  const merged = mergeRoot(root, (pointer) => survey.nodes.get(pointer))
  if (typeof merged === "string") return refuse([{ path: "#", issue: merged }])
  // The combined members of a union may be larger than the sent schema.
  const mergedIssue = tooLarge(merged)
  if (mergedIssue !== undefined) return refuse([{ path: "#", issue: mergedIssue }])
  const { $schema: _, $id: __, ...jsonSchema } = merged
  const names = isPlainObject(jsonSchema["properties"]) ? Object.keys(jsonSchema["properties"]) : []
  const wrong = names.filter((name) => !ANTHROPIC_PROPERTY.test(name))
  if (wrong.length > 0) {
    return refuse(wrong.map((name) => ({ path: `#/properties/${name}`, issue: NAME_UNSUPPORTED })))
  }
  const validator = dialectValidator(root)
  const issuesOf = (value: unknown) => (isPlainObject(value) ? validator.issuesOf(value) : [NOT_OBJECT])
  return Result.succeed({
    jsonSchema,
    merged: ["anyOf", "oneOf", "allOf", "$ref"].some((key) => root[key] !== undefined),
    unchecked: validator.unchecked,
    validate: (value) => issuesOf(value).map(issueText),
    issuesOf,
  })
}

const NOT_OBJECT: DecodeIssue = { path: [], issue: "not-object", expected: "object" }

const NAME_UNSUPPORTED = "property-name-unsupported"

const refuse = (issues: ReadonlyArray<SchemaIssueAt>): Result.Result<never, JsonSchemaDialectError> =>
  Result.fail(
    new JsonSchemaDialectError({
      issues: issues.slice(0, MAX_ISSUES).map(({ path, issue }) => ({ path: path.slice(0, MAX_PATH), issue })),
    }),
  )

/** Checks size and depth, before anything walks the schema recursively; returns the issue, or undefined. */
const tooLarge = (sent: JsonObject): string | undefined => {
  const open: Array<readonly [unknown, number]> = [[sent, 0]]
  let size = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (depth > MAX_DEPTH * 3) return "too-deep"
    size += typeof value === "string" ? value.length + 2 : 8
    if (size > MAX_BYTES) return "too-large"
    if (typeof value !== "object" || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      size += key.length
      open.push([child, depth + 1])
    }
  }
  return undefined
}

/** Converts draft-07's tuples: a list under `items` becomes `prefixItems`, and `additionalItems` becomes `items`. */
const withTuples = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withTuples)
  if (!isPlainObject(value)) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withTuples(child)]))
  // A property may also be called `items`: then its value is a schema, not a list.
  if (!Array.isArray(copy["items"])) return copy
  const { items, additionalItems, ...rest } = copy
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

interface Survey {
  /** Every schema by its pointer: `#`, `#/properties/a`; and by `#anchor`. */
  readonly nodes: Map<string, unknown>
  readonly issues: Array<SchemaIssueAt>
}

const surveyOf = (root: JsonObject): Survey => {
  const survey: Survey = { nodes: new Map(), issues: [] }
  const visit = (schema: unknown, pointer: string, depth: number): void => {
    survey.nodes.set(pointer, schema)
    if (survey.nodes.size > MAX_NODES || depth > MAX_DEPTH) {
      if (survey.issues.length === 0) {
        survey.issues.push({ path: "#", issue: depth > MAX_DEPTH ? "too-deep" : "too-large" })
      }
      return
    }
    if (typeof schema === "boolean") return
    const report = (issue: string): void => void survey.issues.push({ path: pointer, issue })
    if (!isPlainObject(schema)) return report("schema-required")
    wrongKeywords(schema).forEach((keyword) => report(`${keyword}-invalid`))
    if (MAP.some((map) => isPlainObject(schema[map]) && Object.hasOwn(schema[map], "__proto__")))
      report(NAME_UNSUPPORTED)
    for (const child of childrenOf(schema)) visit(child.schema, `${pointer}${child.pointer}`, depth + 1)
  }
  visit(root, "#", 0)
  return survey
}

const refIssues = ({ nodes }: Survey): ReadonlyArray<SchemaIssueAt> =>
  Array.from(nodes).flatMap(([path, node]) => {
    if (!isPlainObject(node) || typeof node["$ref"] !== "string") return []
    const target = localPointer(node["$ref"])
    if (target === undefined) return [{ path, issue: "remote-ref-unsupported" }]
    return nodes.has(target) ? [] : [{ path, issue: "ref-unresolved" }]
  })

/** Issues for cyclic references that never descend into the value: checking a value would not end. */
const endlessIssues = ({ nodes }: Survey): ReadonlyArray<SchemaIssueAt> => {
  const done = new Set<string>()
  const onTheWay = new Set<string>()
  const issues: Array<SchemaIssueAt> = []
  const visit = (pointer: string): void => {
    const node = nodes.get(pointer)
    if (!isPlainObject(node) || done.has(pointer)) return
    if (onTheWay.has(pointer)) return void issues.push({ path: pointer, issue: "endless-ref-unsupported" })
    onTheWay.add(pointer)
    const target = typeof node["$ref"] === "string" ? localPointer(node["$ref"]) : undefined
    if (target !== undefined) visit(target)
    for (const child of childrenOf(node)) if (SAME_VALUE.has(child.keyword)) visit(`${pointer}${child.pointer}`)
    onTheWay.delete(pointer)
    done.add(pointer)
  }
  for (const pointer of nodes.keys()) visit(pointer)
  return issues
}
