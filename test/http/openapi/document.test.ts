// The document and the app agree: each route of one is in the other, every reference resolves, and every shape, field and
// parameter is named and described.
import fs from "node:fs"
import path from "node:path"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { AnswerAsk } from "../../../src/schemas/api/api.ts"
import { API_WORDS } from "../../../src/schemas/glossary/api-words.ts"
import { MESSAGE_WORDS } from "../../../src/schemas/glossary/message-words.ts"
import { PART_WORDS } from "../../../src/schemas/glossary/part-words.ts"
import { SDK_MESSAGES } from "../../../src/schemas/sdk/messages/messages.ts"
import { openApiDocument, openApiText, routes } from "../../../src/http/openapi/document.ts"
import { honoPath } from "../../../src/http/route.ts"
import { makeApi, ROOT_KEY } from "../api.ts"

// As OpenAPI 3.1 defines them; the tests assert the rest.
const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  openapi: string
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        parameters: Array<{ name: string; in: string; description?: string; schema?: object }>
        responses: object
      }
    >
  >
  components: { schemas: Record<string, Shape & { readonly additionalProperties?: unknown }> }
}

it("has exactly the routes of the app", () => {
  const { app } = makeApi()
  const served = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`)
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${honoPath(path)}`),
  )
  expect(documented.toSorted()).toEqual([...new Set(served)].toSorted())
  expect(documented).toHaveLength(routes.length)
})

it("has unique operation ids, and each path's parameters", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation })),
  )
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted()
    expect(
      operation.parameters
        .filter((each) => each.in === "path")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(named)
    expect(Object.keys(operation.responses).length).toBeGreaterThan(1)
  }
})

it("a parameter's description names only a literal that its schema takes", () => {
  const named = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, parameters }) => parameters.map((each) => ({ operationId, ...each })))
    .filter(({ description = "" }) => /^[^;]*; `head`/.test(description))
  expect(named.length).toBeGreaterThan(0)
  for (const { operationId, schema } of named) expect(JSON.stringify(schema), operationId).toContain('"head"')
})

it("every $ref resolves to its components, and bodies are closed", () => {
  const text = JSON.stringify(document)
  expect(text).not.toContain("$defs")
  const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!)
  expect(refs).toContain("Error")
  for (const name of refs) expect(document.components.schemas).toHaveProperty([name])
  for (const name of ["CreateSession", "PatchSession", "Query", "QuerySession", "SessionOptions", "CreateKey"]) {
    expect(document.components.schemas[name]?.additionalProperties, name).toBe(false)
  }
  expect(document.openapi).toBe("3.1.0")
})

interface Shape {
  readonly type?: unknown
  readonly description?: string
  readonly properties?: Record<string, Shape & { readonly $ref?: string; readonly const?: unknown }>
  readonly oneOf?: ReadonlyArray<{ readonly $ref: string }>
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Record<string, string> }
}

it("a parameter in a path is described as what it identifies, with an example that its route accepts", () => {
  for (const { id, method, params, path: place } of routes) {
    if (params === undefined) continue
    const inPath = document.paths[place]?.[method]?.parameters.filter((each) => each.in === "path") ?? []
    const examples = inPath.map(({ name, schema }) => {
      const { examples: [example] = [], const: only } = { ...schema } as { examples?: [unknown]; const?: unknown }
      return [name, String(example ?? only)]
    })
    expect(Schema.decodeUnknownResult(params)(Object.fromEntries(examples)), id).toMatchObject({ _tag: "Success" })
    for (const { name, description } of inPath) {
      expect(description, `${id}.${name}`).not.toMatch(/^Only /)
      if (description?.startsWith("The session's id") === true) expect(place).toContain("/sessions/")
    }
  }
})

const shapes = document.components.schemas

it("describes every shape, field and parameter: a new one needs a description in its schema or in src/schemas/glossary", () => {
  const silent: Array<string> = []
  for (const [name, shape] of Object.entries(shapes)) {
    if (shape.description === undefined) silent.push(name)
    for (const [field, value] of Object.entries(shape.properties ?? {})) {
      if (value.$ref === undefined && value.description === undefined) silent.push(`${name}.${field}`)
    }
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { parameters }] of Object.entries(item)) {
      for (const one of parameters) if (!("description" in one)) silent.push(`${method} ${path} ${one.name}`)
    }
  }
  expect(silent).toEqual([])
})

