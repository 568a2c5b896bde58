// Who may call the API, which sessions a key can access, and the headers of every answer.
import { describe, expect, it, vi } from "vitest"
import { HEADERS } from "../../../src/http/contract/headers.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

describe("the API can be called", () => {
  it("by no one without a key, with a wrong one or with a wrong scheme", async () => {
    const { refused } = makeApi()
    const keys = ["wrong", "perch_acme_0123456789abcdef_" + "0".repeat(48), ROOT_KEY + "x"]
    for (const key of [null, ...keys]) {
      const body = await refused(401, "GET", `/v1/sessions/${ID}`, { key })
      expect(body).toMatchObject({ type: "error", error: { type: "authentication_error" } })
      expect(body.request_id).toMatch(/^req_[0-9a-f]{32}$/)
    }
    await refused(401, "GET", "/v1/models", { key: null, headers: { authorization: `Basic ${ROOT_KEY}` } })
  })

  it("with the key in either header", async () => {
    const { call } = makeApi()
    expect((await call("GET", "/v1/models", { key: null, headers: { "x-api-key": ROOT_KEY } })).status).toBe(200)
    expect((await call("GET", "/v1/models")).status).toBe(200)
    for (const same of [ROOT_KEY, ""]) {
      expect((await call("GET", "/v1/models", { headers: { "x-api-key": same } })).status).toBe(200)
    }
  })

  it("by no session, whatever key a model has found", async () => {
    const { refused } = makeApi()
    const body = await refused(403, "GET", "/v1/sessions", { headers: { "x-perch-fetch": "1" } })
    expect(body.error.type).toBe("permission_error")
  })

  it("by no one while no root key is set, except for health and the contract", async () => {
    for (const settings of [{}, { PERCH_ROOT_KEY: "" }]) {
      const { call, refused } = makeApi(settings)
      for (const key of [null, "", "anything"]) {
        const body = await refused(503, "POST", "/v1/query", { key, json: { prompt: "x" } })
        expect(body.error).toMatchObject({
          type: "not_configured_error",
          message: expect.stringContaining("PERCH_ROOT_KEY"),
        })
      }
      expect((await call("GET", "/healthz", { key: null })).status).toBe(200)
      expect((await call("GET", "/openapi.json", { key: null })).status).toBe(200)
    }
  })

  it("with a tenant's key for its own sessions only", async () => {
    const { call, create, refused } = makeApi()
    const made = await call("POST", "/v1/admin/keys", { json: { tenant: "acme", label: "ci" } })
    expect(made.status).toBe(201)
    const { key, id: keyId } = (await made.json()) as { key: string; id: string }
    expect(key).toMatch(/^perch_acme_[0-9a-f]{16}_[0-9a-f]{56}$/)
    const own = await create({ key })
    expect((await call("GET", `/v1/sessions/${own}`, { key })).status).toBe(200)
    expect((await refused(404, "GET", `/v1/sessions/${own}`)).error.type).toBe("not_found_error")
    const roots = await create()
    await refused(404, "GET", `/v1/sessions/${roots}`, { key })
    expect((await refused(403, "GET", "/v1/admin/keys", { key })).error.type).toBe("permission_error")

    const list = (await (await call("GET", "/v1/admin/keys")).json()) as { data: Array<object>; next_cursor: null }
    expect(list.data).toMatchObject([
      { id: keyId, tenant: "acme", label: "ci", created_at: expect.any(String), revoked_at: null },
    ])
    expect((await call("DELETE", `/v1/admin/keys/${keyId}`)).status).toBe(204)
    await refused(401, "GET", `/v1/sessions/${own}`, { key })
    await refused(404, "DELETE", "/v1/admin/keys/0123456789abcdef")
  })

  it("with a key that is stored as its hash and looked up once a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      const { call, database, makeKey } = makeApi()
      const { key } = await makeKey()
      expect(JSON.stringify(database.rows("api_keys"))).not.toContain(key.split("_")[3])
      database.calls = 0
      for (let time = 0; time < 3; time += 1) await call("GET", "/v1/models", { key })
      // It is read once, and its use is recorded once.
      expect(database.calls).toBe(2)
      vi.advanceTimersByTime(60_001)
      await call("GET", "/v1/models", { key })
      expect(database.calls).toBe(4)
    } finally {
      vi.useRealTimers()
    }
  })

  it("pages of keys follow each other without gap or repeat", async () => {
    const { call, refused } = makeApi()
    for (const tenant of ["a", "b", "c"]) await call("POST", "/v1/admin/keys", { json: { tenant } })
    const tenants: Array<string> = []
    for (let path: string | null = "/v1/admin/keys?limit=2"; path !== null;) {
      const page = (await (await call("GET", path)).json()) as {
        data: Array<{ tenant: string }>
        next_cursor: string | null
      }
      tenants.push(...page.data.map(({ tenant }) => tenant))
      path = page.next_cursor === null ? null : `/v1/admin/keys?limit=2&cursor=${page.next_cursor}`
    }
    expect(tenants.toSorted()).toEqual(["a", "b", "c"])
    expect((await refused(400, "GET", "/v1/admin/keys?cursor=nonsense")).error.field).toBe("cursor")
  })

  it("tenant names are limited, and `root` is reserved", async () => {
    const { refused } = makeApi()
    for (const tenant of ["root", "A", "a_b", "", "x".repeat(41), "a/b"]) {
      expect((await refused(400, "POST", "/v1/admin/keys", { json: { tenant } })).error.field).toBe("tenant")
    }
  })
})

describe("headers", () => {
  it("every answer has a request id, CORS for all and no credentials", async () => {
    const { call } = makeApi()
    for (const path of ["/healthz", "/v1/models", "/nothing"]) {
      const response = await call("GET", path, { headers: { origin: "https://app.example" } })
      expect(response.headers.get("request-id")).toMatch(/^req_/)
      expect(response.headers.get("access-control-allow-origin")).toBe("*")
      expect(response.headers.get("access-control-allow-credentials")).toBeNull()
      expect(response.headers.get("access-control-expose-headers")).toContain("request-id")
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    }
    const preflight = await call("OPTIONS", "/v1/query", {
      key: null,
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,content-type")
  })

  it("those in the document can be read by a page of another origin", async () => {
    const { call } = makeApi()
    const { headers } = await call("GET", "/v1/models", { headers: { origin: "https://app.example" } })
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(",")
    const described = Object.keys(HEADERS).filter((name) => name !== "upgrade")
    expect(exposed).toEqual(expect.arrayContaining(described))
  })

  it("only the listed origins are allowed when the setting names some", async () => {
    const { call } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_CORS_ORIGINS: "https://a.example, https://b.example" })
    const allowed = async (origin: string) =>
      (await call("GET", "/healthz", { headers: { origin } })).headers.get("access-control-allow-origin")
    expect(await allowed("https://b.example")).toBe("https://b.example")
    expect(await allowed("https://c.example")).toBeNull()
  })
})
