// Receives a tool's definition and the Schema of its input; returns the tool with the decoder and JSON Schema of its AgentSchema.
// Invariant: `decode` accepts everything that `inputSchema` allows, and a refusal names each wrong parameter.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AgentSchema, agentSchema } from "../schemas/agent-schema/agent-schema.ts"
import type { ObjectNode } from "../schemas/agent-schema/closed-json-schema.ts"
import {
  type AgentSchemaDecodeError,
  AgentSchemaProfileError,
  type DecodeIssue,
  type SchemaIssueAt,
} from "../schemas/agent-schema/errors.ts"
import { type Tool, ToolError } from "./tool.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { withoutQuotes } from "./quoted-parameters.ts"
import { shortened } from "../schemas/shortened.ts"

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const valueAt = (input: unknown, path: DecodeIssue["path"]): unknown =>
  // Reads only own values of JSON; anything else is undefined.
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  )

const pathName = (path: DecodeIssue["path"]): string =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("")

/** Formats one issue as a line, in the SDK's wording. */
const explain = ({ path, issue, expected }: DecodeIssue, input: unknown): string => {
  const name = `\`${pathName(path)}\``
  if (expected !== undefined) {
    const given = typeName(valueAt(input, path))
    if (path.length === 0) return `The input is expected as \`object\` but provided as \`${given}\``
    return `The parameter ${name} type is expected as \`${expected}\` but provided as \`${given}\``
  }
  if (path.length === 0) return `The input is not allowed: ${issue.replaceAll("-", " ")}`
  switch (issue) {
    case "missing-property":
      return `The required parameter ${name} is missing`
    case "unknown-property":
      return `An unexpected parameter ${name} was provided`
    case "not-integer":
      return `The parameter ${name} type is expected as \`int\` but provided as \`number\``
    case "not-in-enum":
    case "no-union-member":
    case "value-not-allowed":
    case "pattern-mismatch":
    case "format-mismatch":
    case "property-name-not-allowed":
      return `The parameter ${name} has a value that is not allowed`
    default:
      return `The parameter ${name} has a value out of bounds`
  }
}

/** Formats the issues of an input, one line each. */
export const issueLines = (issues: ReadonlyArray<DecodeIssue>, input: unknown): ReadonlyArray<string> =>
  issues.map((issue) => explain(issue, input))

const MAX_LINES = 20

/** The error for invalid input: `InputValidationError: NAME failed due to the following issue(s): …`. */
export const invalidInput = (tool: string, lines: ReadonlyArray<string>): ToolError => {
  const shown = lines.slice(0, MAX_LINES).map((line) => shortened(line, 500))
  const more = lines.length > MAX_LINES ? [`(${lines.length - MAX_LINES} more)`] : []
  return new ToolError({
    reason: "invalid_arguments",
    message: `InputValidationError: ${tool} failed due to the following issue(s):\n${[...shown, ...more].join("\n")}`,
  })
}

const OUT_OF_BOUNDS = new Set(["out-of-range", "below-minimum", "above-maximum"])

/** As the official SDK: an optional number that is too small is left out, and one that is too large becomes the maximum. */
const inBounds = (input: unknown, issues: ReadonlyArray<DecodeIssue>, schema: ObjectNode): unknown => {
  if (!isPlainObject(input)) return input
  const fixed: Record<string, unknown> = { ...input }
  for (const { path, issue } of issues) {
    const [name] = path
    if (path.length !== 1 || typeof name !== "string" || !OUT_OF_BOUNDS.has(issue)) continue
    const node = schema.properties[name]
    const value = fixed[name]
    if (node === undefined || !("type" in node) || (node.type !== "integer" && node.type !== "number")) continue
    if (schema.required.includes(name) || typeof value !== "number") continue
    if (node.maximum !== undefined && value > node.maximum) fixed[name] = node.maximum
    else delete fixed[name]
  }
  return fixed
}

type Definition<Input> = Omit<Tool<Input>, "agentSchema" | "decode" | "inputSchema" | "hasParameter"> & {
  /** Defaults of parameters that a call omits; hooks and asks see them too. */
  readonly defaults?: Partial<Input>
  /** Parameters that hooks and users may set: accepted, but not in the schema for the model. */
  readonly userParameters?: Schema.Struct<Schema.Struct.Fields> & Schema.Codec<Partial<NoInfer<Input>>, unknown>
}

/** A tool whose schema is Perch's own. `schemaIssues` are the reasons why the schema can't be used; see `requireSound`. */
export type SchemaTool<Input = unknown> = Tool<Input> & {
  readonly agentSchema: AgentSchema<Input>
  readonly schemaIssues: ReadonlyArray<SchemaIssueAt>
}

/** Hides a tool's type of input, for lists of tools: `run` only ever receives what the tool's own `decode` returned. */
export const withAnyInput = <Input>(tool: SchemaTool<Input>): SchemaTool => tool as unknown as SchemaTool