it("uses each entry of the glossaries: a wrong name of a shape would leave a field with the description of another", () => {
  const unused = Object.keys({ ...PART_WORDS, ...MESSAGE_WORDS, ...API_WORDS }).filter((name) => {
    if (name.startsWith("#")) return shapes[name.slice(1)] === undefined
    const [shape = "", field] = name.split(".")
    const known = field === undefined ? Object.values(shapes) : [shapes[shape]]
    return !known.some((each) => Object.hasOwn(each?.properties ?? {}, field ?? name))
  })
  expect(unused).toEqual([])
})

it("documents every form of an answer to an ask", () => {
  const forms = AnswerAsk.members.reduce((sum, form) => sum + ("members" in form ? form.members.length : 1), 0)
  expect(shapes["AskAnswer"]).toHaveProperty("anyOf.length", forms)
})

it("names every object and every union of objects, so that generators invent no names", () => {
  const inline: Array<string> = []
  const walk = (node: unknown, place: string, top: boolean): void => {
    if (typeof node !== "object" || node === null) return
    if (!top && "type" in node && node.type === "object" && "properties" in node) inline.push(place)
    if (!top && "oneOf" in node) inline.push(place)
    for (const [key, child] of Object.entries(node)) {
      if (key !== "example" && key !== "examples") walk(child, `${place}/${key}`, false)
    }
  }
  for (const [name, shape] of Object.entries(shapes)) walk(shape, name, true)
  walk(document.paths, "paths", false)
  expect(inline).toEqual([])
  expect(Object.keys(shapes).filter((name) => /(?:Schema|Object|Item|_)\d+$/.test(name))).toEqual([])
})

it("discriminates every message of the SDK by its type, then by its subtype", () => {
  const tagOf = (shape: Shape | undefined, tag: string): unknown => shape?.properties?.[tag]?.const
  const name = (ref: string | undefined) => ref?.split("/").at(-1) ?? ""
  for (const member of Object.keys(SDK_MESSAGES)) {
    const [type, subtype] = member.split("/")
    const { mapping } = shapes["SDKMessage"]!.discriminator!
    const found = shapes[name(mapping[type!])]
    expect(found, member).toBeDefined()
    if (found?.discriminator === undefined || subtype === undefined) continue
    const inner = shapes[name(found.discriminator.mapping[subtype])]
    expect(tagOf(inner, "type"), member).toBe(type)
  }
  expect(Object.keys(shapes["ResultMessage"]!.discriminator!.mapping)).toHaveLength(5)
})

it("describes a stream as the SDK's messages and Perch's own events", () => {
  const { mapping } = shapes["LiveEvent"]!.discriminator!
  for (const type of ["assistant", "result"]) expect(mapping[type]).toMatch(/\/SDKMessage$/)
  expect(mapping).toMatchObject({
    ask: expect.stringMatching(/AskEvent$/),
    ask_settled: expect.stringMatching(/AskSettledEvent$/),
    turn_cancelled: expect.stringMatching(/TurnCancelledEvent$/),
  })
  const streams = Object.values(document.paths).flatMap((item) =>
    Object.values(item)
      .filter((operation) => JSON.stringify(operation.responses).includes('"text/event-stream"'))
      .map(({ operationId }) => operationId),
  )
  expect(streams.toSorted()).toEqual([
    "compactSession",
    "getAgentRun",
    "mcp",
    "query",
    "querySession",
    "runAgUi",
    "runAgent",
    "streamEvents",
    "streamWorkflowRunEvents",
  ])
})

it("is limited in size, and built once", () => {
  expect(openApiText().length).toBeLessThan(750_000)
  expect(openApiDocument()).toBe(openApiDocument())
})

it("is what the Worker serves: `node_modules/.bin/node scripts/openapi/document.mjs` writes public/openapi.json", async () => {
  const kept = fs.readFileSync(path.resolve(import.meta.dirname, "../../../public/openapi.json"), "utf8")
  expect(kept === openApiText(), "public/openapi.json is not made of this route table").toBe(true)
  expect(JSON.parse(kept)).toEqual(document)
  const assets = { fetch: async (request: Request) => new Response(new URL(request.url).pathname) }
  const { call } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, ASSETS: assets as never })
  const response = await call("GET", "/openapi.json", { key: null })
  expect(await response.text()).toBe("/openapi.json")
  expect(response.headers.get("content-type")).toBe("application/json")
})
