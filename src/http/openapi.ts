// Receives the route table; returns the OpenAPI 3.1 document of the API.
// Invariant: every route of the table is in it, and every `$ref` points into its components.
import { Schema } from "effect"
import { ErrorBody } from "../schemas/api.ts"
import { ERROR_STATUS, type ErrorType } from "../schemas/rpc-error.ts"
import { contract } from "./contract.ts"
import type { Answer, Route } from "./route.ts"

export const routes: ReadonlyArray<Route> = Object.values(contract)

type Json = Record<string, unknown>

let document: Json | undefined

/** The document; made at the first request, because most Workers never need it. */
export const openApiDocument = (): Json => (document ??= makeDocument())

const makeDocument = (): Json => {
  const components: Json = {}
  const ref = (schema: Schema.Top, closed = false): Json => {
    const made = Schema.toJsonSchemaDocument(schema, closed ? { onExcessProperty: "error" } : {})
    for (const [name, definition] of Object.entries(made.definitions)) components[name] ??= moveRefs(definition)
    return moveRefs(made.schema) as Json // a JSON schema is an object
  }
  ref(ErrorBody)
  // Bodies first: they are closed, and a shape that comes in and goes out is documented as it comes in.
  const bodies = new Map(routes.map((row) => [row.id, row.body === undefined ? undefined : ref(row.body, true)]))

  const paths: Record<string, Json> = {}
  for (const row of routes) {
    const operation = {
      operationId: row.id,
      summary: row.summary,
      ...(row.description === undefined ? {} : { description: row.description }),
      tags: [row.tag],
      security: security(row),
      parameters: parameters(row, ref),
      ...requestBody(row, bodies.get(row.id)),
      responses: { ...responses(row, ref), ...errors(row) },
    }
    paths[row.path] = { ...paths[row.path], [row.method]: operation }
  }
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "Perch",
      version: "0.1.0",
      description: "The Claude Agent SDK as an HTTPS API: sessions, prompts, tools, permissions and files.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer KEY`. The key must have the scope that an operation names.",
        },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key, in another header." },
        ticket: {
          type: "apiKey",
          in: "query",
          name: "ticket",
          description:
            "For clients that cannot send headers. The ticket must have one of the roles that an operation names.",
        },
      },
    },
  }
}

/** OpenAPI 3.1 lets every scheme name what it must grant: a key its scope, a ticket any one of its roles. */
const security = ({ auth, ticket = [] }: Route): ReadonlyArray<Json> =>
  auth === "none" ? [] : [{ bearer: [auth] }, { apiKey: [auth] }, ...ticket.map((role): Json => ({ ticket: [role] }))]

const parameters = (row: Route, ref: (schema: Schema.Top, closed?: boolean) => Json): ReadonlyArray<Json> => {
  const fields = (shape: Schema.Top | undefined, place: "path" | "query"): ReadonlyArray<Json> => {
    const { properties = {}, required = [] } = shape === undefined ? {} : (ref(shape) as Properties)
    return Object.entries(properties)
      .filter(([name]) => name !== "ticket")
      .map(([name, schema]) => ({ name, in: place, required: place === "path" || required.includes(name), schema }))
  }
  const headers = Object.entries(row.headers ?? {})
    // OpenAPI says that `Accept` is described by the answers.
    .filter(([name]) => name !== "Accept")
    .map(([name, description]) => ({ name, in: "header", required: false, description, schema: { type: "string" } }))
  return [...fields(row.params, "path"), ...fields(row.query, "query"), ...headers]
}

/** What `ref` gives for a struct without an identifier. */
interface Properties {
  readonly properties?: Record<string, Json>
  readonly required?: ReadonlyArray<string>
}

const requestBody = (row: Route, body: Json | undefined): Json => {
  if (row.bytes === true) {
    return {
      requestBody: {
        required: true,
        content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
      },
    }
  }
  if (body === undefined) return {}
  const example = row.example === undefined ? {} : { example: row.example }
  return { requestBody: { content: { "application/json": { schema: body, ...example } } } }
}

const responses = (row: Route, ref: (schema: Schema.Top) => Json): Json =>
  Object.fromEntries(
    Object.entries(row.answers).map(([status, { description, body, contentType }]: [string, Answer]) => {
      const json = body === undefined ? {} : { "application/json": { schema: ref(body) } }
      const raw = contentType === undefined ? {} : { [contentType]: { schema: { type: "string" } } }
      const stream =
        status === "200" && row.tag === "query" ? { "text/event-stream": { schema: { type: "string" } } } : {}
      const content = { ...json, ...raw, ...stream }
      const headers = {
        "request-id": { description: "Names the request in errors and logs.", schema: { type: "string" } },
      }
      return [status, { description, headers, ...(Object.keys(content).length === 0 ? {} : { content }) }]
    }),
  )

const errors = (row: Route): Json => {
  const types: Array<ErrorType> = [...(row.errors ?? []), "api_error"]
  if (row.auth !== "none") types.push("authentication_error", "permission_error", "not_configured_error")
  if (row.params !== undefined) types.push("not_found_error")
  if (row.params !== undefined || row.query !== undefined || row.body !== undefined) types.push("invalid_request_error")
  if (row.body !== undefined || row.bytes === true) types.push("request_timeout_error", "request_too_large")
  return Object.fromEntries(types.map((type) => [ERROR_STATUS[type], errorAnswer(type)]))
}

const errorAnswer = (type: ErrorType): Json => ({
  description: `\`${type}\``,
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      example: { type: "error", error: { type, message: "What went wrong" }, request_id: "req_0123456789abcdef" },
    },
  },
})

/** Definitions live in the components of the document. */
const moveRefs = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(moveRefs)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === "$ref" && typeof child === "string"
        ? child.replace("#/$defs/", "#/components/schemas/")
        : moveRefs(child),
    ]),
  )
}
