// Recorded messages of the official SDK in both directions, by scenario. Ids are placeholders, times are 1.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { SchemaIssue, type Schema } from "effect"
import { expect } from "vitest"
import type { ShapeError } from "../../src/schemas/sdk/shape-error.ts"
import type { RequiredField } from "../support/values/required-fields.ts"

export interface Scenario {
  readonly name: string
  readonly hooks: ReadonlyArray<{ readonly event: string; readonly input: unknown; readonly output: unknown }>
  readonly canUseTool: ReadonlyArray<unknown>
  readonly frames: ReadonlyArray<{ readonly from: "client" | "server"; readonly frame: Frame }>
}

export interface Frame {
  readonly type: string
  readonly request_id?: string
  readonly request?: { readonly subtype: string; readonly input?: { readonly hook_event_name?: string } }
  readonly response?: { readonly subtype: string; readonly request_id: string; readonly response?: unknown }
}

const folder = join(import.meta.dirname, "fixtures/messages")

export const scenarios: ReadonlyArray<Scenario> = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Scenario,
)

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** The positions that an error names. */
export const pathsOf = (failure: Schema.SchemaError): ReadonlyArray<ReadonlyArray<unknown>> =>
  standard(failure.issue).issues.map(({ path = [] }) =>
    path.map((step) => (typeof step === "object" && "key" in step ? step.key : step)),
  )

/** Removes the field from a copy of the sample, then sets a wrong type, and expects each error to name its position. */
export const expectRefusals = (
  sample: unknown,
  { path, wrong, decidesVariant }: RequiredField,
  failureOf: (input: unknown) => ShapeError,
): number => {
  const key = path.at(-1)!
  // An object of unknown type is rejected as a whole.
  const place = decidesVariant ? path.slice(0, -1) : path
  const changes: Array<(holder: object) => unknown> = [(holder) => Reflect.deleteProperty(holder, key)]
  if (wrong !== undefined) changes.push((holder) => Reflect.set(holder, key, wrong.value))
  for (const change of changes) {
    const copy: unknown = JSON.parse(JSON.stringify(sample))
    const holder = path.slice(0, -1).reduce<unknown>((value, step) => Reflect.get(value as object, step), copy)
    const server = decidesVariant && key === "type" && SERVER_TYPES.has(Reflect.get(holder as object, key))
    change(holder as object)
    // An MCP server without a type is a local process, whose command is then missing.
    const missing = Object.hasOwn(holder as object, key) ? path : [...path.slice(0, -1), "command"]
    const expected = server ? missing : place
    const paths = failureOf(copy).issues.map((issue) => issue.path)
    expect(paths, `${JSON.stringify(sample).slice(0, 99)} at ${path.join(".")}`).toContainEqual(expected)
  }
  return changes.length
}

const SERVER_TYPES = new Set<unknown>(["sse", "http", "sdk", "claudeai-proxy"])

/** The same value with an additional field in every object, at every depth. */
export const grown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, grown(item)] as const)
  return { ...Object.fromEntries(entries), field_of_tomorrow: { deep: [1, null] } }
}
