// The routes of backups: which sessions a key can access, and which bodies are rejected.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { eraseSession } from "../../../src/store/sessions.ts"
import { type Call, makeApi } from "../../http/api.ts"

const ID = "0199a000-0000-7000-8000-000000000001"
const PAGE = {
  format: 1,
  tenant: "acme",
  session_id: ID,
  revision: "0".repeat(64),
  through: 1,
  page: 0,
  tables: [],
  next_cursor: null,
}

const ROUTES: ReadonlyArray<readonly [string, string, Call]> = [
  ["GET", "/v1/admin/export/sessions", {}],
  ["GET", `/v1/admin/export/sessions/${ID}`, {}],
  ["POST", `/v1/admin/import/sessions/${ID}`, { json: PAGE }],
]

describe("backups over HTTP", () => {
  it.each(ROUTES)(
    "%s %s is refused to a key of another tenant, and without the scope admin",
    async (method, path, call) => {
      const { makeKey, refused } = makeApi()
      const { key } = await makeKey({ tenant: "other", scopes: ["admin"] })
      await refused(403, method, `${path}?tenant=acme`, { ...call, key })
      const { key: reader } = await makeKey({ scopes: ["sessions:read", "sessions:write", "files", "bypass"] })
      await refused(403, method, path, { ...call, key: reader })
    },
  )

  it("a tenant's key accesses its own sessions without naming the tenant", async () => {
    const { makeKey, call, create, sessions } = makeApi()
    const { key } = await makeKey({ scopes: ["admin", "sessions:write"] })
    const id = await create({ key })
    await call("GET", `/v1/admin/export/sessions/${id}`, { key })
    expect([...sessions.byName.keys()]).toContain(`acme/${id}`)
  })

  it("lists sessions in pages, erased ones with the time of erasure", async () => {
    const { call, database } = makeApi()
    const ids = Array.from({ length: 5 }, (_, at) => ID.replace(/1$/, String(at)))
    for (const id of ids) {
      await Effect.runPromise(eraseSession(database.d1, "acme", id, "2026-11-22T00:00:00.000Z"))
    }
    const found: Array<unknown> = []
    for (let cursor = ""; ;) {
      const query = new URLSearchParams({ tenant: "acme", limit: "2", ...(cursor === "" ? {} : { cursor }) })
      const response = await call("GET", `/v1/admin/export/sessions?${query}`)
      const page = (await response.json()) as { data: ReadonlyArray<unknown>; next_cursor: string | null } // its contract
      expect(page.data.length).toBeLessThanOrEqual(2)
      found.push(...page.data)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(found).toEqual(ids.map((id) => ({ id, erased_at: "2026-11-22T00:00:00.000Z" })))
  })

  it.each<[string, Call, number]>([
    ["no JSON", { body: "x" }, 400],
    ["another format", { json: { ...PAGE, format: 2 } }, 400],
    ["a cell of no kind", { json: { ...PAGE, tables: [{ name: "events", columns: ["seq"], rows: [[true]] }] } }, 400],
    ["more than 8 MiB", { body: "x", headers: { "content-length": "8388609" } }, 413],
  ])("a page that is %s is refused", async (_, call, status) => {
    await makeApi().refused(status, "POST", `/v1/admin/import/sessions/${ID}?tenant=acme`, call)
  })
})
