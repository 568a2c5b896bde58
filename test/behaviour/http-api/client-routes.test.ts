// The endpoints of official clients: the control protocol's socket, the browser SDK's stream and its POST requests, with keys
// or tickets.
import { describe, expect, it } from "vitest"
import { readSse, type SseFrame } from "../../support/server/sse.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"

const UPGRADE = { upgrade: "websocket" }
const OTHER = "0192f0c1-2345-7abc-8def-0123456789ab"
const FRAME = { type: "user", message: { role: "user", content: "hi" }, parent_tool_use_id: null, uuid: "u1" }

describe("the socket", () => {
  it("is opened at the session with default parameters", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const response = await call("GET", `/v1/sessions/${id}/socket`, { headers: UPGRADE })
    expect(response.status).toBe(101)
    const [control] = sessions.get(`root/${id}`).controls
    response.webSocket?.accept()
    response.webSocket?.send("x\n")
    expect(control?.end.received).toEqual(["x\n"])
    const { client, ...asked } = Object.fromEntries(new URLSearchParams(control?.search))
    expect(asked).toEqual({ framing: "plain", after: "head" })
    expect(client).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("passes on the client's parameters, except its ticket", async () => {
    const { call, create, sessions, ticket } = makeApi()
    const id = await create()
    const query = `client=my_client-1&framing=numbered&after=7&replay=true&ticket=${await ticket(id)}`
    const response = await call("GET", `/v1/sessions/${id}/socket?${query}`, { key: null, headers: UPGRADE })
    expect(response.status).toBe(101)
    const search = new URLSearchParams(sessions.get(`root/${id}`).controls[0]?.search)
    expect(Object.fromEntries(search)).toEqual({
      client: "my_client-1",
      framing: "numbered",
      after: "7",
      replay: "true",
    })
  })

  it("without an upgrade is a 426 that names the protocol to upgrade to", async () => {
    const { call, create } = makeApi()
    const path = `/v1/sessions/${await create()}/socket`
    const response = await call("GET", path)
    expect([response.status, response.headers.get("upgrade")]).toEqual([426, "websocket"])
    expect(await response.json()).toMatchObject({ error: { type: "upgrade_required_error" } })
    expect((await call("GET", path, { key: null })).status).toBe(401)
  })

  it("is refused before the upgrade when the key, the ticket, the session or a parameter is wrong", async () => {
    const { create, refused, sessions, ticket } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}/socket`
    await refused(401, "GET", path, { key: "wrong", headers: UPGRADE })
    // With an upgrade these are sockets that close with the error: test/e2e/security/socket-auth.test.ts.
    await refused(403, "GET", `${path}?ticket=${await ticket(id, { roles: ["prompt"] })}`, { key: null })
    await refused(401, "GET", `${path}?ticket=${await ticket(OTHER)}`, { key: null })
    await refused(404, "GET", `/v1/sessions/${OTHER}/socket`, { headers: UPGRADE })
    for (const [query, field] of [
      ["client=a/b", "client"],
      [`client=${"a".repeat(65)}`, "client"],
      ["framing=lines", "framing"],
      ["after=-1", "after"],
    ]) {
      expect((await refused(400, "GET", `${path}?${query}`, { headers: UPGRADE })).error.field).toBe(field)
    }
    expect(sessions.get(`root/${id}`).controls).toEqual([])
  })

  it("is refused to pages of other origins if the setting lists the allowed ones", async () => {
    const { call, create, refused } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_CORS_ORIGINS: "https://a.example" })
    const path = `/v1/sessions/${await create()}/socket`
    await refused(403, "GET", path, { headers: { ...UPGRADE, origin: "https://b.example" } })
    const allowed = await call("GET", path, { headers: { ...UPGRADE, origin: "https://a.example" } })
    expect(allowed.status).toBe(101)
  })

  it("is a 503 while no root key is set, even to a client that has not signed in", async () => {
    const { refused } = makeApi({})
    await refused(503, "GET", `/v1/sessions/${OTHER}/socket`, { key: null })
    await refused(503, "GET", `/v1/sessions/${OTHER}/socket`, { headers: UPGRADE })
  })
})

describe("frames that a browser posts", () => {
  it("reach the session under the client's name", async () => {
    const { call, create, sessions, ticket } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}/events`
    const json = { session_id: id, events: [{ payload: FRAME }] }
    const posted = await call("POST", path, { json })
    expect([posted.status, await posted.json()]).toEqual([200, { accepted: 1 }])
    const two = { events: [{ payload: FRAME, more: 1 }, { payload: { type: "keep_alive" } }] }
    const sender = await ticket(id, { roles: ["prompt"] })
    const named = await call("POST", `${path}?client=tab-2&ticket=${sender}`, { key: null, json: two })
    expect(await named.json()).toEqual({ accepted: 2 })
    expect(sessions.get(`root/${id}`).frames).toEqual([
      { client: "sse", frame: FRAME },
      { client: "tab-2", frame: FRAME },
      { client: "tab-2", frame: { type: "keep_alive" } },
    ])
  })

  it("are rejected when they are for another session, have no type, or are too large", async () => {
    const { create, refused, sessions, ticket } = makeApi()
    const id = await create()
    const path = `/v1/sessions/${id}/events`
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ session_id: OTHER, events: [{ payload: FRAME }] }, "session_id"],
      [{ session_id: "", events: [{ payload: FRAME }] }, "session_id"],
      [{ session_id: id, events: [{ payload: { text: "x" } }] }, "events[0].payload.type"],
      [{ session_id: id, events: [{}] }, "events[0].payload"],
      [{ session_id: id, events: [] }, "events"],
      [{ session_id: id, events: Array.from({ length: 101 }, () => ({ payload: FRAME })) }, "events"],
      [{ session_id: id }, "events"],
    ]
    for (const [json, field] of cases) expect((await refused(400, "POST", path, { json })).error.field).toBe(field)
    await refused(404, "POST", `/v1/sessions/${OTHER}/events`, { json: { events: [{ payload: FRAME }] } })
    await refused(413, "POST", path, { body: "x".repeat(20 * 1024 * 1024 + 1) })
    const observer = await ticket(id, { roles: ["observe"] })
    await refused(403, "POST", `${path}?ticket=${observer}`, { key: null, json: {} })
    expect(sessions.get(`root/${id}`).frames).toEqual([])
  })
})

