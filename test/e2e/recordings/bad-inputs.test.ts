// Invalid requests to the routes of recordings: each is refused with its status and a sentence, and never with a 500.
import { createHash, randomUUID } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import type { RequestOptions } from "../../support/server/client.ts"
import { documentOf, errorOf, perch, record, recorded } from "./recorded.ts"

const SOME = "0199a000-0000-7000-8000-00000000dead"
const json = (value: unknown): RequestOptions => ({ json: value })
const text = (body: string): RequestOptions => ({ body, headers: { "content-type": "application/json" } })

type Row = readonly [what: string, method: string, route: string, options: RequestOptions, status: number]

let id = ""
let document = ""
beforeAll(async () => {
  const session = await recorded()
  const recording = await record(session.id, { id: `bad-${randomUUID()}` })
  id = recording.id
  document = await documentOf(recording)
})

const refusals = async (rows: ReadonlyArray<Row>) => {
  const given = await Promise.all(
    rows.map(async ([what, method, route, options]) => {
      const { status, message } = await errorOf(perch.request(method, route.replace("{id}", id), options))
      return [what, status, String(message).length > 10]
    }),
  )
  expect(given).toEqual(rows.map(([what, , , , status]) => [what, status, true]))
}

const made = (what: string, options: RequestOptions, status = 400): Row => [
  what,
  "POST",
  "/v1/recordings",
  options,
  status,
]
const read = (route: string, status = 400): Row => [route, "GET", `/v1/recordings${route}`, {}, status]

describe("a bad request is refused", () => {
  it("that should create a recording", () =>
    refusals([
      made("no body", {}),
      made("no JSON", text("{")),
      made("an array", json([])),
      made("null", json(null)),
      made("neither", json({ name: "x" })),
      made("both", json({ session_id: SOME, run_id: "run" })),
      made("a session that is none", json({ session_id: SOME }), 404),
      made("a run that is none", json({ run_id: SOME }), 404),
      made("no session's id", json({ session_id: "../x" })),
      made("a number", json({ session_id: 7 })),
      made("a path as run", json({ run_id: "../../etc" })),
      made("an unknown field", json({ session_id: SOME, mode: "all" })),
      made("a path as id", json({ session_id: SOME, id: "../x" })),
      made("a long id", json({ session_id: SOME, id: "x".repeat(65) })),
      made("no name", json({ session_id: SOME, name: "" })),
      made("a long name", json({ session_id: SOME, name: "x".repeat(201) })),
      made("a word as tags", json({ session_id: SOME, tags: "a" })),
      made("an empty tag", json({ session_id: SOME, tags: [""] })),
      made("a long tag", json({ session_id: SOME, tags: ["x".repeat(65)] })),
      made("many tags", json({ session_id: SOME, tags: Array(21).fill("x") })),
      made("an id that exists", json({ session_id: SOME, id }), 409),
      made("a long key", { ...json({ session_id: SOME }), headers: { "idempotency-key": "x".repeat(300) } }),
      made("a large body", json({ session_id: SOME, name: "x".repeat(2 * 1024 * 1024) }), 413),
    ]))

  it("that reads", () =>
    refusals([
      read("?limit=0"),
      read("?limit=101"),
      read("?limit=x"),
      read("?cursor=x"),
      read("?kind=all"),
      read("?tags="),
      read(`?tags=${"x".repeat(1301)}`),
      read("?order=asc"),
      read("/none", 404),
      read("/none/events", 404),
      read("/none/download", 404),
      read(`/none/replays/${SOME}`, 404),
      read("/a.b"),
      read(`/${"x".repeat(65)}`),
      read("/%2e%2e%2fx"),
      read("/{id}/events?after=-1"),
      read("/{id}/events?after=1.5"),
      read("/{id}/events?limit=1001"),
      read("/{id}/events?name="),
      read("/{id}/events?name=*:*:*:*:*:*:*:*:*"),
      read(`/{id}/events?name=${"x".repeat(257)}`),
      read(`/{id}/replays/${SOME}`, 404),
      read("/{id}/replays/x"),
    ]))

  it("that names a position, replays or erases", () =>
    refusals([
      ["a place of none", "POST", "/v1/recordings/none/checkpoints", json({ name: "x" }), 404],
      ["no name", "POST", "/v1/recordings/{id}/checkpoints", json({}), 400],
      ["an empty name", "POST", "/v1/recordings/{id}/checkpoints", json({ name: "" }), 400],
      ["a long name", "POST", "/v1/recordings/{id}/checkpoints", json({ name: "x".repeat(201) }), 400],
      ["behind the end", "POST", "/v1/recordings/{id}/checkpoints", json({ name: "x", index: 1e6 }), 400],
      ["a half", "POST", "/v1/recordings/{id}/checkpoints", json({ name: "x", index: 0.5 }), 400],
      ["before the beginning", "POST", "/v1/recordings/{id}/checkpoints", json({ name: "x", index: -1 }), 400],
      ["a replay of none", "POST", "/v1/recordings/none/replay", json({}), 404],
      ["a replay with options", "POST", "/v1/recordings/{id}/replay", json({ title: "x" }), 400],
      ["a replay with an array", "POST", "/v1/recordings/{id}/replay", json([]), 400],
      ["an erasure of none", "DELETE", "/v1/recordings/none", {}, 404],
    ]))
})

