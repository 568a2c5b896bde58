// Which session an opening request addresses: a resumed one, the newest of a directory, a copy, or a new one.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { SessionInfo } from "../../../src/schemas/rpc/session.ts"
import { flushToD1, rowsOf } from "../../../src/store/delivery/flush.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"
import { sessionInfo } from "../../store/session-info.ts"
import { type Call, makeApi } from "../api.ts"

const UNKNOWN = "0192f0c1-2345-7abc-8def-0123456789ab"
const OTHER = "0192f0c1-2345-7abc-8def-0123456789ac"
const AT = "0192f0c1-2345-7abc-8def-0123456789ad"

const setUp = () => {
  const api = makeApi()
  const open = async (json: object, more: Call = {}) => {
    const response = await api.call("POST", "/v1/sessions", { json, ...more })
    const body = (await response.json()) as { id: string; error?: { type: string; field?: string } }
    return {
      status: response.status,
      location: response.headers.get("location"),
      replayed: response.headers.get("idempotent-replayed"),
      ...body,
    }
  }
  const fork = async (parent: string, json: object, more: Call = {}) => {
    const response = await api.call("POST", `/v1/sessions/${parent}/fork`, { json, ...more })
    const body = (await response.json()) as { id: string; error?: { type: string; field?: string } }
    return {
      status: response.status,
      location: response.headers.get("location"),
      replayed: response.headers.get("idempotent-replayed"),
      ...body,
    }
  }
  /** As the outbox would have written it to D1 by now. */
  const stored = (info: Partial<SessionInfo>) => {
    const session = sessionInfo(1, info)
    const rows = rowsOf("root", session, [], new PartsProjection(session.id))
    return Effect.runPromise(flushToD1(api.database.d1, rows))
  }
  const object = (id: string) => api.sessions.get(`root/${id}`)
  return { ...api, open, fork, stored, object }
}

const withKey = (key: string): Call => ({ headers: { "idempotency-key": key } })

describe("options.resume", () => {
  it("opens the existing session, with the request's options except those that select the session", async () => {
    const { create, open, object } = setUp()
    const id = await create()
    const opened = await open({ options: { resume: id.toUpperCase(), model: "opus", resumeSessionAt: AT } })
    expect(opened).toMatchObject({ status: 200, id, location: `/v1/sessions/${id}` })
    expect(object(id).reopened).toEqual([{ options: { model: "opus" }, at: AT }])
  })

  it("of an unknown session, or of an invalid id, is a 404", async () => {
    const { open, sessions } = setUp()
    for (const resume of [UNKNOWN, "not-a-session", "", "../x"]) {
      const refused = await open({ options: { resume } })
      expect(refused).toMatchObject({ status: 404, error: { type: "not_found_error" } })
    }
    const copied = await open({ options: { resume: "not-a-session", forkSession: true } })
    expect(copied).toMatchObject({ status: 404, error: { type: "not_found_error" } })
    expect([...sessions.byName.keys()].filter((name) => name.includes("not-a-session"))).toEqual([])
  })

  it("with another id, with continue, or resumeSessionAt or forkSession without it, is a 400 that names the field", async () => {
    const { create, open } = setUp()
    const id = await create()
    const wrong = [
      [{ id: OTHER, options: { resume: id } }, "id"],
      [{ id, options: { resume: id, forkSession: true } }, "id"],
      [{ id, options: { continue: true } }, "id"],
      [{ options: { resume: id, continue: true } }, "options.continue"],
      [{ options: { resumeSessionAt: AT } }, "options.resumeSessionAt"],
      [{ options: { forkSession: true } }, "options.forkSession"],
    ] as const
    for (const [body, field] of wrong) expect(await open(body)).toMatchObject({ status: 400, error: { field } })
    expect(await open({ id, options: { resume: id } })).toMatchObject({ status: 200, id })
  })

  it("with the same Idempotency-Key resumes it once; another body with that key is a 422", async () => {
    const { create, open, object } = setUp()
    const [id, other] = [await create(), await create()]
    const body = { options: { resume: id, model: "opus" } }
    for (const replayed of [null, "true", "true"])
      expect(await open(body, withKey("k"))).toMatchObject({ status: 200, id, replayed })
    expect(object(id).reopened).toHaveLength(1)
    const different = [{ options: { resume: id } }, { options: { resume: other, model: "opus" } }, {}]
    for (const json of different) expect(await open(json, withKey("k"))).toMatchObject({ status: 422 })
    expect(object(other).reopened).toEqual([])
    await open({}, withKey("made"))
    expect(await open(body, withKey("made"))).toMatchObject({ status: 422 })
  })

  it("of a session that does not exist does not use up the key", async () => {
    const { create, open } = setUp()
    expect(await open({ options: { resume: UNKNOWN } }, withKey("k"))).toMatchObject({ status: 404 })
    const id = await create()
    expect(await open({ options: { resume: id } }, withKey("k"))).toMatchObject({ status: 200, id })
  })
})

