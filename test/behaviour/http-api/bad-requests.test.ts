// Invalid requests, each rejected with the name of what is wrong, and errors that no route expects.
import { describe, expect, it, vi } from "vitest"
import { makeApi } from "../../http/api.ts"

/** A path of 4,080 bytes. */
const LONG = `/${"é".repeat(127)}`.repeat(16)

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

describe("a bad request is rejected by name", () => {
  const cases: ReadonlyArray<readonly [title: string, json: unknown, field: string | undefined, message: RegExp]> = [
    ["a bad id", { id: "NOT-A-UUID" }, "id", /^id: /],
    ["a relative cwd", { cwd: "workspace" }, "cwd", /^cwd: /],
    ["a cwd that climbs", { cwd: "/workspace/../etc" }, "cwd", /^cwd: /],
    ["a cwd with a name of 256 bytes", { cwd: `/${"é".repeat(128)}` }, "cwd", /^cwd: .*255 in each name/],
    ["a cwd of 4,097 bytes", { cwd: `${LONG}/${"é".repeat(8)}` }, "cwd", /^cwd: .*4,096 bytes/],
    ["a cwd of 5,001 characters", { cwd: `/${"a".repeat(5000)}` }, "cwd", /^cwd: .*4,096 bytes[^;]*$/],
    [
      "an additional directory with a NUL character",
      { options: { additionalDirectories: ["/a/../b/", "/a\u0000b"] } },
      "options.additionalDirectories[1]",
      /additionalDirectories\[1\]: expected an absolute path without control characters, of at most 4,096 bytes/,
    ],
    [
      "an additional directory with a name of 256 bytes",
      { options: { settings: { permissions: { additionalDirectories: [`/${"é".repeat(128)}`] } } } },
      "options.settings.permissions.additionalDirectories[0]",
      /255 in each name/,
    ],
    ["an unknown field", { nonsense: 1 }, "nonsense", /^nonsense: is not a known field/],
    [
      "a bad option",
      { options: { maxTurns: "x" } },
      "options.maxTurns",
      /options\.maxTurns must be an integer\. Got a string/,
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
      expect(new Set(error.issues?.map((issue) => issue.message)).size).toBe(error.issues?.length ?? 0)
    })
  }

  it("but not a cwd at the limits of a path", async () => {
    for (const cwd of [`${LONG}/${"é".repeat(7)}e`, `/${"é".repeat(127)}e`])
      expect((await makeApi().call("POST", "/v1/sessions", { json: { cwd } })).status).toBe(201)
  })

  it("a file's path that no workspace can contain, with the limit, and not one at the limit", async () => {
    const api = makeApi()
    const id = await api.create()
    const at = (path: string) => `/v1/sessions/${id}/files/${encodeURIComponent(path).replaceAll("%2F", "/")}`
    for (const path of ["a/".repeat(2047) + "ab", `${LONG.slice(1)}/${"é".repeat(8)}`, "é".repeat(128)]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { error } = await api.refused(400, method, at(path), method === "PUT" ? { body: "x" } : {})
        expect([error.field, error.message]).toEqual(["path", expect.stringMatching(/4,?09[56]/)])
        expect(error.issues).toEqual([{ field: "path", message: error.message }])
      }
    }
    const kept = `${LONG.slice(1)}/${"é".repeat(7)}e`
    expect((await api.call("PUT", at(kept), { body: "x" })).status).toBe(201)
  })

  it("a body that is not JSON, or too deeply nested", async () => {
    const { refused } = makeApi()
    expect((await refused(400, "POST", "/v1/sessions", { body: "{" })).error.message).toMatch(/not valid JSON/)
    const deep = `{"prompt":[{"type":"text","text":"x","y":${"[".repeat(5000)}${"]".repeat(5000)}}]}`
    const { error } = await refused(400, "POST", "/v1/query", { body: deep })
    expect([error.field, error.message]).toEqual([
      expect.stringMatching(/^prompt\[0\]\.y\[0\]\[0\]/),
      `${error.field}: is nested more than 100 levels deep`,
    ])
  })

  it("a prompt with an unknown block type names the type", async () => {
    const { refused } = makeApi()
    const { error } = await refused(400, "POST", "/v1/query", { json: { prompt: [{ type: "tool_use", id: "x" }] } })
    expect(error.field).toBe("prompt[0].type")
    expect((await refused(400, "POST", "/v1/query", { json: {} })).error.field).toBe("prompt")
    expect((await refused(400, "POST", "/v1/query", { json: { prompt: "" } })).error.field).toBe("prompt")
  })

  it("a path or query parameter", async () => {
    const { refused, create } = makeApi()
    expect((await refused(400, "GET", "/v1/sessions/42")).error.field).toBe("id")
    const { error: key } = await refused(400, "DELETE", "/v1/admin/keys/42")
    expect(key.message).toBe("key_id: expected the id of a key: 16 hexadecimal digits in lower case")
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
    const { error } = await refused(400, "GET", `${events}/stream?format=xml`)
    expect(error).toMatchObject({ field: "format", message: expect.stringContaining('"sdk"') })
    await refused(400, "GET", `${events}/stream`, { headers: { "last-event-id": "abc" } })
    for (const day of ["2026-13-45", "2026-02-30", "2026-04-31T00:00:00Z"]) {
      expect((await refused(400, "GET", `/v1/costs?from=${day}`)).error.field).toBe("from")
    }
    for (const to of ["2026-01-01T12:00:00Z", "2026-02-01"]) {
      const { error } = await refused(400, "GET", `/v1/costs?from=2026-02-01&to=${to}`)
      expect(error).toMatchObject({ field: "from", message: "from: must be earlier than to" })
    }
  })

  it("a query parameter without a name", async () => {
    const { refused } = makeApi()
    for (const path of ["/v1/sessions?=x", "/v1/sessions?limit=1&=", "/v1/models?=", `/v1/sessions/${ID}/todos?=x`]) {
      const { error } = await refused(400, "GET", path)
      expect(error.message).toBe("The query has a parameter without a name.")
    }
  })

  it("a listing's path that leaves its root", async () => {
    const { refused } = makeApi()
    for (const prefix of ["/a/../b", "..", "/workspace/./src", "./src", "/a/.."]) {
      const path = `/v1/sessions/${ID}/files?prefix=${encodeURIComponent(prefix)}`
      const { error } = await refused(400, "GET", path)
      expect(error).toMatchObject({ field: "prefix", message: expect.stringContaining("without `.` and `..`") })
    }
  })

  it("a listing's path with a NUL character", async () => {
    const { error } = await makeApi().refused(400, "GET", `/v1/sessions/${ID}/files?prefix=/a%00`)
    expect(error).toMatchObject({ field: "prefix", message: expect.stringContaining("without a NUL character") })
  })

  it("a field of a body that has none", async () => {
    const { refused } = makeApi()
    for (const path of [
      `/v1/sessions/${ID}/interrupt`,
      "/v1/recordings/one/replay",
      "/v1/admin/sign-in-codes",
      `/v1/webhooks/${ID}/test`,
      `/v1/webhooks/${ID}/deliveries/${ID}/redeliver`,
      "/v1/hook-events/dead/one/redeliver",
      `/v1/workflows/debate/runs/${ID}/cancel`,
    ]) {
      const { error } = await refused(400, "POST", path, { json: { turn: "x" } })
      expect(error).toMatchObject({ field: "turn", message: "turn: is not a known field. Send an empty object" })
    }
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

describe("an unexpected error", () => {
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

  it("an object that was moved is called again", async () => {
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
      await vi.waitFor(() => vi.runOnlyPendingTimersAsync().then(() => expect(tries).toBe(3)))
      expect((await answer).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })
})
