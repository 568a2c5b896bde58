// Receives a client's input and the schema of its route; returns the typed value or a 400 that names the field.
// Invariant: unknown fields, options that Perch does not support and invalid values are refused, never ignored.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import type { RefusedField } from "../../schemas/errors/rpc-error.ts"
import { mcpServerRefusal } from "../../schemas/sdk/options/mcp-server-refusal.ts"
import { refusalOf } from "../../schemas/sdk/options/options.ts"
import { type FieldIssue, fieldIssues } from "../../schemas/errors/union-issues.ts"
import { wordingOf } from "../errors/field-wording.ts"
import { type ApiError, invalidFields } from "../errors/errors.ts"
import type { Shape } from "../route.ts"
import type { FieldRules } from "../../schemas/sdk/status/field-rules.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

const STRICT = { errors: "all", onExcessProperty: "error" } as const
const MAX_FIELD = 200
/** The most issues in one answer; a large body could have thousands, and formatting them costs time. */
const MAX_ISSUES = 100

/** Decodes a JSON body. `fields` are rules for top-level fields that its schema does not have. */
export const decodeBody = <A>(schema: Shape<A>, value: unknown, fields?: FieldRules): Effect.Effect<A, ApiError> => {
  if (fields === undefined || !isPlainObject(value)) {
    return decode(schema, value, "the request body")
  }
  const left = Object.entries(value).filter(([name]) => ruleOf(fields, name)?.status !== "harmless")
  const named = left.flatMap(([name]) => {
    const rule = ruleOf(fields, name)
    return rule?.status === "refused" ? [{ field: name, message: `${name} ${rule.note}` }] : []
  })
  return decode(schema, Object.fromEntries(left), "the request body", named)
}

const ruleOf = (fields: FieldRules, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined)

/** Decodes path or query parameters, whose numbers and booleans are sent as text. */
export const decodeTexts = <A>(
  schema: Shape<A>,
  texts: Readonly<Record<string, string>>,
  what: string,
): Effect.Effect<A, ApiError> =>
  // The string codec has the same decoded type as its schema; the library's type does not show it for a generic A.
  decode(Schema.toCodecStringTree(schema) as unknown as Shape<A>, texts, what)

const decode = <A>(
  schema: Shape<A>,
  value: unknown,
  what: string,
  named: ReadonlyArray<RefusedField> = [],
): Effect.Effect<A, ApiError> =>
  Schema.decodeUnknownEffect(
    schema,
    STRICT,
  )(value).pipe(Effect.mapError((error) => refusal(error.issue, value, what, named)))

/**
 * The options that the request does not have, each with its reason, which helps more than "unknown option"; `found` are all
 * issues. Some requests have options that others refuse.
 */
const refusedOptions = (value: unknown, found: ReadonlyArray<FieldIssue>): ReadonlyArray<RefusedField> => {
  if (typeof value !== "object" || value === null || !("options" in value)) return []
  const { options } = value
  if (!isPlainObject(options)) return []
  const unknown = new Set(found.flatMap(({ kind, path }) => (kind === "unknown" && path.length === 2 ? [path[1]] : [])))
  const names = Object.keys(options).filter((name) => unknown.has(name))
  const named = firstIssues(names, (name) => {
    const message = refusalOf(name.slice(0, MAX_FIELD))
    return message === undefined ? undefined : { field: `options.${name.slice(0, MAX_FIELD)}`, message }
  })
  return "mcpServers" in options ? [...named, ...refusedServers(options.mcpServers)] : named
}

/** The issues of the first MAX_ISSUES items that have one. */
const firstIssues = <A>(
  items: ReadonlyArray<A>,
  issueOf: (item: A) => RefusedField | undefined,
): ReadonlyArray<RefusedField> => {
  const issues: Array<RefusedField> = []
  for (const item of items) {
    if (issues.length >= MAX_ISSUES) break
    const issue = issueOf(item)
    if (issue !== undefined) issues.push(issue)
  }
  return issues
}

/** The MCP servers that no session can use, with the reason, whatever else is wrong with them. */
const refusedServers = (servers: unknown): ReadonlyArray<RefusedField> => {
  if (!isPlainObject(servers)) return []
  return firstIssues(Object.entries(servers), ([name, server]) => {
    const why = mcpServerRefusal(server)
    const field = `options.mcpServers.${name.slice(0, MAX_FIELD)}`
    return why === undefined ? undefined : { field, message: `${field} ${why}` }
  })
}

/** The refusal with the issues that have a reason (`named` and those of options), and the schema's issues for other fields. */
const refusal = (
  issue: SchemaIssue.Issue,
  value: unknown,
  what: string,
  named: ReadonlyArray<RefusedField>,
): ApiError => {
  const found = fieldIssues(issue, value)
  const explained = [...named, ...refusedOptions(value, found)]
  const covered = (field: string) =>
    explained.some(
      (one) => field === one.field || field.startsWith(`${one.field}.`) || field.startsWith(`${one.field}[`),
    )
  if (explained.length >= MAX_ISSUES) return invalidFields(explained.slice(0, MAX_ISSUES))
  // Missing fields first: they explain more than unknown ones.
  const sorted = [...found.filter(({ kind }) => kind === "missing"), ...found.filter(({ kind }) => kind !== "missing")]
  const issues = firstIssues(sorted, (one) => {
    const field = fieldPath(one.path)
    return covered(field) ? undefined : { field, message: wordingOf(one, field || what, valueAt(value, one.path)) }
  })
  return invalidFields([...explained, ...issues].slice(0, MAX_ISSUES))
}

const valueAt = (root: unknown, path: ReadonlyArray<unknown>): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null ? Reflect.get(value, step as PropertyKey) : undefined, // an issue's steps are keys
    root,
  )
