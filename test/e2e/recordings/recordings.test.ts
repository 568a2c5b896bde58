// Recordings over HTTP: created from a session, moved as a document, replayed without a model request, and invisible to other
// tenants.
import { describe, expect, it } from "vitest"
import { eventually } from "../../support/server/client.ts"
import {
  api,
  documentOf,
  errorOf,
  type Info,
  perch,
  record,
  recorded,
  recordedRun,
  type Report,
  tenant,
} from "./recorded.ts"

interface Delivered {
  readonly state: string
  readonly delivery: { readonly d1_seq: number; readonly last_seq: number }
}

interface SignalsPage {
  readonly signals: ReadonlyArray<{ readonly seq: number; readonly name: string }>
  readonly has_more: boolean
  readonly next_after: number
}

describe("a recording of a session", () => {
  it("is replayed in a new session without a request, and both logs are equal", async () => {
    const { id, name } = await recorded()
    const recording = await record(id, { name: "Two prompts", tags: ["e2e"] })
    const asked = (await api.requests(name)).length
    expect(recording.answers).toBeGreaterThanOrEqual(4)
    const report = await perch.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {} })
    expect(report).toMatchObject({ equal: true, events: recording.signals, difference: null })
    expect((await api.requests(name)).length).toBe(asked)
    expect(await perch.getFile(report.session_id, "/workspace/a.txt")).toBe("one")
    const path = `/v1/recordings/${recording.id}/replays/${report.session_id}`
    expect(await perch.json("GET", path)).toEqual(report)
  })

  it("outlives its session, has the same bytes after an upload, and replays there as well", async () => {
    const { id } = await recorded()
    const recording = await record(id)
    await perch.json("DELETE", `/v1/sessions/${id}`)
    const path = `/v1/recordings/${recording.id}`
    const download = await perch.request("GET", `${path}/download`)
    expect(download.headers.get("content-disposition")).toBe(`attachment; filename="${recording.id}.json"`)
    const document = await download.text()
    const other = await tenant("recordings-elsewhere")
    const taken = await other.request("PUT", path, { body: document })
    expect([taken.status, taken.headers.get("location")]).toEqual([201, path])
    expect(await taken.json()).toMatchObject({
      id: recording.id,
      signals: recording.signals,
      answers: recording.answers,
    })
    expect(await (await other.request("GET", `${path}/download`)).text()).toBe(document)
    expect(await other.json<Report>("POST", `${path}/replay`, { json: {} })).toMatchObject({ equal: true })
    for (const body of [document, "{}", "x".repeat(2_000_000)]) {
      expect(await errorOf(other.request("PUT", path, { body }))).toMatchObject({ status: 409 })
    }
    expect(await (await other.request("GET", `${path}/download`)).text()).toBe(document)
  })

  it("costs nothing when it is replayed", async () => {
    const own = await tenant("recordings-costs")
    const { id } = await recorded(own)
    const recording = await record(id, {}, own)
    const report = await own.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {} })
    const flushed = (session: string) =>
      eventually(async () => {
        const { state, delivery } = await own.json<Delivered>("GET", `/v1/sessions/${session}`)
        return (state === "idle" && delivery.d1_seq >= delivery.last_seq) || undefined
      })
    await Promise.all([id, report.session_id].map(flushed))
    const { data } = await own.json<{ data: ReadonlyArray<{ session_id: string }> }>("GET", "/v1/costs")
    expect(data.map(({ session_id }) => session_id)).toEqual([id])
  })

  it("is replayed by sixteen sessions in parallel", async () => {
    const { id, name } = await recorded()
    const recording = await record(id)
    const asked = (await api.requests(name)).length
    const reports = await Promise.all(
      Array.from({ length: 16 }, () =>
        perch.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {}, limitMs: 50_000 }),
      ),
    )
    expect(reports.map(({ equal }) => equal)).toEqual(Array(16).fill(true))
    expect(new Set(reports.map(({ session_id }) => session_id)).size).toBe(16)
    expect((await api.requests(name)).length).toBe(asked)
  })

  it("that no longer matches is a difference, which names the recorded and the actual value", async () => {
    const { id } = await recorded()
    const recording = await record(id)
    const path = `/v1/recordings/${recording.id}`
    const document = await documentOf(recording)
    const changed = document.replaceAll(recording.id, `${recording.id}-2`).replace("And now?", "And what now?")
    await perch.json("PUT", `${path}-2`, { body: changed, status: 201 })
    const report = await perch.json<Report>("POST", `${path}-2/replay`, { json: {} })
    expect(report).toMatchObject({ equal: false, difference: { part: "conversation" } })
    const turns = await perch.json<{ data: ReadonlyArray<{ result: { errors: ReadonlyArray<string> } }> }>(
      "GET",
      `/v1/sessions/${report.session_id}/turns?limit=1`,
    )
    expect(turns.data[0]?.result.errors.join("\n")).toMatch(
      /RecordingNotFound[\s\S]*recorded: .*And now[\s\S]*asked: .*And what now/,
    )
  })

  it("is read in pages and by pattern, has named positions, and is erased completely", async () => {
    const { id } = await recorded()
    const recording = await record(id, { id: `named-${id}`, tags: ["a", "b"] })
    const path = `/v1/recordings/named-${id}`
    const names: Array<string> = []
    for (let after = 0, more = true; more;) {
      const page: SignalsPage = await perch.json("GET", `${path}/events?limit=10&after=${after}`)
      names.push(...page.signals.map((signal) => signal.name))
      after = page.next_after
      more = page.has_more
    }
    expect(names.length).toBe(recording.signals)
    const results = await perch.json<SignalsPage>("GET", `${path}/events?name=sdk:result:*`)
    expect(results.signals.map((signal) => signal.name)).toEqual(["sdk:result:success", "sdk:result:success"])
    const place = { name: "first", index: 3 }
    const marked = await perch.json<Info>("POST", `${path}/checkpoints`, { json: place, status: 201 })
    expect(marked.checkpoints).toMatchObject([place])
    const listed = await perch.json<{ data: ReadonlyArray<Info> }>(
      "GET",
      "/v1/recordings?kind=session&tags=b,a&limit=100",
    )
    expect(listed.data.map((one) => one.id)).toContain(`named-${id}`)
    expect(await perch.json("DELETE", path)).toMatchObject({ deleted: true, signals: recording.signals })
    for (const gone of [path, `${path}/events`, `${path}/download`]) {
      expect(await errorOf(perch.request("GET", gone))).toMatchObject({ status: 404, type: "not_found_error" })
    }
    const after = await perch.json<{ data: ReadonlyArray<Info> }>("GET", "/v1/recordings?tags=a&limit=100")
    expect(after.data.map((one) => one.id)).not.toContain(`named-${id}`)
  })

  it("is created once per Idempotency-Key, and so is a replay", async () => {
    const { id } = await recorded()
    const headers = { "idempotency-key": `record-${id}` }
    const [first, again] = await Promise.all([
      perch.request("POST", "/v1/recordings", { json: { session_id: id }, headers }),
      perch.request("POST", "/v1/recordings", { json: { session_id: id }, headers }).then(async (answer) => {
        // Both requests at once: the second may find the first in progress.
        if (answer.status !== 409) return answer
        return perch.request("POST", "/v1/recordings", { json: { session_id: id }, headers })
      }),
    ])
    const made = (await first.json()) as Info
    expect(((await again.json()) as Info).id).toBe(made.id)
    const other = perch.request("POST", "/v1/recordings", { json: { session_id: id, name: "x" }, headers })
    expect(await errorOf(other)).toMatchObject({ status: 422 })
    const named = (key: string, name: string) =>
      perch.request("POST", "/v1/recordings", {
        json: { id: `keyed-${id}`, session_id: id, name },
        headers: { "idempotency-key": key },
      })
    expect((await named(`one-${id}`, "a")).status).toBe(201)
    expect(await errorOf(named(`one-${id}`, "b"))).toMatchObject({ status: 422 })
    expect(await errorOf(named(`two-${id}`, "b"))).toMatchObject({ status: 409 })
    const replay = () => perch.request("POST", `/v1/recordings/${made.id}/replay`, { json: {}, headers })
    const [one, two] = [await replay(), await replay()]
    expect([one, two].map((answer) => answer.headers.get("idempotent-replayed"))).toEqual([null, "true"])
    expect(await two.json()).toEqual(await one.json())
  })

  it("is accepted at once for callers that do not wait", async () => {
    const { id } = await recorded()
    const { id: recording } = await record(id)
    const answer = await perch.request("POST", `/v1/recordings/${recording}/replay`, {
      json: {},
      headers: { prefer: "respond-async" },
    })
    expect(answer.status).toBe(202)
    const { session_id: session } = (await answer.json()) as Report
    const turns = await perch.json<{ data: ReadonlyArray<{ turn_id: string }> }>("GET", `/v1/sessions/${session}/turns`)
    await perch.json("GET", `/v1/sessions/${session}/turns/${turns.data[0]!.turn_id}?wait=60&until=end`)
    expect(await perch.json("GET", answer.headers.get("location")!)).toMatchObject({
      status: "ended",
      difference: null,
      equal: true,
    })
  })
})

