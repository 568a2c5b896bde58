// Running prompts: the three forms of the answer, idempotency, and what a stream contains.
import { describe, expect, it, vi } from "vitest"
import { makeApi } from "../../http/api.ts"

const sse = { accept: "text/event-stream" }
const dataOf = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as { type: string })

describe("a prompt", () => {
  it("as JSON is the turn's result", async () => {
    const { call, create } = makeApi()
    const id = await create()
    const response = await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi" } })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ type: "result", session_id: id })
    expect(response.headers.get("perch-session-id")).toBe(id)
    expect(response.headers.get("perch-turn-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("whose turn parks is a 202 with the open asks", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const turn = "0192f0c1-2345-7abc-8def-0123456789ab"
    sessions.get(`root/${id}`).waiting = { status: "requires_action", turn_id: turn, pending: [], result: null }
    const response = await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi", uuid: turn } })
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({ session_id: id, turn_id: turn, status: "requires_action", pending: [] })
  })

  it("with respond-async is a 202 at once", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const response = await call("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: "hi" },
      headers: { prefer: "respond-async" },
    })
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ session_id: id, status: "completed" })
    expect(response.headers.get("preference-applied")).toBe("respond-async")
    expect(sessions.get(`root/${id}`).calls).not.toContain("wait")
    const waited = await call("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: "hi" },
      headers: { prefer: "respond-async=false" },
    })
    expect(waited.headers.get("preference-applied")).toBeNull()
    expect(sessions.get(`root/${id}`).calls).toContain("wait")
  })

  it("to an unknown session is a 404 in every form", async () => {
    const { refused } = makeApi()
    const path = "/v1/sessions/0192f0c1-2345-7abc-8def-0123456789ab/query"
    for (const headers of [{}, sse, { prefer: "respond-async" }]) {
      await refused(404, "POST", path, { json: { prompt: "hi" }, headers })
    }
  })

  it("refused by a busy session is a 409 before any stream, and no feed is opened", async () => {
    const { create, refused, sessions } = makeApi()
    const id = await create()
    const session = sessions.get(`root/${id}`)
    session.busy = true
    const json = { prompt: "hi", on_busy: "reject" }
    const body = await refused(409, "POST", `/v1/sessions/${id}/query`, { json, headers: sse })
    expect(body.error.type).toBe("conflict_error")
    expect(session.feeds).toEqual([])
  })
})

describe("a streamed prompt", () => {
  it("that is long is streamed like a short one", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const prompt = "long ".repeat(4000)
    const response = await call("POST", `/v1/sessions/${id}/query`, { json: { prompt }, headers: sse })
    expect(dataOf(await response.text())).toMatchObject([{ type: "assistant", text: prompt }, { type: "result" }])
    expect(sessions.get(`root/${id}`).submitted).toHaveLength(1)
  })

  it("contains the SDK messages of its turn and ends at the result", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "before" } })
    const response = await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "now" }, headers: sse })
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const text = await response.text()
    expect(dataOf(text)).toMatchObject([{ type: "assistant", text: "now" }, { type: "result" }])
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual([5, 6])
    expect(text).not.toMatch(/^event:/m)
    expect(sessions.get(`root/${id}`).sockets.every(({ closedByClient }) => closedByClient)).toBe(true)
  })

  it("sent again with the same uuid streams the same turn from its start", async () => {
    const { call, create, refused } = makeApi()
    const id = await create()
    const uuid = "0192f0c1-2345-7abc-8def-0123456789ab"
    const once = await (
      await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "a", uuid }, headers: sse })
    ).text()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "other" } })
    const again = await (
      await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "a", uuid }, headers: sse })
    ).text()
    expect(again).toBe(once)
    const other = { json: { prompt: "b", uuid } }
    expect((await refused(422, "POST", `/v1/sessions/${id}/query`, other)).error.type).toBe("unprocessable_error")
  })

  it("read again with its key continues after Last-Event-ID, and ends at once when all of it was read", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const headers = { ...sse, "idempotency-key": "k" }
    const path = `/v1/sessions/${id}/query`
    const again = async (last: string) => {
      const more = { ...headers, "last-event-id": last }
      return (await call("POST", path, { json: { prompt: "a" }, headers: more })).text()
    }
    const whole = await (await call("POST", path, { json: { prompt: "a" }, headers })).text()
    const ids = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => seq!)
    expect([...(await again(ids[0]!)).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => seq)).toEqual(ids.slice(1))
    const rest = await again(ids.at(-1)!)
    expect(rest).not.toContain("data:")
    const session = sessions.get(`root/${id}`)
    expect(session.submitted).toHaveLength(1)
    expect(session.sockets.every(({ closedByClient }) => closedByClient)).toBe(true)
  })

  it("with Last-Event-ID and without an id of its own is refused, and runs nothing", async () => {
    const { create, refused, sessions } = makeApi()
    const id = await create()
    const headers = { ...sse, "last-event-id": "2" }
    const uuid = "0192f0c1-2345-7abc-8def-0123456789ab"
    for (const [path, json] of [
      [`/v1/sessions/${id}/query`, { prompt: "a" }],
      ["/v1/query", { prompt: "a" }],
      ["/v1/query", { prompt: "a", uuid }],
    ] as const) {
      const { error } = await refused(400, "POST", path, { json, headers })
      expect(error).toMatchObject({ field: "Last-Event-ID", message: expect.stringMatching(/Idempotency-Key/) })
    }
    const badCursor = { ...sse, "last-event-id": "x", "idempotency-key": "k" }
    await refused(400, "POST", `/v1/sessions/${id}/query`, { json: { prompt: "a" }, headers: badCursor })
    expect(sessions.get(`root/${id}`).submitted).toEqual([])
    expect(sessions.byName.size).toBe(1)
  })

  it("can create its session", async () => {
    const { call, sessions } = makeApi()
    const json = { prompt: "hi", cwd: "/app", title: "T", metadata: { a: "b" }, options: { maxTurns: 3 } }
    const response = await call("POST", "/v1/query", { json, headers: sse })
    expect(response.status).toBe(200)
    expect(dataOf(await response.text()).at(-1)?.type).toBe("result")
    const session = sessions.get(`root/${response.headers.get("perch-session-id")}`)
    expect(session.info).toMatchObject({ cwd: "/app", title: "T", metadata: { a: "b" }, options: { maxTurns: 3 } })
    expect(session.feeds).toHaveLength(1)
  })
})

