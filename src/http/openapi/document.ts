// Receives the route table; returns the OpenAPI 3.1 document of the API.
// Invariant: every route of the table is in it, every `$ref` points into its components, and every shape has a name.
import * as Schema from "effect/Schema"
import { ErrorBody } from "../../schemas/api/api.ts"
import { API_WORDS } from "../../schemas/glossary/api-words.ts"
import { glossaryEntry, joined } from "../../schemas/glossary/glossary.ts"
import { MESSAGE_WORDS } from "../../schemas/glossary/message-words.ts"
import { PARAMETER_WORDS } from "../../schemas/glossary/parameter-words.ts"
import { PART_WORDS } from "../../schemas/glossary/part-words.ts"
import type { ErrorType } from "../../schemas/errors/rpc-error.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import { JSON_LIMIT } from "../bodies/body.ts"
import { contract } from "../contract/contract.ts"
import { HEADERS, type HeaderName } from "../contract/headers.ts"
import { TAGS } from "../contract/tags.ts"
import { Components } from "./components.ts"
import { describeAll, describeField, exampleOf } from "./describe.ts"
import { errorAnswers, headersOf } from "./error-answers.ts"
import { NAMED_SHAPES } from "./shapes.ts"
import type { Json } from "./tidy.ts"
import { type Answer, readsQuery, type Route } from "../route.ts"

/** All rows, sorted by path and method, since the order of a module's exports depends on its loader. */
export const routes: ReadonlyArray<Route> = Object.values(contract).toSorted((a: Route, b: Route) =>
  `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1,
)

let document: Json | undefined

/** Returns the document, which is built once. Workers do not build it: they serve `public/openapi.json`. */
export const openApiDocument = (): Json => (document ??= makeDocument())

/** The document as JSON with one line per path and component, so that diffs are readable. */
export const openApiText = (): string => {
  const { paths, components, ...rest } = openApiDocument()
  // The groups of the document are objects.
  const lines = (value: unknown): string =>
    `{\n${Object.entries(value as Json)
      .map(([key, child]) => `${JSON.stringify(key)}: ${JSON.stringify(child)}`)
      .join(",\n")}\n}`
  const groups = Object.entries(components as Json).map(([name, group]) => `${JSON.stringify(name)}: ${lines(group)}`)
  const head = Object.entries(rest).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{\n${[...head, `"paths": ${lines(paths)}`, `"components": {\n${groups.join(",\n")}\n}`].join(",\n")}\n}\n`
}

const GLOSSARY = joined(PART_WORDS, MESSAGE_WORDS, API_WORDS)

/** Adds the routes' bodies and answers as components, before any path refers to them, so that every shape has its name. */
const addBodies = (components: Components) => {
  // Bodies first: they are closed, and a shape that is in both a body and an answer is documented as that of the body.
  const bodies = new Map(
    routes.map((row) => [
      row.id,
      row.body === undefined ? undefined : components.add(row.body, requestName(row), true),
    ]),
  )
  const answers = new Map(
    routes.map((row) => [
      row.id,
      Object.entries(row.answers).map(([status, answer]: [string, Answer]) => ({
        status,
        answer,
        schema: answer.body === undefined ? undefined : components.add(answer.body, answerName(row, status)),
        stream: answer.events === undefined ? undefined : streamOf(answer.events, row, components),
      })),
    ]),
  )
  const parameters = new Map(routes.map((row) => [row.id, parametersOf(row)]))
  describeAll(components.schemas, GLOSSARY)
  for (const row of routes) {
    describeHolder(components.schemas, bodies.get(row.id), `The body of \`${row.method.toUpperCase()} ${row.path}\`.`)
    for (const { answer, schema } of answers.get(row.id) ?? [])
      describeHolder(components.schemas, schema, answer.description)
  }
  return { bodies, answers, parameters }
}

