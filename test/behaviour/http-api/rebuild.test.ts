// POST /v1/admin/rebuild: who may call it, and which sessions it rebuilds.
import { describe, expect, it } from "vitest"
import { SCOPES } from "../../../src/schemas/access.ts"
import { makeApi } from "../../http/api.ts"

const ROWS = { sessions: 1, messages: 2, parts: 3, costs: 4, turns: 6, hook_events: 5 }
const UNKNOWN = "0192f0c1-2345-7abc-8def-0123456789ab"

const setUp = async (sessions: number) => {
  const api = makeApi()
  const { key } = await api.makeKey({ scopes: SCOPES })
  const ids: Array<string> = []
  for (let n = 0; n < sessions; n += 1) ids.push(await api.create({ key }))
  await api.settled()
  // A real session's object counts itself with the tenant's object when it is created; these fake ones don't.
  for (const session of ids) await api.env.TENANTS.getByName("acme").openSession({ session, always: true })
  const rebuild = async (json: Readonly<Record<string, unknown>>) => {
    const response = await api.call("POST", "/v1/admin/rebuild", { json })
    expect(response.status).toBe(200)
    return (await response.json()) as {
      data: ReadonlyArray<{ session: string; rows: unknown }>
      next_cursor: string | null
    }
  }
  return { ...api, key, ids: ids.toSorted(), rebuild }
}

describe("POST /v1/admin/rebuild", () => {
  it("rebuilds one session of a tenant, and no other tenant's", async () => {
    const { ids, rebuild, refused } = await setUp(2)
    const [session] = ids
    expect(await rebuild({ tenant: "acme", session })).toEqual({ data: [{ session, rows: ROWS }], next_cursor: null })
    await refused(404, "POST", "/v1/admin/rebuild", { json: { tenant: "other", session } })
    await refused(404, "POST", "/v1/admin/rebuild", { json: { tenant: "acme", session: UNKNOWN } })
  })

  it("pages through all sessions of a tenant", async () => {
    const { ids, rebuild } = await setUp(5)
    const seen: Array<string> = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<typeof rebuild>> = await rebuild({
        tenant: "acme",
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      })
      for (const { session, rows } of page.data) {
        seen.push(session)
        expect(rows).toEqual(ROWS)
      }
      cursor = page.next_cursor
      pages += 1
    } while (cursor !== null)
    expect(seen).toEqual(ids)
    expect(pages).toBe(3)
    expect(await rebuild({ tenant: "unknown" })).toEqual({ data: [], next_cursor: null })
  })

  it("lists a session that was erased meanwhile without rows", async () => {
    const { rebuild, env } = await setUp(1)
    await env.TENANTS.getByName("acme").openSession({ session: UNKNOWN, always: true })
    expect((await rebuild({ tenant: "acme" })).data).toContainEqual({ session: UNKNOWN, rows: null })
  })

  it("requires the root key, and limits the page", async () => {
    const { key, refused } = await setUp(0)
    const { error } = await refused(403, "POST", "/v1/admin/rebuild", { key, json: { tenant: "acme" } })
    expect(error.message).toContain("root key")
    for (const json of [
      {},
      { tenant: "acme", limit: 51 },
      { tenant: "acme", limit: 0 },
      { tenant: "ACME" },
      { tenant: "acme", session: "x" },
    ]) {
      await refused(400, "POST", "/v1/admin/rebuild", { json })
    }
  })
})
