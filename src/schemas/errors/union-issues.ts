// Receives the failure of a schema; returns its issues, for a union only those of the member that was probably meant.
// Invariant: that is the member that the value comes closest to, and an unknown tag is reported as the field.
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { nearest } from "./nearest.ts"
import { defined } from "../json/defined.ts"
import { isPlainObject } from "../plain-object.ts"

export interface FieldIssue {
  readonly path: ReadonlyArray<unknown>
  readonly message: string
  readonly kind: "missing" | "unknown" | "type" | "rule"
  /** What was expected, for a field that is missing or of a wrong type. */
  readonly expected?: string
  /** The texts that are allowed. */
  readonly literals?: ReadonlyArray<string>
  /** For an unknown field: the known names. */
  readonly known?: ReadonlyArray<string>
}

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** The most fields of a value that are compared with a missing name, to find a misspelt one. */
const MAX_NAMES = 50

const MISSING = "Missing key"
const UNKNOWN_FIELD = "Expected no excess property"

export const fieldIssues = (issue: SchemaIssue.Issue, value: unknown): ReadonlyArray<FieldIssue> =>
  issuesOf(issue, [], value, undefined)

const issuesOf = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<unknown>,
  root: unknown,
  holder: SchemaAST.AST | undefined,
): ReadonlyArray<FieldIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return issuesOf(issue.issue, [...path, ...issue.path], root, holder)
    case "Encoding":
      return issuesOf(issue.issue, path, root, holder).map((one) =>
        one.kind === "rule" && one.path.length === path.length
          ? { ...one, kind: "type", expected: expectedOf(issue.ast) }
          : one,
      )
    case "Composite":
      return issue.issues.flatMap((inner) => issuesOf(inner, path, root, issue.ast))
    case "AnyOf":
      return ofUnion(issue, path, root)
    case "MissingKey": {
      const type = fieldOf(holder, path.at(-1))
      const literals = type === undefined ? undefined : literalsOf(type)
      const expected = type === undefined ? undefined : expectedOf(type)
      return [{ path, message: MISSING, kind: "missing", ...defined({ expected, literals }) }]
    }
    case "UnexpectedKey": {
      const rule = nameRule(issue.ast, path.at(-1))
      if (rule !== undefined) return [{ path, message: rule, kind: "rule" }]
      return [{ path, message: UNKNOWN_FIELD, kind: "unknown", known: namesOf(issue.ast) }]
    }
    case "InvalidType": {
      const message = messageOf(issue)
      // A schema's own message is kept.
      if (!message.startsWith("Expected ") || typeof issue.ast.annotations?.["message"] === "string") {
        return [{ path, message, kind: "rule" }]
      }
      return [
        {
          path,
          message,
          kind: "type",
          expected: expectedOf(issue.ast),
          ...defined({ literals: literalsOf(issue.ast) }),
        },
      ]
    }
    case "Filter":
      // A check of a whole value may name the part that is wrong.
      if (issue.issue._tag === "Pointer") return issuesOf(issue.issue, path, root, holder)
      return [{ path, message: messageOf(issue), kind: "rule" }]
    default:
      return [{ path, message: messageOf(issue), kind: "rule" }]
  }
}

const messageOf = (issue: SchemaIssue.Issue): string => standard(issue).issues[0]?.message ?? ""

const ofUnion = (
  issue: Extract<SchemaIssue.Issue, { readonly _tag: "AnyOf" }>,
  path: ReadonlyArray<unknown>,
  root: unknown,
): ReadonlyArray<FieldIssue> => {
  if (issue.issues.length === 0) {
    const tag = tagIssue(issue.ast, valueAt(root, path), path)
    if (tag !== undefined) return [tag]
    const literals = literalsOf(issue.ast)
    return [
      { path, message: messageOf(issue), kind: "type", expected: expectedOf(issue.ast), ...defined({ literals }) },
    ]
  }
  const members = issue.issues.map((member) => issuesOf(member, path, root, undefined))
  const distance = (issues: ReadonlyArray<FieldIssue>) => distanceOf(issues, path.length)
  const least = Math.min(...members.map(distance))
  const closest = members.filter((issues) => distance(issues) === least)
  const required = closest.map((issues) =>
    issues.length === 1 && issues[0]?.kind === "missing" ? issues[0] : undefined,
  )
  const names = [...new Set(required.flatMap((one) => (one === undefined ? [] : [String(one.path.at(-1))])))]
  if (names.length > 1 && required.every((one) => one !== undefined)) {
    return [{ path, message: MISSING, kind: "missing", expected: `one of the fields ${names.join(", ")}` }]
  }
  return merged(apart(closest.flat(), path))
}

