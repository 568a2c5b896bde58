// Receives a value and an Effect Schema inside the profile; returns the decoded value, or everything that is wrong with it.
// Invariant: accepts exactly what the closed JSON Schema accepts; unknown properties are refused by name.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { type AgentSchemaDecodeError, type DecodeIssue, decodeError } from "./errors.ts"
import { isPlainObject } from "../plain-object.ts"

type Path = ReadonlyArray<string | number>

/** The JSON type of a node. */
const typeOf = (ast: SchemaAST.AST): string => {
  if (ast._tag === "Arrays") return "array"
  return ast._tag === "Objects" ? "object" : ast._tag.toLowerCase()
}

const FAILED: Readonly<Record<string, string>> = {
  isMinLength: "too-short",
  isMaxLength: "too-long",
  isBetweenLength: "length-out-of-range",
  isPattern: "pattern-mismatch",
  isInt: "not-integer",
  isGreaterThanOrEqualTo: "below-minimum",
  isLessThanOrEqualTo: "above-maximum",
  isBetween: "out-of-range",
}

const explain = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<DecodeIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return explain(issue.issue, [...path, ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key))])
    case "Composite":
      return issue.issues.flatMap((inner) => explain(inner, path))
    case "Encoding":
      return explain(issue.issue, path)
    case "MissingKey":
      return [{ path, issue: "missing-property" }]
    case "UnexpectedKey":
      return [{ path, issue: "unknown-property" }]
    case "InvalidType": {
      if (issue.ast._tag === "Literal") return [{ path, issue: "not-in-enum" }]
      const expected = typeOf(issue.ast)
      return [{ path, issue: `not-${expected}`, expected }]
    }
    case "AnyOf": {
      const [only, ...others] = issue.issues
      // The value's type or tag left one candidate, so its issues are the relevant ones.
      if (only !== undefined && others.length === 0) return explain(only, path)
      const literals = issue.ast.types.every(({ _tag }) => _tag === "Literal")
      return [{ path, issue: literals ? "not-in-enum" : "no-union-member" }]
    }
    case "Filter": {
      const id: unknown = Object(issue.filter.annotations?.["representation"]).id
      return [{ path, issue: FAILED[String(id).replace("effect/schema/", "")] ?? "value-not-allowed" }]
    }
    default:
      return [{ path, issue: "value-not-allowed" }]
  }
}

/** Issues for numbers that JSON can't represent: `1e999` parses to Infinity. */
const notFinite = (value: unknown, path: Path): ReadonlyArray<DecodeIssue> => {
  if (typeof value === "number")
    return Number.isFinite(value) ? [] : [{ path, issue: "not-number", expected: "number" }]
  if (typeof value !== "object" || value === null) return []
  return Array.isArray(value)
    ? value.flatMap((item, index) => notFinite(item, [...path, index]))
    : Object.entries(value).flatMap(([key, child]) => notFinite(child, [...path, key]))
}

/** A decoder for a schema inside the profile. */
export const strictDecoder = <A>(
  source: Schema.Codec<A, unknown>,
): ((input: unknown) => Result.Result<A, AgentSchemaDecodeError>) => {
  const decode = Schema.decodeUnknownResult(source, { errors: "all", onExcessProperty: "error" })
  const empty = source.ast._tag === "Objects" && source.ast.propertySignatures.length === 0
  return (input) => {
    if (!isPlainObject(input)) {
      return Result.fail(decodeError([{ path: [], issue: "not-object", expected: "object" }]))
    }
    const unknown = empty ? Object.keys(input).map((key) => ({ path: [key], issue: "unknown-property" })) : []
    if (unknown.length > 0) return Result.fail(decodeError(unknown))
    const result = decode(input)
    if (Result.isFailure(result)) return Result.fail(decodeError(explain(result.failure.issue, [])))
    const infinite = notFinite(input, [])
    return infinite.length > 0 ? Result.fail(decodeError(infinite)) : Result.succeed(result.success)
  }
}