describe("an Idempotency-Key", () => {
  it.each([
    ["waits", {}],
    ["is answered at once", { prefer: "respond-async" }],
    ["reads the stream", { accept: "text/event-stream" }],
  ])("that was used before is marked by a header, to a client that %s", async (_, more) => {
    const { call, create } = makeApi()
    const id = await create()
    for (const path of [`/v1/sessions/${id}/query`, "/v1/query"]) {
      const headers = { "idempotency-key": `key of ${path}`, ...more }
      const replayed: Array<string | null> = []
      const texts: Array<string> = []
      for (let time = 0; time < 3; time += 1) {
        const answer = await call("POST", path, { json: { prompt: "hi" }, headers })
        replayed.push(answer.headers.get("idempotent-replayed"))
        texts.push(await answer.text())
      }
      expect(replayed).toEqual([null, "true", "true"])
      expect(texts[1]).toBe(texts[2])
    }
  })

  it("identifies the turn of a query: a repetition runs once, another body is a 422", async () => {
    const { call, create, refused, sessions } = makeApi()
    const id = await create()
    const options = { json: { prompt: "hi" }, headers: { "idempotency-key": "k" } }
    const turns = []
    for (let time = 0; time < 2; time += 1) {
      turns.push((await call("POST", `/v1/sessions/${id}/query`, options)).headers.get("perch-turn-id"))
    }
    expect(turns[0]).toBe(turns[1])
    expect(sessions.get(`root/${id}`).submitted).toHaveLength(1)
    await refused(422, "POST", `/v1/sessions/${id}/query`, { ...options, json: { prompt: "ho" } })
  })

  it("identifies both the session and the turn of a new query", async () => {
    const { call, refused, sessions } = makeApi()
    const options = { json: { prompt: "hi" }, headers: { "idempotency-key": "k" } }
    const first = await call("POST", "/v1/query", options)
    const again = await call("POST", "/v1/query", options)
    for (const name of ["perch-session-id", "perch-turn-id"]) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(sessions.byName.size).toBe(1)
    await refused(422, "POST", "/v1/query", { ...options, json: { prompt: "ho" } })
  })
})

describe("a ticket", () => {
  it("opens the stream of its session and nothing else", async () => {
    const { call, create, refused } = makeApi()
    const [id, other] = [await create(), await create()]
    const made = await call("POST", `/v1/sessions/${id}/tickets`, { json: { ttl_seconds: 60 } })
    expect(made.status).toBe(201)
    const { ticket } = (await made.json()) as { ticket: string }
    const stream = await call("GET", `/v1/sessions/${id}/events/stream?ticket=${ticket}`, { key: null })
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
    await refused(401, "GET", `/v1/sessions/${other}/events/stream?ticket=${ticket}`, { key: null })
    await refused(401, "GET", `/v1/sessions/${id}/events?ticket=${ticket}`, { key: null })
    await refused(401, "GET", `/v1/sessions/${id}?ticket=${ticket}`, { key: null })
    await refused(401, "GET", `/v1/sessions/${id}/events/stream?ticket=x${ticket}`, { key: null })
    await refused(404, "POST", "/v1/sessions/0192f0c1-2345-7abc-8def-0123456789ab/tickets", { json: {} })
    await refused(400, "POST", `/v1/sessions/${id}/tickets`, { json: { ttl_seconds: 3601 } })
    await refused(400, "POST", `/v1/sessions/${id}/tickets`, { json: { scopes: ["everything"] } })
  })
})

describe("the event stream", () => {
  it("resumes after Last-Event-ID, which takes precedence over `after`", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi" } })
    const path = `/v1/sessions/${id}/events/stream?after=1&partials=true`
    const response = await call("GET", path, { headers: { "last-event-id": "2" } })
    await response.body?.cancel()
    const session = sessions.get(`root/${id}`)
    expect(session.feeds).toEqual(["?after=2&paged=1&partials=true"])
    await vi.waitFor(() => expect(session.sockets[0]?.closedByClient).toBe(true))
  })

  it("HEAD opens no feed", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    expect((await call("HEAD", `/v1/sessions/${id}/events/stream`)).status).toBe(200)
    expect(sessions.get(`root/${id}`).feeds).toEqual([])
  })
})
