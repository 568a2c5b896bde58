// The two errors of an AgentSchema: a schema that is refused at startup, for its author, and a value refused at run time.
// Invariant: both list every issue with its path.
import * as Schema from "effect/Schema"

/** An issue of a schema, with its path: `$`, `$.name`, `$.list[]`, `$.choice|0` (a union's first member). */
export const SchemaIssueAt = Schema.Struct({ path: Schema.String, issue: Schema.String })
export type SchemaIssueAt = typeof SchemaIssueAt.Type

/** The schema uses features outside of the profile. `issues` names every violation, not just the first. */
export class AgentSchemaProfileError extends Schema.TaggedError<AgentSchemaProfileError>()("AgentSchemaProfileError", {
  issues: Schema.Array(SchemaIssueAt),
}) {
  override get message(): string {
    const lines = this.issues.map(({ path, issue }) => `${path}: ${issue}`)
    return `The schema is outside the AgentSchema profile:\n${lines.join("\n")}`
  }
}

/** An issue of a value. `expected` is the expected JSON type, when the type is wrong. */
export interface DecodeIssue {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
  readonly expected?: string
}

/** The value is invalid. `issues` are `PATH:ISSUE` texts such as `$.x:unknown-property`; `details` has the same as data. */
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

/** An issue as text: `$.files[0].path:not-string`. Its names come from outside, and are cut. */
export const issueText = ({ path, issue }: DecodeIssue): string =>
  `$${path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key.slice(0, MAX_KEY)}`)).join("")}:${issue}`

/** The error for the issues of a value; at most a hundred are kept. */
export const decodeError = (all: ReadonlyArray<DecodeIssue>): AgentSchemaDecodeError => {
  const details = all.slice(0, MAX_ISSUES)
  return new AgentSchemaDecodeError({ issues: details.map(issueText), details })
}