/**
 * Throws with `TOOL PATH: ISSUE` for every issue of every tool, so that a server with an invalid tool does not start. It throws
 * a plain Error, because for errors while a Worker loads the runtime prints only the message that V8 captured.
 */
export const requireSound = (tools: ReadonlyArray<SchemaTool>): ReadonlyArray<SchemaTool> => {
  const lines = tools.flatMap(({ name, schemaIssues }) =>
    schemaIssues.map(({ path, issue }) => `${name} ${path}: ${issue}`),
  )
  if (lines.length === 0) return tools
  throw new Error(`These tools have schemas outside the AgentSchema profile:\n${lines.join("\n")}`)
}

/** The fields that derive from a schema. For an unusable one it returns the issues, so that other tools' are found as well. */
const readSchema = <Input>(
  schema: Schema.Codec<Input, unknown> | AgentSchema<Input>,
): Pick<SchemaTool<Input>, "agentSchema" | "inputSchema" | "schemaIssues"> => {
  try {
    const wrapped = agentSchema(schema)
    // The Messages API would refuse every request with a tool whose schema has such issues.
    const { schema: inputSchema, issues } = wrapped.project("anthropic")
    return { agentSchema: wrapped, inputSchema, schemaIssues: issues }
  } catch (error) {
    if (!(error instanceof AgentSchemaProfileError)) throw error
    // `requireSound` throws before anything uses the schema.
    return { agentSchema: undefined as unknown as AgentSchema<Input>, inputSchema: {}, schemaIssues: error.issues }
  }
}

/** Completes a tool's definition with the fields that derive from its schema. */
export const makeTool = <Input>(
  schema: Schema.Codec<Input, unknown> | AgentSchema<Input>,
  definition: Definition<Input>,
): SchemaTool<Input> => {
  const read = readSchema(schema)
  const wrapped = read.agentSchema
  const { defaults, userParameters, ...tool } = definition
  // The schema of an object has an object here.
  const parameters = (read.inputSchema["properties"] ?? {}) as Readonly<Record<string, unknown>>
  return {
    ...tool,
    ...read,
    hasParameter: (name) =>
      Object.hasOwn(parameters, name) || (userParameters !== undefined && Object.hasOwn(userParameters.fields, name)),
    decode: (given) => {
      const [input, more] = apart(given, userParameters)
      let result = wrapped.decode(input)
      if (Result.isFailure(result)) {
        const fixed = withoutQuotes(read.inputSchema, input)
        const issues = issuesOf(wrapped.decode(fixed))
        result = wrapped.decode(issues.length === 0 ? fixed : inBounds(fixed, issues, wrapped.jsonSchema))
      }
      if (Result.isFailure(result)) {
        return Effect.fail(invalidInput(definition.name, issueLines(result.failure.details, input)))
      }
      if (userParameters === undefined || more === undefined) return Effect.succeed({ ...defaults, ...result.success })
      const extra = Schema.decodeUnknownResult(userParameters)(more)
      if (Result.isSuccess(extra)) return Effect.succeed({ ...defaults, ...result.success, ...extra.success })
      const names = Object.keys(more).map((name) => `\`${name}\``)
      return Effect.fail(invalidInput(definition.name, [`Not of the right form: ${names.join(", ")}`]))
    },
  }
}

const issuesOf = (result: Result.Result<unknown, AgentSchemaDecodeError>): ReadonlyArray<DecodeIssue> =>
  Result.isFailure(result) ? result.failure.details : []

/** Splits an input into the parameters of the model's schema and the others, if there are any. */
const apart = (
  input: unknown,
  userParameters: Schema.Struct<Schema.Struct.Fields> | undefined,
): readonly [input: unknown, more: Readonly<Record<string, unknown>> | undefined] => {
  if (userParameters === undefined || !isPlainObject(input)) {
    return [input, undefined]
  }
  const isMore = ([name]: readonly [string, unknown]) => Object.hasOwn(userParameters.fields, name)
  const entries = Object.entries(input)
  const more = entries.filter(isMore)
  if (more.length === 0) return [input, undefined]
  return [Object.fromEntries(entries.filter((entry) => !isMore(entry))), Object.fromEntries(more)]
}

/** The fields of tools that use no file and nothing outside of the session: a call may be repeated after a crash. */
export const NO_FILES = {
  edits: () => false,
  hasOutsideEffects: () => false,
  destructive: false,
  idempotent: true,
  paths: () => [],
} as const

/** The fields of those among them whose calls need no permission. */
export const INTERNAL = { ...NO_FILES, internal: true } as const

/** The fields that all tools that only read have in common. */
export const READS = {
  readOnly: () => true,
  edits: () => false,
  hasOutsideEffects: () => false,
  destructive: false,
  idempotent: true,
} as const