/** Uploads the document with a new id. */
const upload = (content: string) => {
  const own = `bad-${randomUUID()}`
  const answer = perch.request("PUT", `/v1/recordings/${own}`, { body: content.replaceAll(id, own) })
  return { own, answer }
}

type Edit = (document: string) => string

const changed =
  (path: ReadonlyArray<string>, value: unknown): Edit =>
  (content) => {
    const whole = JSON.parse(content) as Record<string, unknown>
    let at = whole
    // Every step except the last leads to an object of the document.
    for (const step of path.slice(0, -1)) at = at[step] as Record<string, unknown>
    at[path.at(-1)!] = value
    return JSON.stringify(whole)
  }

const hashed = (request: unknown) => createHash("sha256").update(JSON.stringify(request)).digest("hex")

const BAD_DOCUMENTS: ReadonlyArray<readonly [edit: Edit, message: RegExp]> = [
  [() => "", /not complete/],
  [() => "[]", /expected \{/],
  [() => "{}", /metadata is missing/],
  [(content) => content.slice(0, -10), /not complete/],
  [(content) => `${content}{}`, /text after its end/],
  [(content) => content.replace('"signals"', '"more":1,"signals"'), /more is not a field/],
  [changed(["metadata", "version"], 2), /metadata\.version/],
  [changed(["metadata", "id"], "other"), /metadata\.id/],
  [changed(["metadata", "name"], ""), /metadata\.name/],
  [changed(["metadata", "createdAt"], "2026-99-99T00:00:00Z"), /metadata\.createdAt/],
  [changed(["metadata", "durationMs"], -1), /metadata\.durationMs/],
  [changed(["metadata", "source", "session_id"], "x".repeat(3_000_000)), /metadata\.source\.session_id/],
  [changed(["metadata", "tags"], Array(21).fill("x")), /metadata\.tags/],
  [changed(["metadata", "signalCount"], 1), /metadata\.signalCount/],
  [changed(["signals"], {}), /signals must be an array/],
  [changed(["signals", "0"], 7), /signals\[0\]/],
  [changed(["signals", "0", "name"], "a b"), /signals\[0\]\.name/],
  [changed(["signals", "0", "payload"], JSON.parse(`${"[".repeat(300)}1${"]".repeat(300)}`)), /signals\[0\].*level/],
  [(content) => content.replace('"payload":{', '"payload":{"__proto__":1,'), /__proto__/],
  [changed(["answers", "0", "kind"], "guess"), /answers\[0\]\.kind/],
  [changed(["answers", "0", "hash"], "0".repeat(64)), /answers\[0\]\.hash/],
  [changed(["answers", "0", "request"], "another"), /answers\[0\]\.hash/],
  [changed(["chunks", "0".repeat(64)], "x"), /chunks\.0+ is not the SHA-256/],
  [changed(["checkpoints"], [{ name: "x", index: 1e6, timestamp: "2026-01-01T00:00:00Z" }]), /checkpoints\[0\]\.index/],
  [changed(["checkpoints"], [{ name: "x".repeat(300), index: 0, timestamp: "2026-01-01T00:00:00Z" }]), /\.name/],
]

describe("a bad document is refused", () => {
  it("with the invalid field, and stores nothing", async () => {
    await Promise.all(
      BAD_DOCUMENTS.map(async ([edit, message]) => {
        const { own, answer } = upload(edit(document))
        const refusal = await errorOf(answer)
        expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(message)])
        expect(await errorOf(perch.request("GET", `/v1/recordings/${own}`))).toMatchObject({ status: 404 })
      }),
    )
  })

  it("if it is larger than a recording may be", async () => {
    const headers = { "content-length": String(129 * 1024 * 1024) }
    const body = new Uint8Array(129 * 1024 * 1024)
    const sent = () => errorOf(perch.request("PUT", `/v1/recordings/${id}-large`, { body, headers, limitMs: 120_000 }))
    // The server answers before it has the whole body, and closes the connection. If that loses the answer, the client tries again.
    expect(await sent().catch(sent).catch(sent)).toMatchObject({ status: 413 })
  })
})

