// The metrics route end to end on SQLite: valid text, true counts over repeats, erasures and rebuilds, and every metric that
// the alerts, the dashboard and the page name.
import { Effect } from "effect"
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it, vi } from "vitest"
import { exposition } from "../../src/observe/exposition.ts"
import {
  REQUEST_BLOBS,
  REQUEST_DOUBLES,
  TURN_BLOBS,
  TURN_DOUBLES,
  writeRequest,
  writeTurn,
} from "../../src/observe/data-points.ts"
import { COMPATIBILITY_DATE, LAST_MIGRATION, PERCH_VERSION } from "../../src/schemas/version.ts"
import { flushToD1, type Rows } from "../../src/store/delivery/flush.ts"
import { removeRows } from "../../src/store/delivery/rebuilt-rows.ts"
import { eraseSession } from "../../src/store/sessions.ts"
import { makeApi, ROOT_KEY } from "../http/api.ts"
import { FakeQueue } from "../support/session/fake-queue.ts"
import { parseExposition } from "./prometheus.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const NO_ROWS: Rows = { sessions: [], left: [], messages: [], parts: [], costs: [], turns: [], audit: [] }

const session = (tenant: string, session_id: string, state = "idle"): Rows["sessions"][number] => ({
  tenant,
  session_id,
  title: null,
  cwd: "/workspace",
  state,
  model: "m",
  permission_mode: "default",
  options: "{}",
  metadata: "{}",
  created_at: "2026-11-22T00:00:00.000Z",
  updated_at: "2026-11-22T00:00:00.000Z",
  turns: 1,
  total_cost_usd: 0,
  seq: 9,
  head_seq: 0,
})

const rowsOf = (tenant: string, session_id: string, outcome = "success"): Rows => ({
  ...NO_ROWS,
  sessions: [session(tenant, session_id, outcome === "success" ? "idle" : "running")],
  turns: [
    { tenant, session_id, seq: 8, at: 1, turn: "t", outcome, duration_ms: 4_000 },
    { tenant, session_id, seq: 9, at: 1, turn: "u", outcome, duration_ms: 400_000 },
  ],
  costs: [
    {
      tenant,
      session_id,
      seq: 7,
      at: 1,
      turn: "t",
      message_id: "m",
      model: 'a "model" \\ of\ntheirs',
      price_version: "v",
      input: 10,
      output: 5,
      cache_read: 100,
      cache_write_5m: 3,
      cache_write_1h: 4,
      web_searches: 1,
      usd: 0.25,
      wasted: 1,
      parent_tool_use_id: null,
    },
  ],
})

const setUp = async (...all: ReadonlyArray<Rows>) => {
  const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, HOOKS: new FakeQueue().queue })
  for (const rows of all) await Effect.runPromise(flushToD1(api.database.d1, rows))
  const scrape = async (query = "", key?: string) => {
    const response = await api.call("GET", `/v1/admin/metrics${query}`, key === undefined ? {} : { key })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const families = parseExposition(await response.text())
    const value = (name: string, labels: Record<string, string> = {}) =>
      [...families.values()]
        .flatMap(({ samples }) => samples)
        .filter(
          (sample) => sample.name === name && Object.entries(labels).every(([at, text]) => sample.labels[at] === text),
        )
        .reduce((sum, sample) => sum + sample.value, 0)
    return { families, value }
  }
  return { ...api, scrape }
}