describe("format=client", () => {
  /** Returns the first `count` frames of a stream. */
  const read = async (response: Response, count: number) => {
    const frames: Array<SseFrame> = []
    for await (const item of readSse(response.body!)) {
      if (item.kind === "frame") frames.push(item.frame)
      if (frames.length === count) break
    }
    return frames
  }

  it("replays numbered messages without prompts, then control frames without numbers", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const session = sessions.get(`root/${id}`)
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi" } })
    const response = await call("GET", `/v1/sessions/${id}/events/stream?format=client&client=tab`)
    session.sockets[0]?.send({ name: "control:frame", json: '{"type":"control_request"}' })
    const frames = await read(response, 3)
    expect(frames.map(({ id: number, event }) => [number, event])).toEqual([
      ["2", "client_event"],
      ["3", "client_event"],
      [undefined, "client_event"],
    ])
    expect(JSON.parse(frames[1]!.data)).toMatchObject({
      sequence_num: 3,
      source: "worker",
      payload: { type: "result" },
    })
    expect(session.feeds).toEqual(["?after=0&paged=1&partials=true&client=tab"])
  })

  it("resumes after Last-Event-ID with a ticket; a cursor beyond the log is reported", async () => {
    const { call, create, sessions, ticket } = makeApi()
    const id = await create()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi" } })
    const path = `/v1/sessions/${id}/events/stream?format=client&ticket=${await ticket(id, { roles: ["observe"] })}`
    const resume = (last: string) => call("GET", path, { key: null, headers: { "last-event-id": last } })
    expect(await read(await resume("2"), 1)).toMatchObject([{ id: "3" }])
    expect(await read(await resume("99"), 1)).toMatchObject([{ event: "catch_up_truncated", data: '{"last_seq":3}' }])
    expect(sessions.get(`root/${id}`).feeds[0]).toBe("?after=2&paged=1&partials=true&client=sse")
  })

  it("sends bytes at once, and accepts a client's name only with this format", async () => {
    const { call, create, refused } = makeApi()
    const path = `/v1/sessions/${await create()}/events/stream`
    const reader = (await call("GET", `${path}?format=client&partials=false`)).body!.getReader()
    expect((await reader.read()).value?.byteLength).toBeGreaterThan(0)
    await reader.cancel()
    expect((await refused(400, "GET", `${path}?client=a`)).error.field).toBe("client")
    expect((await refused(400, "GET", `${path}?format=client&client=a%20b`)).error.field).toBe("client")
  })
})

describe("tickets", () => {
  it("are issued for the requested endpoints", async () => {
    const { call, create, refused } = makeApi()
    const id = await create()
    const made = await call("POST", `/v1/sessions/${id}/tickets`, { json: { scopes: ["stream", "events", "socket"] } })
    const { ticket } = (await made.json()) as { ticket: string } // asserted by its use
    const json = { events: [{ payload: FRAME }] }
    expect((await call("POST", `/v1/sessions/${id}/events?ticket=${ticket}`, { key: null, json })).status).toBe(200)
    const socket = `/v1/sessions/${id}/socket?ticket=${ticket}`
    expect((await call("GET", socket, { key: null, headers: UPGRADE })).status).toBe(101)
    expect((await refused(401, "GET", `/v1/sessions/${id}/events?ticket=${ticket}`, { key: null })).type).toBe("error")
    await refused(400, "POST", `/v1/sessions/${id}/tickets`, { json: { scopes: ["files"] } })
  })
})

describe("pages", () => {
  it("may send every header that official clients send", async () => {
    const { call } = makeApi()
    const wanted = ["authorization", "content-type", "last-event-id", "x-api-key", "idempotency-key"]
    const response = await call("OPTIONS", `/v1/sessions/${OTHER}/events`, {
      key: null,
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": wanted.join(","),
      },
    })
    expect(response.status).toBe(204)
    const allowed = (response.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/\s*,\s*/)
    expect(allowed).toEqual(expect.arrayContaining(wanted))
  })
})
