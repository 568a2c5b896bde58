// What the API answers to each kind of request, on in-memory sessions.
import { describe, expect, it, vi } from "vitest"
import { makeApi, ROOT_KEY } from "../../http/api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

describe("who may call", () => {
  it("no one without a key, with a wrong one or with a wrong scheme", async () => {
    const { refused } = makeApi()
    const keys = ["wrong", "perch_acme_0123456789abcdef_" + "0".repeat(48), ROOT_KEY + "x"]
    for (const key of [null, ...keys]) {
      const body = await refused(401, "GET", `/v1/sessions/${ID}`, { key })
      expect(body).toMatchObject({ type: "error", error: { type: "authentication_error" } })
      expect(body.request_id).toMatch(/^req_[0-9a-f]{32}$/)
    }
    await refused(401, "GET", "/v1/models", { key: null, headers: { authorization: `Basic ${ROOT_KEY}` } })
  })

  it("either header carries the key", async () => {
    const { call } = makeApi()
    expect((await call("GET", "/v1/models", { key: null, headers: { "x-api-key": ROOT_KEY } })).status).toBe(200)
    expect((await call("GET", "/v1/models")).status).toBe(200)
  })

  it("no session, whatever key a model has found", async () => {
    const { refused } = makeApi()
    const body = await refused(403, "GET", "/v1/sessions", { headers: { "x-perch-fetch": "1" } })
    expect(body.error.type).toBe("permission_error")
  })

  it("no one while no root key is set, but health and the contract answer", async () => {
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

  it("a tenant's key opens its own sessions only", async () => {
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

  it("a key is stored as its hash and looked up once a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      const { call, database, makeKey } = makeApi()
      const { key } = await makeKey()
      expect(JSON.stringify(database.rows("api_keys"))).not.toContain(key.split("_")[3])
      database.calls = 0
      for (let time = 0; time < 3; time += 1) await call("GET", "/v1/models", { key })
      // It is read once, and its use is noted once.
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

  it("tenant names are bounded, and `root` is not for sale", async () => {
    const { refused } = makeApi()
    for (const tenant of ["root", "A", "a_b", "", "x".repeat(41), "a/b"]) {
      expect((await refused(400, "POST", "/v1/admin/keys", { json: { tenant } })).error.field).toBe("tenant")
    }
  })
})

describe("a bad request is refused by name", () => {
  const cases: ReadonlyArray<readonly [title: string, json: unknown, field: string | undefined, message: RegExp]> = [
    ["a bad id", { id: "NOT-A-UUID" }, "id", /^id: /],
    ["a relative cwd", { cwd: "workspace" }, "cwd", /^cwd: /],
    ["a cwd that climbs", { cwd: "/workspace/../etc" }, "cwd", /^cwd: /],
    ["an unknown field", { nonsense: 1 }, "nonsense", /^nonsense: is not a known field/],
    [
      "a bad option",
      { options: { maxTurns: "x" } },
      "options.maxTurns",
      /options\.maxTurns must be an integer\. Got a text/,
    ],
    ["an unsupported option", { options: { sandbox: {} } }, "options.sandbox", /options\.sandbox is not supported/],
    ["an unknown option", { options: { maxTruns: 1 } }, "options.maxTruns", /options\.maxTruns is not an option/],
    [
      "a field within an option",
      { options: { systemPrompt: { type: "preset", preset: "claude_code", x: 1 } } },
      "options.systemPrompt.x",
      /not a known field/,
    ],
    ["metadata that is no text", { metadata: { a: 1 } }, "metadata.a", /metadata\.a/],
    ["a list", [], undefined, /The request body must be an object/],
  ]
  for (const [title, json, field, message] of cases) {
    it(title, async () => {
      const { refused } = makeApi()
      const { error } = await refused(400, "POST", "/v1/sessions", { json })
      expect(error.type).toBe("invalid_request_error")
      expect(error.field).toBe(field)
      expect(error.message).toMatch(message)
    })
  }

  it("a body that is not JSON, or nested without end", async () => {
    const { refused } = makeApi()
    expect((await refused(400, "POST", "/v1/sessions", { body: "{" })).error.message).toMatch(/not valid JSON/)
    const deep = `{"prompt":[{"type":"text","text":"x","y":${"[".repeat(5000)}${"]".repeat(5000)}}]}`
    expect((await refused(400, "POST", "/v1/query", { body: deep })).error.message).toMatch(/nested/)
  })

  it("a prompt of an unknown block names the block", async () => {
    const { refused } = makeApi()
    const { error } = await refused(400, "POST", "/v1/query", { json: { prompt: [{ type: "tool_use", id: "x" }] } })
    expect(error.field).toBe("prompt[0].type")
    expect((await refused(400, "POST", "/v1/query", { json: {} })).error.field).toBe("prompt")
    expect((await refused(400, "POST", "/v1/query", { json: { prompt: "" } })).error.field).toBe("prompt")
  })

  it("a path or query parameter", async () => {
    const { refused, create } = makeApi()
    expect((await refused(400, "GET", "/v1/sessions/42")).error.field).toBe("id")
    const id = await create()
    const events = `/v1/sessions/${id}/events`
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=1001", "limit"],
      ["after=-1", "after"],
      ["order=up", "order"],
      ["nope=1", "nope"],
    ]) {
      expect((await refused(400, "GET", `${events}?${query}`)).error.field).toBe(field)
    }
    const { error } = await refused(400, "GET", `${events}/stream?format=parts`)
    expect(error).toMatchObject({ field: "format", message: expect.stringContaining('"sdk"') })
    await refused(400, "GET", `${events}/stream`, { headers: { "last-event-id": "abc" } })
    expect((await refused(400, "GET", "/v1/costs?from=2026-13-45")).error.field).toBe("from")
  })

  it("a body over the limit, declared or streamed", async () => {
    const { refused, create } = makeApi()
    const declared = (mib: number) => ({ body: "{}", headers: { "content-length": String(mib * 1024 * 1024 + 1) } })
    const { error } = await refused(413, "POST", "/v1/query", declared(20))
    expect(error.type).toBe("request_too_large")
    expect(error.message).toMatch(/20971520 bytes \(20 MiB\).*PUT \/v1\/sessions\/\{id\}\/files/)
    expect((await refused(413, "POST", "/v1/admin/keys", declared(1))).error.message).toContain("(1 MiB)")
    const chunk = new TextEncoder().encode(" ".repeat(64 * 1024))
    let sent = 0
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1
        controller.enqueue(chunk)
      },
    })
    await refused(413, "POST", "/v1/query", { body: stream })
    expect(sent).toBeLessThan(330)
    const id = await create()
    const file = { body: "x", headers: { "content-length": String(33 * 1024 * 1024) } }
    await refused(413, "PUT", `/v1/sessions/${id}/files/a.txt`, file)
  })

  it("an unknown path or method", async () => {
    const { refused } = makeApi()
    for (const [status, method, path] of [
      [404, "GET", "/v1/nothing"],
      [405, "GET", "/v1/query"],
      [405, "DELETE", "/v1/sessions"],
      [404, "GET", "/"],
    ] as const) {
      const body = await refused(status, method, path)
      expect(body.error.type).toBe(status === 404 ? "not_found_error" : "method_not_allowed_error")
      expect(body.request_id).toMatch(/^req_/)
    }
  })
})