describe("GET /v1/admin/metrics", () => {
  it("counts each delivery once, however often it arrived", async () => {
    const rows = rowsOf("acme", "s1")
    const { scrape } = await setUp(rows, rows, rowsOf("acme", "s2", "error_max_turns"), rows)
    const { value } = await scrape()
    expect(value("perch_turns_total", { outcome: "success" })).toBe(2)
    expect(value("perch_turns_total", { outcome: "error_max_turns" })).toBe(2)
    expect(value("perch_sessions", { state: "idle" })).toBe(1)
    expect(value("perch_sessions", { state: "running" })).toBe(1)
    expect(value("perch_turn_duration_seconds_bucket", { le: "1" })).toBe(0)
    expect(value("perch_turn_duration_seconds_bucket", { le: "5" })).toBe(2)
    expect(value("perch_turn_duration_seconds_bucket", { le: "1800" })).toBe(4)
    expect(value("perch_turn_duration_seconds_sum")).toBe(808)
    expect(value("perch_cost_usd_total", { model: 'a "model" \\ of\ntheirs' })).toBe(0.5)
    expect(value("perch_tokens_total", { kind: "cache_write" })).toBe(14)
    expect(value("perch_wasted_requests_total")).toBe(2)
    expect(value("perch_session_state_age_seconds", { state: "running" })).toBeGreaterThan(0)
    expect(value("perch_d1_up")).toBe(1)
  })

  it("adds up costs as decimals", async () => {
    const rows = rowsOf("acme", "s1")
    const costs = [0.1, 0.2].flatMap((usd, at) => rows.costs.map((row) => ({ ...row, usd, seq: row.seq + at })))
    const { scrape } = await setUp({ ...rows, costs })
    expect((await scrape()).value("perch_cost_usd_total")).toBe(0.3)
  })

  it("does not decrease when a session is erased, and is the same after a rebuild", async () => {
    const rows = rowsOf("acme", "s1")
    const { scrape, database } = await setUp(rows, rowsOf("acme", "s2"))
    const counts = async () => {
      const { value } = await scrape()
      return ["perch_turns_total", "perch_cost_usd_total", "perch_tokens_total", "perch_turn_duration_seconds_sum"].map(
        (name) => value(name),
      )
    }
    const before = await counts()
    await Effect.runPromise(removeRows(database.d1, "acme", "s1"))
    await Effect.runPromise(flushToD1(database.d1, rows))
    expect(await counts()).toEqual(before)
    await Effect.runPromise(eraseSession(database.d1, "acme", "s1", "2026-11-22T00:00:00.000Z"))
    expect(await counts()).toEqual(before)
    expect((await scrape()).value("perch_sessions")).toBe(1)
  })

  it("counts sessions without reading the idle ones", async () => {
    const resting = rowsOf("acme", "s1")
    const { scrape, database } = await setUp(resting, rowsOf("acme", "s2", "error_max_turns"), rowsOf("other", "s3"))
    const counted = async () => {
      const { value } = await scrape()
      const inState = (state: string) => value("perch_sessions", { state })
      return [inState("idle"), inState("running"), value("perch_tenants")]
    }
    expect(await counted()).toEqual([2, 1, 2])
    await Effect.runPromise(removeRows(database.d1, "acme", "s1"))
    expect(await counted()).toEqual([1, 1, 2])
    await Effect.runPromise(flushToD1(database.d1, resting))
    expect(await counted()).toEqual([2, 1, 2])
    const erase = (tenant: string, id: string) =>
      Effect.runPromise(eraseSession(database.d1, tenant, id, "2026-11-22T00:00:00.000Z"))
    await erase("other", "s3")
    await erase("other", "s3")
    await erase("other", "never-there")
    await erase("acme", "s2")
    expect(await counted()).toEqual([1, 0, 1])
    const prepare = vi.spyOn(database, "prepare")
    await scrape()
    await scrape("?tenant=acme")
    const ofSessions = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("FROM sessions"))
    const plans = ofSessions.flatMap((sql) => database.sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
    const reads = plans.map(({ detail }) => String(detail)).filter((detail) => detail.includes("sessions"))
    expect(reads).toHaveLength(2)
    for (const read of reads) expect(read).toContain("USING INDEX sessions_busy")
  })

  it("shows a tenant's key only its own tenant", async () => {
    const { scrape, makeKey, refused } = await setUp(rowsOf("acme", "s1"), rowsOf("other", "s2"), rowsOf("other", "s3"))
    const { key } = await makeKey({ scopes: ["admin"] })
    expect((await scrape("", key)).value("perch_turns_total")).toBe(2)
    expect([...(await scrape("", key)).families.keys()].filter((name) => name.includes("isolate"))).toEqual([])
    expect((await scrape("?tenant=other")).value("perch_turns_total")).toBe(4)
    await refused(403, "GET", "/v1/admin/metrics?tenant=other", { key })
  })

  it("answers while D1 is down, and reports it", async () => {
    const { scrape, database } = await setUp(rowsOf("acme", "s1"))
    database.down = true
    const { families, value } = await scrape()
    expect(value("perch_d1_up")).toBe(0)
    expect(families.has("perch_turns_total")).toBe(false)
    expect(families.has("perch_isolate_requests_total")).toBe(true)
  })

  it("counts requests by route, not by path", async () => {
    const { scrape, call } = await setUp()
    for (const id of ["1", "2", "3"]) await call("GET", `/v1/sessions/0199a000-0000-7000-8000-00000000000${id}`)
    await call("GET", "/no/such/path")
    const { families } = await scrape()
    const routes = new Set(families.get("perch_isolate_requests_total")?.samples.map(({ labels }) => labels["route"]))
    expect(routes).toContain("/v1/sessions/{id}")
    expect(routes).toContain("other")
    expect([...routes].some((route) => route?.includes("0199a000") === true)).toBe(false)
  })

  it("has every metric that the alerts, the dashboard and the page name, and the page names all of them", async () => {
    const { scrape } = await setUp(rowsOf("acme", "s1"))
    const { families } = await scrape()
    const known = new Set(
      [...families.keys()].flatMap((name) => [
        name,
        ...(families.get(name)?.type === "histogram" ? [`${name}_bucket`] : []),
      ]),
    )
    const named = (file: string) =>
      new Set(fs.readFileSync(path.join(ROOT, "docs/operations", file), "utf8").match(/\bperch_\w+[a-z]\b/g))
    for (const file of ["alerts.yml", "dashboard.json", "metrics.md"]) {
      expect(
        [...named(file)].filter((name) => !known.has(name)),
        file,
      ).toEqual([])
    }
    expect([...families.keys()].filter((name) => !named("metrics.md").has(name))).toEqual([])
  })

  it("has alerts whose references to the guides exist", () => {
    const alerts = fs.readFileSync(path.join(ROOT, "docs/operations/alerts.yml"), "utf8")
    const references = [...alerts.matchAll(/(docs\/[a-z/]+\.md), "([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    for (const [, page = "", heading = ""] of references)
      expect(fs.readFileSync(path.join(ROOT, page), "utf8")).toMatch(
        new RegExp(`^(#+ |\\*\\*)${heading}(\\*\\*|$)`, "m"),
      )
  })

  it("is valid text when there is no data yet", async () => {
    const { scrape } = await setUp()
    expect((await scrape()).value("perch_sessions")).toBe(0)
    expect(() => parseExposition(exposition([{ name: "a", type: "counter", help: "h", samples: [] }]))).toThrow(
      /_total/,
    )
  })
})

describe("GET /healthz", () => {
  it("shows versions and missing bindings without a key, and calls nothing", async () => {
    const { call, database } = await setUp()
    database.calls = 0
    const health = await (await call("GET", "/healthz", { key: null })).json()
    expect(health).toEqual({
      status: "ok",
      versions: {
        perch: PERCH_VERSION,
        compatibility_date: COMPATIBILITY_DATE,
        migration: LAST_MIGRATION,
        runtime: null,
      },
      bindings: { ok: false, missing: ["LANES", "WEBHOOKS", "WORKFLOWS", "RECORDINGS"] },
    })
    expect(database.calls).toBe(0)
  })
})

describe("GET /readyz", () => {
  it("is a 503 while D1 lacks a migration, with the reason only for the root key", async () => {
    const { call, database } = await setUp()
    await database.d1.prepare("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)").run()
    expect((await call("GET", "/readyz", { key: null })).status).toBe(503)
    const response = await call("GET", "/readyz")
    const { error } = (await response.json()) as { readonly error: { readonly issues: ReadonlyArray<unknown> } }
    expect(error.issues).toMatchObject([{ field: "migrations" }])
  })

  it("is ready, and reports its checks only to the root key", async () => {
    const { call } = await setUp()
    const asked = async (key: string | null) => (await call("GET", "/readyz", { key })).json()
    expect(await asked(null)).toEqual({ status: "ready" })
    expect(await asked(ROOT_KEY)).toMatchObject({ checks: { d1: { ok: true }, queue: { ok: true }, model: "offline" } })
  })

  it("is a 503 with Retry-After when D1 is down, with the reason only for the root key", async () => {
    const { call, database } = await setUp()
    database.down = true
    const response = await call("GET", "/readyz", { key: null })
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
    // A request id may contain the same two letters.
    const { error } = (await response.json()) as { readonly error: unknown }
    expect(JSON.stringify(error)).not.toContain("d1")
    expect(await (await call("GET", "/readyz")).text()).toContain('"field":"d1"')
  })
})

describe("data points of Analytics Engine", () => {
  it("have the columns that the page lists, within the platform's limits", () => {
    const points: Array<AnalyticsEngineDataPoint> = []
    const dataset = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point ?? {}) }
    const counts = {
      steps: 1,
      requests: 2,
      input_tokens: 3,
      output_tokens: 4,
      cache_read_tokens: 5,
      cache_write_tokens: 6,
      usd: null,
    }
    writeTurn(dataset, {
      tenant: "t".repeat(200),
      session: "s",
      turn: "u",
      model: "m",
      outcome: "success",
      is_error: false,
      terminal_reason: null,
      duration_ms: 9,
      ...counts,
    })
    writeRequest(dataset, { tenant: "t", method: "GET", route: "/healthz", status: 200, duration_ms: 1 })
    writeRequest(undefined, { tenant: "t", method: "GET", route: "/healthz", status: 200, duration_ms: 1 })
    expect(points.map(({ blobs, doubles }) => [blobs?.length, doubles?.length])).toEqual([
      [TURN_BLOBS.length, TURN_DOUBLES.length],
      [REQUEST_BLOBS.length, REQUEST_DOUBLES.length],
    ])
    expect(points[0]?.doubles).toEqual([9, 1, 2, 3, 4, 5, 6, 0, 0])
    expect(String(points[0]?.indexes?.[0]).length).toBe(96)
    const page = fs.readFileSync(path.join(ROOT, "docs/operations/metrics.md"), "utf8")
    for (const column of [...TURN_BLOBS.slice(1), ...TURN_DOUBLES, ...REQUEST_BLOBS.slice(2)])
      expect(page).toContain(column)
  })
})