describe("a recording of a workflow's run", () => {
  it("is replayed without a request, and ends in the same state", async () => {
    const { run, state, recording } = await recordedRun()
    expect(recording).toMatchObject({
      kind: "workflow",
      source: { run_id: run, workflow: "debate" },
      finalized: true,
    })
    const report = await perch.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {} })
    expect(report).toMatchObject({ equal: true, events: recording.signals, difference: null, state })
  })
})

describe("recordings", () => {
  it("of unrecorded or unknown sessions are refused with the reason", async () => {
    const id = await perch.createSession()
    expect(await errorOf(perch.request("POST", "/v1/recordings", { json: { session_id: id } }))).toMatchObject({
      status: 409,
      message: expect.stringContaining('options.runtime {"mode": "record"}'),
    })
    for (const [json, status] of [
      [{}, 400],
      [{ session_id: id, run_id: "a" }, 400],
      [{ session_id: id, id: "../x" }, 400],
      [{ session_id: "0199a000-0000-7000-8000-00000000dead" }, 404],
    ] as const) {
      expect(await errorOf(perch.request("POST", "/v1/recordings", { json }))).toMatchObject({ status })
    }
    const upload = perch.request("PUT", "/v1/recordings/none", { body: '{"metadata":{"id":"none"}}' })
    expect(await errorOf(upload)).toMatchObject({ status: 400, field: "metadata.kind" })
  })

  it("are invisible to other tenants", async () => {
    const [acme, globex] = [await tenant("recordings-acme"), await tenant("recordings-globex")]
    const { id } = await recorded(acme)
    const recording = await record(id, {}, acme)
    expect(await errorOf(globex.request("POST", "/v1/recordings", { json: { session_id: id } }))).toMatchObject({
      status: 404,
    })
    const path = `/v1/recordings/${recording.id}`
    for (const [method, route, json] of [
      ["GET", path, undefined],
      ["GET", `${path}/events`, undefined],
      ["GET", `${path}/download`, undefined],
      ["POST", `${path}/replay`, {}],
      ["POST", `${path}/checkpoints`, { name: "x" }],
      ["DELETE", path, undefined],
      ["GET", `${path}/replays/${id}`, undefined],
    ] as const) {
      const options = json === undefined ? {} : { json }
      expect(await errorOf(globex.request(method, route, options)), route).toMatchObject({ status: 404 })
    }
    // A playback of another tenant's recording, or of none, is refused, and no session is created; a fork to one too.
    const [own, unmade] = [await globex.createSession(), crypto.randomUUID()]
    const options = { runtime: { mode: "playback", recording: recording.id } }
    for (const [route, json] of [
      ["/v1/sessions", { id: unmade, options }],
      ["/v1/query", { prompt: "hello", options }],
      [`/v1/sessions/${own}/fork`, { options }],
    ] as const) {
      expect(await errorOf(globex.request("POST", route, { json }))).toMatchObject({
        status: 400,
        field: "options.runtime.recording",
        message: expect.stringContaining(`there is no recording ${recording.id}`),
      })
    }
    const run = { sessionId: unmade, prompt: "hello", timeoutMs: 1000, runtime: "playback", recording: recording.id }
    expect(await errorOf(globex.request("POST", "/v1/runs", { json: run }))).toMatchObject({
      status: 400,
      field: "recording",
      message: `recording: there is no recording ${recording.id}. GET /v1/recordings lists them.`,
    })
    expect(await errorOf(globex.request("GET", `/v1/sessions/${unmade}`))).toMatchObject({ status: 404 })
    expect((await globex.json<{ data: ReadonlyArray<unknown> }>("GET", "/v1/recordings")).data).toEqual([])
    expect(await acme.json("GET", path)).toMatchObject({ id: recording.id })
  })

  it("are listed in pages, the newest first", async () => {
    const own = await tenant("recordings-pages")
    const { id } = await recorded(own)
    const made: Array<string> = []
    for (const tags of [["a"], ["b"], ["a", "b"]]) made.push((await record(id, { tags }, own)).id)
    type Page = { readonly data: ReadonlyArray<Info>; readonly next_cursor: string | null }
    const listed: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await own.json("GET", `/v1/recordings?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`)
      listed.push(...page.data.map((one) => one.id))
      cursor = page.next_cursor
    }
    expect(listed).toEqual(made.toReversed())
    const both = await own.json<Page>("GET", "/v1/recordings?tags=b&limit=1")
    expect([both.data.map((one) => one.id), both.next_cursor]).toEqual([[made[2]], expect.any(String)])
    expect((await own.json<Page>("GET", "/v1/recordings?kind=workflow")).data).toEqual([])
  })

  it("are read with one scope, and created, replayed and erased with another", async () => {
    const owner = await tenant("recordings-scopes")
    const { id } = await recorded(owner)
    const { id: recording } = await record(id, {}, owner)
    const reader = await tenant("recordings-scopes", ["sessions:read"])
    const path = `/v1/recordings/${recording}`
    for (const route of ["/v1/recordings", path, `${path}/events`, `${path}/download`]) {
      expect((await reader.request("GET", route)).status, route).toBe(200)
    }
    for (const [method, route] of [
      ["POST", "/v1/recordings"],
      ["POST", `${path}/replay`],
      ["POST", `${path}/checkpoints`],
      ["PUT", `${path}-2`],
      ["DELETE", path],
    ] as const) {
      expect(await errorOf(reader.request(method, route, { json: {} })), route).toMatchObject({ status: 403 })
    }
    const writer = await tenant("recordings-scopes", ["sessions:write"])
    expect(await errorOf(writer.request("GET", `${path}/download`))).toMatchObject({ status: 403 })
    // The new session gets the recorded options, which may not exceed its creator's rights.
    expect(await errorOf(writer.request("POST", `${path}/replay`, { json: {} }))).toMatchObject({
      status: 403,
      field: "options.permissionMode",
    })
    const whole = await tenant("recordings-scopes", ["sessions:write", "bypass"])
    expect(await whole.json("POST", `${path}/replay`, { json: {} })).toMatchObject({ equal: true })
  })
})