/** The document with another payload in its first signal of this name. */
const withPayload =
  (name: string, change: (payload: Record<string, unknown>) => unknown): Edit =>
  (content) => {
    const whole = JSON.parse(content) as { signals: Array<{ name: string; payload: unknown }> }
    const signal = whole.signals.find((one) => one.name === name)!
    // Its payload is an object.
    signal.payload = change(signal.payload as Record<string, unknown>)
    return JSON.stringify(whole)
  }

const prompted = (more: object) => withPayload("turn:queued", (payload) => ({ ...payload, ...more }))
const created = (more: object) => withPayload("session:created", (payload) => ({ ...payload, ...more }))

/** The document with an invented change of the session before its first prompt; the session has no rights of its own. */
const changedLater =
  (payload: object): Edit =>
  (content) => {
    const whole = JSON.parse(created({ options: {} })(content)) as {
      metadata: { signalCount: number }
      signals: Array<object>
    }
    const at = "2026-01-01T00:00:00.000Z"
    const actor = { type: "key", id: "k" }
    whole.signals.splice(1, 0, { id: "c", name: "session:changed", timestamp: at, payload: { ...payload, actor } })
    whole.metadata.signalCount += 1
    return JSON.stringify(whole)
  }

describe("a document that can't come from a session is stored, and its replay is refused with the reason", () => {
  it.each<[string, Edit]>([
    ["a prompt that is a number", prompted({ prompt: 7 })],
    ["a prompt of unknown blocks", prompted({ prompt: [{ type: "thought" }] })],
    ["options that are none", prompted({ options: { permissionMode: 7 } })],
    ["a route that is none", prompted({ routing: 1 })],
    ["a session of no options", created({ options: { maxTurns: "many" } })],
    ["a directory that is none", created({ cwd: "../.." })],
    ["a title of another type", created({ title: { a: 1 } })],
    ["metadata without end", created({ metadata: { a: "x".repeat(2000) } })],
    ["a mode that the session may not have", changedLater({ permissionMode: "bypassPermissions" })],
    ["a mode that is none", changedLater({ permissionMode: "all" })],
    ["no beginning", withPayload("session:created", () => null)],
    ["a workflow without a name", changed(["metadata", "kind"], "workflow")],
  ])("%s", async (_, edit) => {
    const { own, answer } = upload(edit(document))
    expect((await answer).status).toBe(201)
    const refusal = await errorOf(perch.request("POST", `/v1/recordings/${own}/replay`, json({})))
    expect(refusal).toMatchObject({ status: 409, message: expect.stringMatching(/^The (?:recording|mode) /) })
  })

  it("answers that match no request end their turn", async () => {
    const whole = JSON.parse(document) as { answers: Array<{ kind: string; hash: string; request: unknown }> }
    for (const one of whole.answers) {
      one.request = { nothing: one.hash }
      one.hash = hashed(one.request)
    }
    const { own, answer } = upload(JSON.stringify(whole))
    expect((await answer).status).toBe(201)
    expect(await perch.json("POST", `/v1/recordings/${own}/replay`, { json: {} })).toMatchObject({
      equal: false,
      not_found: expect.stringContaining("RecordingNotFound"),
    })
  })

  it("responses that no request caused end their turn", async () => {
    const whole = JSON.parse(document) as { answers: Array<{ response: unknown }> }
    for (const one of whole.answers) one.response = [[7]]
    const { own, answer } = upload(JSON.stringify(whole))
    expect((await answer).status).toBe(201)
    expect(await perch.json("POST", `/v1/recordings/${own}/replay`, { json: {} })).toMatchObject({ equal: false })
  })
})