/** Replaces the issues of fields that are unknown to one member and known to another by one issue: they can't be combined. */
const apart = (issues: ReadonlyArray<FieldIssue>, path: ReadonlyArray<unknown>): ReadonlyArray<FieldIssue> => {
  const known = new Set(issues.flatMap((one) => one.known ?? []))
  const isApart = (one: FieldIssue) =>
    one.kind === "unknown" && one.path.length === path.length + 1 && known.has(String(one.path.at(-1)))
  const [first, ...others] = new Set(issues.filter(isApart).map((one) => String(one.path.at(-1))))
  if (first === undefined || others.length === 0) return issues
  const message = `can't be given together with ${others.join(", ")}`
  return [{ path: [...path, first], message, kind: "rule" }, ...issues.filter((one) => !isApart(one))]
}

/** Merges the same issue of several members into one, with the known names of all. */
const merged = (issues: ReadonlyArray<FieldIssue>): ReadonlyArray<FieldIssue> => {
  const all = new Map<string, FieldIssue>()
  for (const one of issues) {
    const key = JSON.stringify([one.path.map(String), one.message])
    const before = all.get(key)
    const known = [...(before?.known ?? []), ...(one.known ?? [])]
    all.set(key, { ...one, ...before, ...(known.length === 0 ? {} : { known: [...new Set(known)] }) })
  }
  return [...all.values()]
}

/** How far a value is from a member: wrong values and issues deep inside count less than missing or unknown fields. */
const distanceOf = (issues: ReadonlyArray<FieldIssue>, depth: number): number =>
  issues.reduce((sum, { path, kind }) => {
    if (path.length === depth) return sum + 15
    if (path.length > depth + 1) return sum + 1
    return sum + (kind === "missing" ? 11 : kind === "unknown" ? 10 : 1)
  }, 0)

const valueAt = (root: unknown, path: ReadonlyArray<unknown>): unknown => {
  let value = root
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined
    value = Reflect.get(value, step as PropertyKey) // the steps of an issue are keys
  }
  return value
}

/** The issue of the tag, for a value whose tag no member has. */
const tagIssue = ({ types }: SchemaAST.Union, value: unknown, path: ReadonlyArray<unknown>): FieldIssue | undefined => {
  if (!isPlainObject(value)) return undefined
  const [first, ...others] = types.flatMap((type) => (type._tag === "Objects" ? [tagsOf(type)] : []))
  for (const [name, literal] of first ?? []) {
    if (!others.every((tags) => tags.has(name))) continue
    const literals = [...new Set([literal, ...others.map((tags) => tags.get(name) ?? "")])]
    const rest = { literals, expected: listed(literals) }
    if (!Object.hasOwn(value, name)) {
      const misspelt = nearest(String(name), Object.keys(value).slice(0, MAX_NAMES))
      if (misspelt !== undefined) {
        return { path: [...path, misspelt], message: UNKNOWN_FIELD, kind: "unknown", known: [String(name)] }
      }
      return { path: [...path, name], message: MISSING, kind: "missing", ...rest }
    }
    const message = `Expected ${literals.map((text) => JSON.stringify(text)).join(" | ")}`
    return { path: [...path, name], message, kind: "type", ...rest }
  }
  return undefined
}

/** The fields of a struct that are literals, with their values. */
const tagsOf = (ast: SchemaAST.Objects): ReadonlyMap<PropertyKey, string> =>
  new Map(
    ast.propertySignatures.flatMap(({ name, type }) =>
      type._tag === "Literal" ? [[name, String(type.literal)] as const] : [],
    ),
  )

/** The rule for the names of a record, if this name violates it. */
const nameRule = (ast: SchemaAST.AST, name: unknown): string | undefined => {
  const names = ast._tag === "Objects" ? ast.indexSignatures[0]?.parameter : undefined
  if (names === undefined) return undefined
  const read = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(names))(name)
  return read._tag === "Failure" ? messageOf(read.failure.issue) : undefined
}

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const fieldOf = (ast: SchemaAST.AST | undefined, name: unknown): SchemaAST.AST | undefined =>
  ast?._tag === "Objects" ? ast.propertySignatures.find((field) => field.name === name)?.type : undefined

const listed = (literals: ReadonlyArray<string>): string => {
  const quoted = literals.map((text) => JSON.stringify(text))
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  const types = ast._tag === "Union" ? ast.types : [ast]
  const texts = types.flatMap((type) =>
    type._tag === "Literal" && typeof type.literal === "string" ? [type.literal] : [],
  )
  return texts.length === types.length ? texts : undefined
}

/** What a schema expects, as a noun: "a string", "an integer", "a list or an object". */
const expectedOf = (ast: SchemaAST.AST): string => {
  const own = ast.annotations?.["expected"]
  if (typeof own === "string") return own
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return "a string"
    case "Number":
      return ast.checks?.some((check) => check.annotations?.["expected"] === "an integer") ? "an integer" : "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Arrays":
      return "a list"
    case "Union": {
      const literals = literalsOf(ast)
      if (literals !== undefined) return listed(literals)
      return [...new Set(ast.types.map(expectedOf))].join(" or ")
    }
    default:
      return "an object"
  }
}
