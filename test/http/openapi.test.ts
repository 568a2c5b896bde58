// The document and the app say the same: every route of one is in the other, and every reference leads somewhere.
import { expect, it } from "vitest"
import { openApiDocument, routes } from "../../src/http/openapi.ts"
import { honoPath } from "../../src/http/route.ts"
import { makeApi } from "./api.ts"

// As OpenAPI 3.1 fixes them; the tests assert the rest.
const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  openapi: string
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: Array<{ name: string; in: string }>; responses: object }>
  >
  components: { schemas: Record<string, { additionalProperties?: unknown; properties?: object }> }
}

it("has every route of the app, and no other", () => {
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

it("every $ref leads into its components, and bodies are closed", () => {
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

it("is served", async () => {
  const { call } = makeApi()
  expect(await (await call("GET", "/openapi.json", { key: null })).json()).toEqual(document)
})
