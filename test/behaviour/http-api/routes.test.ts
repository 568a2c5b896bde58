// The answers of the routes of sessions, files, asks and controls, over in-memory sessions.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

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

  it("an option given twice is rejected", async () => {
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

  it("the list contains only the tenant's own sessions, from D1", async () => {
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

  it("are rewound to a user message, and compared as JSON or as a unified diff", async () => {
    const { call, create, refused, sessions } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}`
    const rewound = await call("POST", `${path}/rewind`, { json: { user_message_id: "m", dry_run: true } })
    expect(await rewound.json()).toEqual({ canRewind: true, filesChanged: [], skippedLinks: 0 })
    expect(sessions.get(`root/${id}`).calls).toContain("rewind m")
    await refused(400, "POST", `${path}/rewind`, { json: {} })
    expect(await (await call("GET", `${path}/checkpoints`)).json()).toEqual({ checkpoints: [] })
    expect(await (await call("GET", `${path}/diff?from=a&to=b`)).json()).toMatchObject({ from: "a", to: "b" })
    for (const asked of [{ accept: "text/x-diff" }, { accept: "Text/X-Diff" }, {}]) {
      const query = "accept" in asked ? "" : "?format=unified"
      const text = await call("GET", `${path}/diff${query}`, { headers: asked })
      expect(text.headers.get("content-type")).toBe("text/x-diff; charset=utf-8")
      expect(await text.text()).toBe("diff --git\n")
    }
    await refused(400, "GET", `${path}/diff?format=html`)
  })

  it("a path that leaves its root is rejected", async () => {
    const { create, refused } = makeApi()
    const files = `/v1/sessions/${await create()}/files`
    for (const path of ["a%2F..%2Fb", "a//b", "a%00b", "x/"]) {
      expect((await refused(400, "GET", `${files}/${path}`)).error.field).toBe("path")
    }
  })
})

describe("asks and controls", () => {
  it("answers are passed on; a malformed one is rejected", async () => {
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
