// Receives the issues of a value that an SDK schema refused; returns the error with which all decoders of this folder fail.
// Invariant: the error is short however much is wrong, and each issue has the path of its field.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { ILL_FORMED } from "./open.ts"

/** Why a value was refused: `member` is the kind as which it was decoded, `path` has the keys and indexes to the field. */
export class ShapeError extends Schema.TaggedError<ShapeError>()("ShapeError", {
  member: Schema.String,
  issues: Schema.Array(
    Schema.Struct({ path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])), message: Schema.String }),
  ),
}) {
  override get message(): string {
    return this.issues.map(({ path, message }) => `${[this.member, ...path].join(".")}: ${message}`).join("; ")
  }
}

/** A decoder of `member` that fails with a `ShapeError`. */
export const decoderOf = <A>(member: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (input: unknown): Result.Result<A, ShapeError> =>
    Result.mapError(decode(input), ({ issue }) => new ShapeError({ member, issues: issuesOf(issue) }))
}

const MAX_ISSUES = 5
const MAX_TEXT = 300

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** The issues without those of the undescribed variants of a union, unless there are no others. */
const issuesOf = (issue: SchemaIssue.Issue): ShapeError["issues"] => {
  const all = standard(issue).issues.map(({ path = [], message }) => ({ path: path.map(keyOf), message }))
  const specific = all.filter(({ message }) => message !== ILL_FORMED)
  const distinct = new Map((specific.length > 0 ? specific : all).map((one) => [JSON.stringify(one), one]))
  return [...distinct.values()]
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path, message: message.slice(0, MAX_TEXT) }))
}

const keyOf = (step: unknown): string | number => {
  const key = typeof step === "object" && step !== null && "key" in step ? step.key : step
  return typeof key === "number" ? key : String(key).slice(0, MAX_TEXT)
}
