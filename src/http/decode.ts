// Receives what a client sent and the schema of its route; returns the typed value or a 400 that names the field.
// Invariant: unknown fields, options that Perch does not support and bad values are refused, never ignored.
import { Effect, Schema, type SchemaIssue } from "effect"
import { refusalOf } from "../schemas/sdk/options.ts"
import { fieldIssues, UNKNOWN_FIELD } from "../schemas/union-issues.ts"
import { type ApiError, invalidRequest } from "./errors.ts"
import type { Shape } from "./route.ts"

const STRICT = { errors: "all", onExcessProperty: "error" } as const
const MAX_ISSUES = 5
const MAX_FIELD = 200

/** Decodes a JSON body. */
export const decodeBody = <A>(schema: Shape<A>, value: unknown): Effect.Effect<A, ApiError> =>
  // What an option is for says more than that its name is not known.
  Effect.mapError(decode(schema, value, "the request body"), (error) => refusedOption(value) ?? error)

/** Decodes path or query parameters: texts that stand for numbers and booleans. */
export const decodeTexts = <A>(
  schema: Shape<A>,
  texts: Readonly<Record<string, string>>,
  what: string,
): Effect.Effect<A, ApiError> =>
  // The string codec has the same decoded type as its schema; the library's type does not say so for a generic A.
  decode(Schema.toCodecStringTree(schema) as unknown as Shape<A>, texts, what)

const decode = <A>(schema: Shape<A>, value: unknown, what: string): Effect.Effect<A, ApiError> =>
  Schema.decodeUnknownEffect(schema, STRICT)(value).pipe(Effect.mapError((error) => refusal(error.issue, value, what)))

/** `options.X` that the SDK knows and Perch does not: the sentence says why. */
const refusedOption = (value: unknown): ApiError | undefined => {
  if (typeof value !== "object" || value === null || !("options" in value)) return undefined
  const options = value.options
  if (typeof options !== "object" || options === null || Array.isArray(options)) return undefined
  for (const name of Object.keys(options)) {
    const reason = refusalOf(name.slice(0, MAX_FIELD))
    if (reason !== undefined) return invalidRequest(reason, `options.${name.slice(0, MAX_FIELD)}`)
  }
  return "mcpServers" in options ? remoteServer(options.mcpServers) : undefined
}

/** An MCP server that is not in the client: this version connects to none. */
const remoteServer = (servers: unknown): ApiError | undefined => {
  if (typeof servers !== "object" || servers === null) return undefined
  for (const [name, server] of Object.entries(servers)) {
    const type: unknown = typeof server === "object" && server !== null ? Reflect.get(server, "type") : undefined
    if (type !== "http" && type !== "sse") continue
    const field = `options.mcpServers.${name.slice(0, MAX_FIELD)}`
    return invalidRequest(`${field} is of type ${type}; this version uses only servers that live in the client`, field)
  }
  return undefined
}

const refusal = (issue: SchemaIssue.Issue, value: unknown, what: string): ApiError => {
  const issues = fieldIssues(issue, value).map(({ path, message }) => ({
    field: fieldPath(path),
    message: message === UNKNOWN_FIELD ? "is not a known field" : lowerFirst(message),
  }))
  const shown = issues.slice(0, MAX_ISSUES).map(({ field, message }) => `${field || what}: ${message}`)
  if (issues.length > MAX_ISSUES) shown.push(`and ${issues.length - MAX_ISSUES} more`)
  return invalidRequest(shown.join("; "), issues[0]?.field || undefined)
}

/** `options.maxTurns`, `prompt[0].type`. */
export const fieldPath = (path: ReadonlyArray<unknown>): string => {
  let text = ""
  for (const step of path) {
    const key = typeof step === "object" && step !== null && "key" in step ? step.key : step
    text += typeof key === "number" ? `[${key}]` : `${text === "" ? "" : "."}${String(key)}`
  }
  return text.length > MAX_FIELD ? `${text.slice(0, MAX_FIELD)}…` : text
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