/** Builds the operations by path and method, and the error responses that they refer to. */
const makePaths = (components: Components) => {
  const { answers, bodies, parameters } = addBodies(components)
  const errors: Record<string, Json> = {}
  const paths: Record<string, Json> = {}
  for (const row of routes) {
    const operation = {
      operationId: row.id,
      summary: row.summary,
      description: `${row.description} ${access(row)}`,
      tags: [row.tag],
      security: security(row),
      ...(row.auth === "none" ? {} : { "x-required-scope": row.auth }),
      ...(row.ticket === undefined ? {} : { "x-ticket-roles": row.ticket }),
      parameters: parameters.get(row.id) ?? [],
      ...requestBody(row, bodies.get(row.id)),
      responses: {
        ...errorAnswers(errorTypes(row), errors),
        // A row may replace the description of an error.
        ...Object.fromEntries(
          (answers.get(row.id) ?? []).map((made) => [made.status, response(row, made, components)]),
        ),
      },
    }
    paths[row.path] = { ...paths[row.path], [row.method]: operation }
  }
  return { errors, paths }
}

const makeDocument = (): Json => {
  const components = new Components()
  for (const [name, shape] of Object.entries(NAMED_SHAPES)) components.name(name, shape)
  components.add(ErrorBody, "Error")
  const { errors, paths } = makePaths(components)
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "Perch",
      version: PERCH_VERSION,
      description: "The Claude Agent SDK as an HTTPS API: sessions, prompts, tools, permissions and files.",
      contact: { name: "The operator of this deployment" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: errors,
      headers: headerComponents(JSON.stringify([paths, errors])),
      securitySchemes: SCHEMES,
    },
  }
}

/** Describes a shape that has no description by the body or answer that it is of. */
const describeHolder = (schemas: Record<string, Json>, node: Json | undefined, description: string): void => {
  const name = String(node?.["$ref"]).split("/").at(-1) ?? ""
  const schema = schemas[name]
  if (schema !== undefined && schema["description"] === undefined) schemas[name] = { ...schema, description }
}

const SCHEMES: Json = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "`Authorization: Bearer KEY`. The key must have the scope that an operation requires.",
  },
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key, in another header." },
  ticket: {
    type: "apiKey",
    in: "query",
    name: "ticket",
    description: "For clients that cannot send headers. The ticket must have one of the roles that an operation names.",
  },
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const requestName = ({ id }: Route): string => `${capital(id)}Request`
const answerName = ({ id, answers }: Route, status: string): string =>
  `${capital(id)}Response${Object.keys(answers).length === 1 ? "" : status}`

/** The sentence that names the credentials an operation needs. */
const access = ({ auth, ticket }: Route): string => {
  if (auth === "none") return "Needs no key."
  const roles =
    ticket === undefined ? "" : `, or a ticket with one of the roles ${ticket.map((role) => `\`${role}\``).join(", ")}`
  return `Needs a key with the scope \`${auth}\`${roles}.`
}

const security = ({ auth, ticket }: Route): ReadonlyArray<Json> =>
  auth === "none" ? [] : [{ bearer: [] }, { apiKey: [] }, ...(ticket === undefined ? [] : [{ ticket: [] }])]

/** The schema of an event stream is a string whose `contentSchema` describes the data of each event. */
const streamOf = (events: Schema.Top, row: Route, components: Components): Json => {
  const data = components.add(events, `${capital(row.id)}Event`)
  const name = `${String(data["$ref"] ?? requestName(row))
    .split("/")
    .at(-1)}Stream`
  components.schemas[name] ??= {
    type: "string",
    description: `Server-sent events. The \`data:\` of each is JSON: ${typeof data["$ref"] === "string" ? `\`${data["$ref"].split("/").at(-1)}\`` : "a value of the schema"}. \`id:\` is the event's seq, of durable events only.`,
    contentMediaType: "application/json",
    contentSchema: data,
  }
  return { $ref: `#/components/schemas/${name}` }
}

/** The JSON Schema that Effect generates for a struct without an identifier. */
interface Properties {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: ReadonlyArray<string>
}

