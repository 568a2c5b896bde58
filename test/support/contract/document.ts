// The OpenAPI document that tests check answers against: the operation of a request, and the errors of an answer.
// Invariant: a schema is compiled once, when the first answer needs it.
import fs from "node:fs"
import path from "node:path"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

interface Reference {
  readonly $ref: string
}
type Schema = Reference | { readonly contentSchema?: Schema }

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly security: ReadonlyArray<unknown>
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, DescribedAnswer | Reference>>
}

interface WrittenOperation extends Omit<Operation, "id" | "method" | "path"> {
  readonly operationId: string
}

// As OpenAPI 3.1 defines it; the linters of `npm run check` verify it.
const document = JSON.parse(
  fs.readFileSync(path.resolve(import.meta.dirname, "../../../public/openapi.json"), "utf8"),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>
  readonly components: { readonly responses: Readonly<Record<string, DescribedAnswer>> }
}

export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, ...rest }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    ...rest,
  })),
)

/** `{path}` may contain slashes. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/\{path\}$/, ".+").replace(/\{\w+\}/g, "[^/]+")}$`, "s")

/** Sorted by path; a literal segment precedes one in braces. */
const items = Object.keys(document.paths)
  .map((path) => ({ path, pattern: patternOf(path) }))
  .toSorted((first, second) => (first.path.replaceAll("{", "~") < second.path.replaceAll("{", "~") ? -1 : 1))

const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** The operation of a request, or undefined if the document has none. */
export const operationOf = (method: string, pathname: string): Operation | undefined => {
  const found = items.find(({ pattern }) => pattern.test(pathname))
  return found === undefined ? undefined : byRoute.get(`${method.toUpperCase()} ${found.path}`)
}

/** The document's description of a status of an operation. */
export const answerOf = ({ responses }: Operation, status: number): DescribedAnswer | undefined => {
  const written = responses[status]
  if (written === undefined || !("$ref" in written)) return written
  return document.components.responses[written.$ref.split("/").at(-1) ?? ""]
}

const NAME = "openapi"
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, validateSchema: false })
ajv.addSchema({ $id: NAME, components: document.components }, NAME)

const compiled = new Map<Schema, ValidateFunction>()

/** Makes references point to the document's components instead of to the schema itself. */
const rooted = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" && value.startsWith("#") ? NAME + value : value,
  ) as Schema // only its references change

/** The error of a value under its schema, or undefined. */
export const faultOf = (schema: Schema, value: unknown): string | undefined => {
  const validate = compiled.get(schema) ?? ajv.compile(rooted(schema))
  compiled.set(schema, validate)
  if (validate(value)) return undefined
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
  )
  return `${faults.slice(0, 12).join("; ")}\n${JSON.stringify(value)?.slice(0, 1500)}`
}

/** The schema of the data of each event of a stream, from `contentSchema`. */
export const eventSchemaOf = (schema: Schema): Schema => {
  const found = "$ref" in schema ? ajv.getSchema(NAME + schema.$ref)?.schema : schema
  const content = (found as { readonly contentSchema?: Schema } | undefined)?.contentSchema
  if (content === undefined) throw new Error(`no contentSchema: ${JSON.stringify(schema)}`)
  return content
}
