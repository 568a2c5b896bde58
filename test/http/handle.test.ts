// Query parameters and headers of every operation in the API's document: those that it does not take are rejected by name.
import { describe, expect, it } from "vitest"
import document from "../../public/openapi.json" with { type: "json" }
import { makeApi } from "./api.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: { readonly const?: unknown; readonly examples?: ReadonlyArray<unknown> }
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly security?: ReadonlyArray<unknown>
}

const METHODS = ["get", "post", "put", "patch", "delete"]

const valueOf = ({ schema }: Parameter): string =>
  encodeURIComponent(String(schema.const ?? schema.examples?.[0] ?? "x"))

const operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
  Object.entries<Operation>({ ...item }).flatMap(([method, { parameters = [], security }]) => {
    if (!METHODS.includes(method)) return []
    const inPath = parameters.filter((one) => one.in === "path")
    const inQuery = parameters.filter((one) => one.in === "query")
    const filled = inPath.reduce((url, one) => url.replace(`{${one.name}}`, valueOf(one)), path)
    const required = inQuery.filter((one) => one.required === true).map((one) => `${one.name}=${valueOf(one)}&`)
    const url = `${filled}?${required.join("")}`
    const query = inQuery.map(({ name }) => name)
    // Monitors and caches add parameters of their own to public pages.
    const isPublic = method === "get" && security?.length === 0
    return [{ title: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), url, query, isPublic }]
  }),
)

describe("a header that restricts a change is refused by name where it would be ignored", () => {
  it("If-Match, by every change of anything but a file", async () => {
    const { refused } = makeApi()
    for (const { method, title, url } of operations) {
      if (method === "GET" || title.includes("/files/{path}")) continue
      const { error } = await refused(400, method, url, { headers: { "if-match": "*" } })
      expect(error, title).toMatchObject({ type: "invalid_request_error", field: "If-Match" })
    }
  })

  it("each of them, by a file those that it does not evaluate", async () => {
    const { call, create, refused } = makeApi()
    const session = `/v1/sessions/${await create()}`
    const path = `${session}/files/workspace/a.txt`
    for (const name of ["If-Match", "If-None-Match"]) {
      expect((await refused(400, "PATCH", session, { headers: { [name]: "*" } })).error.field).toBe(name)
      expect((await call("PUT", path, { body: "a", headers: { [name]: "*" } })).status).toBeLessThan(300)
    }
    for (const [name, value] of [
      ["Content-Range", "bytes 0-1/5"],
      ["If-Unmodified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"],
    ] as const) {
      for (const [method, at] of [["PATCH", session] as const, ["PUT", path] as const]) {
        const { error } = await refused(400, method, at, { headers: { [name]: value } })
        expect(error.message).toBe(`${name}: is not supported: this request applies to the whole, unconditionally`)
      }
    }
  })
})

describe("a query parameter that a request does not take is rejected by name", () => {
  it.each(operations.filter(({ isPublic }) => !isPublic))("$title", async ({ method, url, query }) => {
    const { refused } = makeApi()
    const body = method === "GET" || method === "DELETE" ? {} : { json: {} }
    const unknown = await refused(400, method, `${url}no_such_parameter=1`, body)
    expect(unknown.error).toMatchObject({ type: "invalid_request_error", field: "no_such_parameter" })
    for (const name of query.length === 0 ? ["no_such_parameter"] : query) {
      const { error } = await refused(400, method, `${url}${name}=1&${name}=1`, body)
      expect(error).toMatchObject({ type: "invalid_request_error", field: name })
    }
  })
})

describe("a query whose escapes are not UTF-8 is rejected by name", () => {
  it.each([
    ["prefix=/a%FF", "prefix"],
    ["limit=1&prefix=100%", "prefix"],
    ["%E0%A4=1", "%E0%A4"],
  ])("%s", async (query, field) => {
    const { refused } = makeApi()
    const { error } = await refused(400, "GET", `/v1/sessions/0192f0c1-2345-7abc-8def-0123456789ab/files?${query}`)
    expect(error).toMatchObject({ field, message: expect.stringContaining("percent-encoded UTF-8") })
  })
})

it("public pages accept any parameter", () => {
  expect(operations.flatMap(({ isPublic, title }) => (isPublic ? [title] : []))).toEqual([
    "GET /healthz",
    "GET /openapi.json",
    "GET /readyz",
    "GET /v1/mcp/callback",
  ])
})
