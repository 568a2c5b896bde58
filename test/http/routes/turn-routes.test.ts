// Reading turns over HTTP: their address on every 202, the limits of the parameters, and who may read them.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

const TURN = "0192f0c1-2345-7abc-8def-0123456789ab"
const ASK = {
  request_id: "r1",
  kind: "permission",
  turn_id: TURN,
  tool_name: "Write",
  tool_use_id: "toolu_1",
  input: {},
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
}

describe("every 202 of a query", () => {
  it("contains the turn's address", async () => {
    const { call, create, sessions } = makeApi()
    const id = await create()
    const address = `/v1/sessions/${id}/turns/${TURN}`
    const async = await call("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: "hi", uuid: TURN },
      headers: { prefer: "respond-async" },
    })
    expect([async.status, async.headers.get("location")]).toEqual([202, address])
    for (const status of ["requires_action", "queued", "running"] as const) {
      sessions.get(`root/${id}`).waiting = { turn_id: TURN, status, pending: [ASK], result: null }
      const waited = await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi", uuid: TURN } })
      expect([waited.status, waited.headers.get("location")]).toEqual([202, address])
      expect(await waited.json()).toEqual({ session_id: id, turn_id: TURN, status, pending: [ASK] })
    }
    const fresh = await call("POST", "/v1/query", { json: { prompt: "hi" }, headers: { prefer: "respond-async" } })
    const { session_id, turn_id } = (await fresh.json()) as { session_id: string; turn_id: string }
    expect(fresh.headers.get("location")).toBe(`/v1/sessions/${session_id}/turns/${turn_id}`)
    expect((await call("GET", fresh.headers.get("location")!)).status).toBe(200)
  })

  it("is a 409 instead when the prompt was withdrawn", async () => {
    const { create, refused, sessions } = makeApi()
    const id = await create()
    sessions.get(`root/${id}`).waiting = { turn_id: TURN, status: "cancelled", pending: [], result: null }
    const { error } = await refused(409, "POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi", uuid: TURN } })
    expect(error).toMatchObject({ type: "conflict_error", message: expect.stringMatching(/cancelled/) })
  })
})

describe("a turn", () => {
  it("can be read at its address, and is listed", async () => {
    const { call, create } = makeApi()
    const id = await create()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi", uuid: TURN } })
    const one = await call("GET", `/v1/sessions/${id}/turns/${TURN}?wait=1&until=end`)
    expect(await one.json()).toMatchObject({ type: "turn", session_id: id, turn_id: TURN, status: "completed" })
    const list = await call("GET", `/v1/sessions/${id}/turns?limit=1&order=asc`)
    expect(await list.json()).toMatchObject({ data: [{ turn_id: TURN }], next_cursor: null })
  })

  it("that does not exist or belongs to another tenant's session is a 404", async () => {
    const { call, create, makeKey, refused } = makeApi()
    const id = await create()
    await call("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hi", uuid: TURN } })
    await refused(404, "GET", `/v1/sessions/${id}/turns/0192f0c1-2345-7abc-8def-000000000000`)
    await refused(404, "GET", `/v1/sessions/0192f0c1-2345-7abc-8def-000000000000/turns/${TURN}`)
    const { key } = await makeKey({ tenant: "other" })
    await refused(404, "GET", `/v1/sessions/${id}/turns/${TURN}`, { key })
    await refused(404, "GET", `/v1/sessions/${id}/turns`, { key })
  })

  it("is validated against the limits of its parameters", async () => {
    const { create, refused } = makeApi()
    const id = await create()
    for (const query of ["wait=121", "wait=-1", "wait=1.5", "wait=x", "until=now", "other=1"]) {
      await refused(400, "GET", `/v1/sessions/${id}/turns/${TURN}?${query}`)
    }
    for (const query of ["limit=0", "limit=101", "order=up", "cursor="]) {
      await refused(400, "GET", `/v1/sessions/${id}/turns?${query}`)
    }
  })

  it("is named in the answer to an ask", async () => {
    const { call, create } = makeApi()
    const id = await create()
    const answered = await call("POST", `/v1/sessions/${id}/permissions/r1`, { json: { behavior: "allow" } })
    expect(await answered.json()).toEqual({ request_id: "r1", status: "settled", turn_id: TURN })
  })
})