describe("options.forkSession", () => {
  it("creates a copy with a new id, or with the given one", async () => {
    const { create, open, object } = setUp()
    const parent = await create()
    const copy = await open({
      title: "Copy",
      options: { resume: parent, forkSession: true, resumeSessionAt: AT, maxTurns: 3 },
    })
    expect(copy).toMatchObject({ status: 201, location: `/v1/sessions/${copy.id}` })
    expect(object(copy.id).forked).toMatchObject({
      parent,
      at: AT,
      title: "Copy",
      options: { maxTurns: 3 },
      merge: false,
    })
    expect(object(parent).reopened).toEqual([])
    const named = { id: OTHER, options: { resume: parent, forkSession: true } }
    expect(await open(named)).toMatchObject({ status: 201, id: OTHER })
    expect(await open(named)).toMatchObject({ status: 409 })
    // A client that starts again with the same id finds its copy.
    expect(await open({ ...named, on_exists: "attach" })).toMatchObject({ status: 200, id: OTHER })
    expect(object(OTHER).reopened).toEqual([{ options: {} }])
  })

  it("with the same Idempotency-Key creates one copy; another body with that key is a 422", async () => {
    const { create, open, fork } = setUp()
    const parent = await create()
    const body = { options: { resume: parent, forkSession: true } }
    const first = await open(body, withKey("k"))
    expect(first).toMatchObject({ status: 201, replayed: null })
    expect(await open(body, withKey("k"))).toMatchObject({ status: 200, id: first.id, replayed: "true" })
    expect(await open({ ...body, title: "x" }, withKey("k"))).toMatchObject({ status: 422 })
    expect(await fork(parent, {}, withKey("k"))).toMatchObject({ status: 422 })
  })
})

describe("POST /v1/sessions/{id}/fork", () => {
  it("passes on the copy's settings, with the options over the parent's", async () => {
    const { create, fork, object } = setUp()
    const parent = await create()
    const body = { id: OTHER, title: "Copy", metadata: { a: "b" }, at: AT, options: { maxTurns: 3 } }
    const copy = await fork(parent, body)
    expect(copy).toMatchObject({ status: 201, id: OTHER, location: `/v1/sessions/${OTHER}` })
    const { id: _, ...rest } = body
    expect(object(OTHER).forked).toEqual({ parent, merge: true, ...rest })
    expect(await fork(parent, body)).toMatchObject({ status: 409 })
  })

  it("with the same Idempotency-Key creates one copy; another body or parent with that key is a 422", async () => {
    const { create, fork } = setUp()
    const [parent, other] = [await create(), await create()]
    const first = await fork(parent, {}, withKey("k"))
    expect(first).toMatchObject({ status: 201, replayed: null })
    expect(await fork(parent, {}, withKey("k"))).toMatchObject({ status: 200, id: first.id, replayed: "true" })
    expect(await fork(parent, { title: "x" }, withKey("k"))).toMatchObject({ status: 422 })
    expect(await fork(other, {}, withKey("k"))).toMatchObject({ status: 422 })
  })

  it("into itself, with a wrong id or with an unknown field is a 400", async () => {
    const { create, fork } = setUp()
    const parent = await create()
    for (const [body, field] of [
      [{ id: parent }, "id"],
      [{ id: "x" }, "id"],
      [{ options: { resume: parent } }, "options.resume"],
      [{ surprise: 1 }, "surprise"],
    ] as const) {
      expect(await fork(parent, body)).toMatchObject({ status: 400, error: { field } })
    }
  })
})

describe("options.continue", () => {
  it("opens the directory's most recently used session, as D1 knows it", async () => {
    const { create, open, stored, object } = setUp()
    const [older, newer] = [await create(), await create()]
    await stored({ id: older, updated_at: "2026-11-21T12:00:01.000Z" })
    await stored({ id: newer, updated_at: "2026-11-21T12:00:02.000Z" })
    await stored({ id: OTHER, cwd: "/workspace/x", updated_at: "2026-11-21T12:00:03.000Z" })
    expect(await open({ options: { continue: true, maxTurns: 2 } })).toMatchObject({ status: 200, id: newer })
    expect(object(newer).reopened).toEqual([{ options: { maxTurns: 2 } }])
    const copy = await open({ options: { continue: true, forkSession: true } })
    expect(copy.status).toBe(201)
    expect(object(copy.id).forked).toMatchObject({ parent: newer })
  })

  it("creates a session when the directory has none, or when the one in D1 is gone", async () => {
    const { open, stored } = setUp()
    expect((await open({ options: { continue: true } })).status).toBe(201)
    expect((await open({ options: { continue: true, forkSession: true } })).status).toBe(201)
    await stored({ id: UNKNOWN })
    expect((await open({ options: { continue: true } })).status).toBe(201)
    expect((await open({ cwd: "/w", options: { continue: true, resumeSessionAt: AT } })).status).toBe(404)
  })

  it("with the same Idempotency-Key opens the same session, whichever is the newest by then", async () => {
    const { create, open, stored, object } = setUp()
    const body = { options: { continue: true } }
    const made = await open(body, withKey("none"))
    await stored({ id: made.id })
    expect(await open(body, withKey("none"))).toMatchObject({ status: 200, id: made.id })
    expect(object(made.id).reopened).toEqual([])
    expect(await open(body, withKey("one"))).toMatchObject({ status: 200, id: made.id })
    const newer = await create()
    await stored({ id: newer, updated_at: "2027-01-01T00:00:00.000Z" })
    expect(await open(body, withKey("one"))).toMatchObject({ status: 200, id: made.id })
    expect(object(made.id).reopened).toHaveLength(1)
    expect(await open(body, withKey("two"))).toMatchObject({ status: 200, id: newer })
  })
})
