// The two errors of an AgentSchema: a schema refused at boot, for its author, and a value refused at run time.
// Invariant: both list everything that is wrong, each with the path where it is.
import * as Schema from "effect/Schema"

/** Something wrong at a place of a schema. Paths: `$`, `$.name`, `$.list[]`, `$.choice|0` (a union's first member). */
export const SchemaIssueAt = Schema.Struct({ path: Schema.String, issue: Schema.String })
export type SchemaIssueAt = typeof SchemaIssueAt.Type

/** The schema uses what the profile does not have. `issues` names every violation, not just the first. */
export class AgentSchemaProfileError extends Schema.TaggedError<AgentSchemaProfileError>()("AgentSchemaProfileError", {
  issues: Schema.Array(SchemaIssueAt),
}) {
  override get message(): string {
    const lines = this.issues.map(({ path, issue }) => `${path}: ${issue}`)
    return `The schema is outside the AgentSchema profile:\n${lines.join("\n")}`
  }
}

/** One thing wrong with a value. `expected` is the JSON type that was asked for, when the type is wrong. */
export interface DecodeIssue {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
  readonly expected?: string
}

/** The value does not fit. `issues` are `PATH:ISSUE` texts such as `$.x:unknown-property`; `details` the same as data. */
export class AgentSchemaDecodeError extends Schema.TaggedError<AgentSchemaDecodeError>()("AgentSchemaDecodeError", {
  issues: Schema.Array(Schema.String),
  details: Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
      issue: Schema.String,
      expected: Schema.optionalKey(Schema.String),
    }),
  ),
}) {
  override get message(): string {
    return this.issues.join("; ")
  }
}

const MAX_ISSUES = 100

const MAX_KEY = 100

/** `$.files[0].path:not-string`; the names in it come from outside, and are cut. */
export const issueText = ({ path, issue }: DecodeIssue): string =>
  `$${path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key.slice(0, MAX_KEY)}`)).join("")}:${issue}`

/** The error for what is wrong with a value; more than a hundred things are cut. */
export const decodeError = (all: ReadonlyArray<DecodeIssue>): AgentSchemaDecodeError => {
  const details = all.slice(0, MAX_ISSUES)
  return new AgentSchemaDecodeError({ issues: details.map(issueText), details })
}
