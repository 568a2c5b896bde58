// Receives a JSON Schema from outside; returns every reason why it can't be used, each with its path and the end of a
// sentence that the sender can act on.
// Invariant: an empty list means that `readJsonSchema` accepts the schema.
import * as Result from "effect/Result"
import { readJsonSchema } from "./json-schema-dialect.ts"

export interface SentSchemaIssue {
  /** The keys from the schema's root to the issue. */
  readonly path: ReadonlyArray<string | number>
  /** The end of a sentence that begins with the path. */
  readonly message: string
}

/** Why a sent schema can't be used as the input of a tool or as an output format. */
export const sentSchemaIssues = (schema: unknown): ReadonlyArray<SentSchemaIssue> => {
  const read = readJsonSchema(schema)
  if (Result.isSuccess(read)) return []
  return read.failure.issues.map(({ path, issue }) => ({ path: stepsOf(path), message: sentenceOf(issue) }))
}

/** A pointer such as `#/properties/a~1b/anyOf/0` as keys and indexes. */
const stepsOf = (pointer: string): ReadonlyArray<string | number> => {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  return parts.map((part, index) => (/^\d+$/.test(part) && isList(parts[index - 1]) ? Number(part) : part))
}

const isList = (keyword: string | undefined): boolean =>
  keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf" || keyword === "prefixItems"

const SENTENCES: Readonly<Record<string, string>> = {
  "root-object-required": "must describe an object; put a list or a plain value into a property of one",
  "schema-required": "must be a JSON Schema: an object, true or false",
  "ref-unresolved": "has a $ref that leads to no schema in it",
  "remote-ref-unsupported": "has a $ref that leads out of the schema; use a local one such as #/$defs/name",
  "endless-ref-unsupported": "has a $ref that leads back to itself without describing anything",
  "property-name-unsupported":
    "has a name that the Messages API does not take: 1 to 64 letters, digits, underscores, dots and hyphens are",
  "too-deep": "is nested too deep",
  "too-large": "is too large",
}

const sentenceOf = (issue: string): string =>
  SENTENCES[issue] ??
  (issue.endsWith("-invalid")
    ? `has a value of ${issue.slice(0, -"-invalid".length)} that JSON Schema does not allow`
    : issue.replaceAll("-", " "))