const parametersOf = (row: Route): ReadonlyArray<Json> => {
  const components = new Components()
  const fields = (shape: Schema.Top | undefined, place: "path" | "query"): ReadonlyArray<Json> => {
    if (shape === undefined) return []
    // The schemas of paths and queries are structs, so their JSON Schema has properties.
    const { properties = {}, required = [] } = components.resolve(
      components.add(shape, `${place}Parameters`),
    ) as Properties
    return Object.entries(properties)
      .filter(([name]) => name !== "ticket")
      .map(([name, schema]) => {
        const entry = glossaryEntry(PARAMETER_WORDS, row.id, name)
        const { description, ...rest } = describeField(schema, entry)
        const about = description === undefined ? {} : { description }
        return { name, in: place, required: place === "path" || required.includes(name), ...about, schema: rest }
      })
  }
  const headers = Object.entries(row.headers ?? {})
    // OpenAPI describes `Accept` by the content types of the answers.
    .filter(([name]) => name !== "Accept")
    .map(([name, description]) => {
      const example = PARAMETER_WORDS[name]?.[1]
      const examples = example === undefined ? {} : { examples: [example] }
      return { name, in: "header", required: false, description, schema: { type: "string", ...examples } }
    })
  return [...fields(row.params, "path"), ...fields(row.query, "query"), ...headers]
}

const BYTES: Json = { type: "string", format: "binary" }

const requestBody = (row: Route, body: Json | undefined): Json => {
  if (row.bytes === true) {
    const content = { "application/octet-stream": { schema: BYTES } }
    return { requestBody: { required: true, description: "The bytes themselves.", content } }
  }
  if (body === undefined) return {}
  const example = row.example === undefined ? {} : { example: row.example }
  const limit = (row.bodyLimit ?? JSON_LIMIT) / 1024 / 1024
  const description = `JSON of at most ${limit} MiB.`
  return { requestBody: { required: true, description, content: { "application/json": { schema: body, ...example } } } }
}

interface MadeAnswer {
  readonly answer: Answer
  readonly schema: Json | undefined
  readonly stream: Json | undefined
}

const response = (row: Route, { answer, schema, stream }: MadeAnswer, { schemas }: Components): Json => {
  const content = {
    ...(schema === undefined ? {} : { "application/json": { schema, example: exampleOf(schemas, schema) } }),
    ...Object.fromEntries([answer.contentType ?? []].flat().map((type) => [type, { schema: plainBody(type) }])),
    ...(stream === undefined ? {} : { "text/event-stream": { schema: stream } }),
  }
  const names: ReadonlyArray<HeaderName> = [
    "request-id",
    ...(row.auth === "none" ? [] : LIMIT_HEADERS),
    ...(answer.headers ?? []),
  ]
  return {
    description: answer.description,
    headers: headersOf(names),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  }
}

/** The schema of an answer without a shape: any JSON, a text, or bytes, which code generators then return as bytes. */
const plainBody = (contentType: string): Json => {
  if (contentType === "application/json") return {}
  return contentType.startsWith("text/") ? { type: "string" } : BYTES
}

const LIMIT_HEADERS = ["ratelimit", "ratelimit-policy"] as const

/** The header components to which the text has references. */
const headerComponents = (text: string): Json =>
  Object.fromEntries(
    Object.entries(HEADERS)
      .filter(([name]) => text.includes(`#/components/headers/${name}"`))
      .map(([name, [description, example]]) => [
        name,
        { description, schema: { type: "string", examples: [example] } },
      ]),
  )

const errorTypes = (row: Route): ReadonlyArray<ErrorType> => {
  const types: Array<ErrorType> = [...(row.errors ?? []), "api_error", "permission_error"]
  if (row.auth !== "none")
    types.push("authentication_error", "service_unavailable_error", "rate_limit_error", "overloaded_error")
  if (row.params !== undefined) types.push("not_found_error")
  if (row.params !== undefined || row.body !== undefined || readsQuery(row)) types.push("invalid_request_error")
  if (row.body !== undefined || row.bytes === true)
    types.push("request_timeout_error", "request_too_large", "storage_full_error")
  return types
}