describe("the unexpected", () => {
  it("is a bare api_error; the log line has the request id and no secret", async () => {
    const { call, env, sessions } = makeApi()
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined)
    try {
      const broken = {
        getByName: (name: string) => ({
          ...sessions.getByName(name),
          info: () => Promise.reject(new Error("SELECT secret FROM t at /home/x\n  sk-ant-abc123 Bearer perch_a_b_c")),
        }),
      }
      Object.assign(env, { SESSIONS: broken })
      const response = await call("GET", `/v1/sessions/${ID}`)
      const text = await response.text()
      expect(response.status).toBe(500)
      expect(text).not.toMatch(/SELECT|\/home|secret/)
      const line = String(logged.mock.calls[0]?.[0])
      expect(JSON.parse(line)).toMatchObject({
        request_id: JSON.parse(text).request_id,
        route: "GET /v1/sessions/{id}",
      })
      expect(line).not.toMatch(/sk-ant|perch_a/)
    } finally {
      logged.mockRestore()
    }
  })

  it("an object that was moved is asked again", async () => {
    const { call, create, env, sessions } = makeApi()
    const id = await create()
    let tries = 0
    const moved = {
      getByName: (name: string) => ({
        ...sessions.getByName(name),
        info: () => {
          tries += 1
          const error = Object.assign(new Error("reset"), { retryable: true })
          return tries < 3 ? Promise.reject(error) : sessions.getByName(name).info()
        },
      }),
    }
    Object.assign(env, { SESSIONS: moved })
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    try {
      const answer = call("GET", `/v1/sessions/${id}`)
      await vi.waitFor(() => vi.runAllTimersAsync().then(() => expect(tries).toBe(3)))
      expect((await answer).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("sessions", () => {
  it("are created with defaults, read, changed and erased", async () => {
    const { call } = makeApi()
    const made = await call("POST", "/v1/sessions")
    const session = (await made.json()) as { id: string }
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe(`/v1/sessions/${session.id}`)
    expect(session).toMatchObject({ cwd: "/workspace", title: null, metadata: {}, options: {} })
    const patched = await call("PATCH", `/v1/sessions/${session.id}`, { json: { model: "m", title: "T" } })
    expect(await patched.json()).toMatchObject({ title: "T", options: { model: "m" } })
    expect(await (await call("DELETE", `/v1/sessions/${session.id}`)).json()).toMatchObject({ deleted: true })
  })

  it("an explicit id that exists is a conflict", async () => {
    const { call, refused } = makeApi()
    expect((await call("POST", "/v1/sessions", { json: { id: ID } })).status).toBe(201)
    expect((await refused(409, "POST", "/v1/sessions", { json: { id: ID } })).error.type).toBe("conflict_error")
  })

  it("an option given twice is refused", async () => {
    const { create, refused } = makeApi()
    const json = { model: "a", options: { model: "b" } }
    expect((await refused(400, "PATCH", `/v1/sessions/${await create()}`, { json })).error.field).toBe("model")
  })

  it("the same Idempotency-Key is the same session, another body is a 422", async () => {
    const { call, refused } = makeApi()
    const headers = { "idempotency-key": "k1" }
    const first = await call("POST", "/v1/sessions", { headers, json: { title: "a", cwd: "/x" } })
    const again = await call("POST", "/v1/sessions", { headers, json: { cwd: "/x", title: "a" } })
    expect([first.status, again.status]).toEqual([201, 200])
    expect([first, again].map(({ headers: received }) => received.get("idempotent-replayed"))).toEqual([null, "true"])
    const session = (await first.json()) as { id: string }
    const { id } = session
    expect(await again.json()).toEqual(session)
    expect(id[14]).toBe("8")
    const { error } = await refused(422, "POST", "/v1/sessions", { headers, json: { title: "b" } })
    expect(error.type).toBe("unprocessable_error")
    await refused(400, "POST", "/v1/sessions", { headers: { "idempotency-key": "x".repeat(256) }, json: {} })
  })

  it("the list is the tenant's own, from D1", async () => {
    const { call } = makeApi()
    expect(await (await call("GET", "/v1/sessions")).json()).toEqual({ data: [], next_cursor: null })
    expect(await (await call("GET", "/v1/costs?from=2026-01-01&to=2026-02-01T00:00:00Z")).json()).toMatchObject({
      data: [],
    })
  })
})

describe("files", () => {
  it("are written, read with type and etag, and deleted", async () => {
    const { call, create } = makeApi()
    const path = `/v1/sessions/${await create()}/files/workspace/a%20b%252F%C3%BC.html`
    const put = await call("PUT", path, { body: "<b>hi</b>" })
    expect(put.status).toBe(201)
    expect(await put.json()).toMatchObject({ path: "/workspace/a b%2Fü.html", size: 9 })
    expect((await call("PUT", path, { body: "<b>ho</b>" })).status).toBe(200)
    const got = await call("GET", path)
    expect(await got.text()).toBe("<b>ho</b>")
    expect(got.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(got.headers.get("x-content-type-options")).toBe("nosniff")
    expect(got.headers.get("content-security-policy")).toContain("sandbox")
    const etag = got.headers.get("etag") ?? ""
    const same = await call("GET", path, { headers: { "if-none-match": etag } })
    expect([same.status, await same.text()]).toEqual([304, ""])
    expect((await call("DELETE", path)).status).toBe(204)
    expect((await call("GET", path)).status).toBe(404)
  })

  it("are rewound to a user message, and compared as JSON or as unified text", async () => {
    const { call, create, refused, sessions } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}`
    const rewound = await call("POST", `${path}/rewind`, { json: { user_message_id: "m", dry_run: true } })
    expect(await rewound.json()).toEqual({ canRewind: true, filesChanged: [], skippedLinks: 0 })
    expect(sessions.get(`root/${id}`).calls).toContain("rewind m")
    await refused(400, "POST", `${path}/rewind`, { json: {} })
    expect(await (await call("GET", `${path}/checkpoints`)).json()).toEqual({ checkpoints: [] })
    expect(await (await call("GET", `${path}/diff?from=a&to=b`)).json()).toMatchObject({ from: "a", to: "b" })
    for (const asked of [{ accept: "text/x-diff" }, {}]) {
      const query = "accept" in asked ? "" : "?format=unified"
      const text = await call("GET", `${path}/diff${query}`, { headers: asked })
      expect(text.headers.get("content-type")).toBe("text/x-diff; charset=utf-8")
      expect(await text.text()).toBe("diff --git\n")
    }
    await refused(400, "GET", `${path}/diff?format=html`)
  })

  it("a path that climbs is refused", async () => {
    const { create, refused } = makeApi()
    const files = `/v1/sessions/${await create()}/files`
    for (const path of ["a%2F..%2Fb", "a//b", "a%00b", "x/"]) {
      expect((await refused(400, "GET", `${files}/${path}`)).error.field).toBe("path")
    }
  })
})

describe("asks and controls", () => {
  it("answers are passed on; a malformed one is refused", async () => {
    const { call, create, refused, sessions } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}/permissions`
    expect(await (await call("GET", path)).json()).toEqual({ pending: [] })
    const answer = { behavior: "deny", message: "no", interrupt: true }
    expect((await call("POST", `${path}/r1`, { json: answer })).status).toBe(200)
    expect(sessions.get(`root/${id}`).answers).toEqual([answer])
    await refused(400, "POST", `${path}/r1`, { json: { behavior: "maybe" } })
    await refused(400, "POST", `${path}/r1`, { json: { behavior: "deny", message: 1 } })
    expect(await (await call("POST", `/v1/sessions/${id}/interrupt`)).json()).toEqual({
      interrupted: false,
      still_queued: [],
    })
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

  it("listed origins are the only ones when the setting names them", async () => {
    const { call } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_CORS_ORIGINS: "https://a.example, https://b.example" })
    const allowed = async (origin: string) =>
      (await call("GET", "/healthz", { headers: { origin } })).headers.get("access-control-allow-origin")
    expect(await allowed("https://b.example")).toBe("https://b.example")
    expect(await allowed("https://c.example")).toBeNull()
  })
})
