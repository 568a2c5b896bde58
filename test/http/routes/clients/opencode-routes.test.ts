// The four routes of opencode's fork: what they require, which session they address, and what a repetition does.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../api.ts"

const SES = "ses_66c8a1b2f001KdTq3vXyZ0Ab4C"
const MSG = "msg_66c8a1b2f002QeRt5uIoP6As7D"
const UUID = "0192f0c1-2345-7abc-8def-0123456789ab"

const start = { prompt: "List the files", sessionID: SES }

const madeApi = () => {
  const api = makeApi()
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    api.call("POST", path, { json, headers })
  const started = async (json: unknown, headers?: Record<string, string>) => {
    const response = await post("/sdk/start", json, headers)
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    const id = response.headers.get("perch-session-id") ?? ""
    return { id, turn: response.headers.get("perch-turn-id"), session: api.sessions.get(`root/${id}`), response }
  }
  return { ...api, post, started }
}

describe("POST /sdk/start", () => {
  it("creates the session that its id names once, and queues a prompt each time", async () => {
    const { started } = madeApi()
    const first = await started({ ...start, variant: "high" })
    const second = await started({ ...start, prompt: "And now?" })
    expect(first.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8/)
    expect(second.id).toBe(first.id)
    expect(first.session.submitted.map(({ prompt, options, onBusy }) => ({ prompt, options, onBusy }))).toEqual([
      { prompt: "List the files", options: { variant: "high" }, onBusy: "queue" },
      { prompt: "And now?", options: {}, onBusy: "queue" },
    ])
    expect((await started({ ...start, sessionID: UUID })).id).toBe(UUID)
  })

  it("with the client's own message id queues one prompt, however often it is sent", async () => {
    const { started, post, call } = madeApi()
    const first = await started({ ...start, messageID: MSG })
    const again = await started({ ...start, messageID: MSG })
    expect(again.turn).toBe(first.turn)
    expect(again.response.headers.get("idempotent-replayed")).toBe("true")
    expect((await post("/sdk/start", { ...start, prompt: "Another", messageID: MSG })).status).toBe(422)
    expect((await started({ ...start, messageID: UUID })).turn).toBe(UUID)
    expect(first.session.submitted.map(({ messageID }) => messageID)).toEqual([MSG, undefined])
    const keyed = { "idempotency-key": "k1" }
    expect((await started(start, keyed)).turn).toBe((await started(start, keyed)).turn)
    expect((await call("GET", `/v1/sessions/${first.id}`)).status).toBe(200)
  })

  it("with resume continues an existing session, and only that", async () => {
    const { started, refused } = madeApi()
    const json = { ...start, resume: SES }
    await refused(404, "POST", "/sdk/start", { json })
    await started(start)
    await started(json)
    const other = await refused(400, "POST", "/sdk/start", { json: { ...start, resume: UUID } })
    expect(other.error).toMatchObject({ field: "resume" })
  })

  it("can't reach a session of another tenant by the same id", async () => {
    const { started, call, makeKey } = madeApi()
    const mine = await started(start)
    const { key } = await makeKey()
    const theirs = await call("POST", "/sdk/start", { json: start, key })
    expect(theirs.status).toBe(200)
    expect(theirs.headers.get("perch-session-id")).not.toBe(mine.id)
    expect((await call("POST", "/sdk/interrupt", { json: { sessionID: mine.id }, key })).status).toBe(404)
  })

  it.each<readonly [string, unknown, string]>([
    ["no prompt", { sessionID: SES }, "prompt"],
    ["an empty prompt", { ...start, prompt: "" }, "prompt"],
    ["no session", { prompt: "x" }, "sessionID"],
    ["a session's id of another form", { ...start, sessionID: "ses_a/b" }, "sessionID"],
    ["a number as id", { ...start, sessionID: 7 }, "sessionID"],
    ["a message's id of another form", { ...start, messageID: "prt_1" }, "messageID"],
    ["an unknown variant", { ...start, variant: "max" }, "variant"],
    ["an unknown field", { ...start, model: 7, agent: "build" }, "agent"],
  ])("with %s is a 400 that names the field", async (_title, json, field) => {
    const { refused } = madeApi()
    const { error } = await refused(400, "POST", "/sdk/start", { json })
    expect([error.field, ...(error.issues ?? []).map((issue) => issue.field)]).toContain(field)
  })
})

describe("the other routes", () => {
  it("address the same session, and require its id", async () => {
    const { started, post, refused } = madeApi()
    const { id, session } = await started({ ...start, messageID: MSG })
    expect(await (await post("/sdk/interrupt", { sessionID: SES })).json()).toEqual({ ok: true })
    expect(await (await post("/sdk/model", { sessionID: SES, model: "haiku" })).json()).toEqual({ ok: true })
    expect(session.info?.options).toMatchObject({ model: "haiku" })
    expect(await (await post("/sdk/rewind", { sessionID: id, messageID: MSG })).json()).toEqual({ ok: true })
    for (const [path, json] of [
      ["/sdk/interrupt", {}],
      ["/sdk/rewind", { messageID: MSG }],
      ["/sdk/model", { model: "haiku" }],
    ] as const) {
      expect((await refused(400, "POST", path, { json })).error.field).toBe("sessionID")
      await refused(404, "POST", path, { json: { ...json, sessionID: UUID } })
      await refused(401, "POST", path, { json: { ...json, sessionID: SES }, key: null })
    }
  })
})
