// The life of API keys: what a key may grant, how it is rolled, expires and is revoked.
import { describe, expect, it } from "vitest"
import { hashApiKey, makeApiKey } from "../../../src/http/auth/api-key.ts"
import { SCOPES } from "../../../src/schemas/access.ts"
import { makeApi } from "../../http/api.ts"
import { iso, later, NOW, withSetDate } from "../../support/values/set-date.ts"

const MINUTE = 60_000

withSetDate()

interface Key {
  readonly id: string
  readonly key: string
  readonly scopes: ReadonlyArray<string>
  readonly last_used_at: string | null
  readonly expires_at: string | null
}

describe("the root key", () => {
  it("is refused below 32 characters, with a 503 that gives the reason", async () => {
    for (const [key, status] of [
      ["x".repeat(31), 503],
      ["x".repeat(32), 200],
    ] as const) {
      const { call } = makeApi({ PERCH_ROOT_KEY: key })
      const response = await call("GET", "/v1/models", { key })
      expect(response.status).toBe(status)
      if (status === 503) expect(await response.text()).toMatch(/too short.*at least 32 characters/)
    }
  })
})

describe("a new key", () => {
  it("has every scope except admin, or the requested ones", async () => {
    const { makeKey } = makeApi()
    expect(await makeKey()).toMatchObject({ scopes: SCOPES.filter((scope) => scope !== "admin") })
    expect(await makeKey({ scopes: ["answer", "answer"] })).toMatchObject({ scopes: ["answer"] })
  })

  it("expires at a time in the future", async () => {
    const { refused } = makeApi()
    const messageOf = async (expires_at: string) => {
      const { error } = await refused(400, "POST", "/v1/admin/keys", { json: { tenant: "acme", expires_at } })
      return [error.field, error.message]
    }
    const message = "expires_at: must be a time, such as 2030-01-31T12:00:00Z"
    expect(await messageOf("2030-02-30T00:00:00Z")).toEqual(["expires_at", message])
    const passed = "expires_at: has passed already. Choose a time in the future."
    expect(await messageOf("2020-01-01T00:00:00Z")).toEqual(["expires_at", passed])
  })

  it("must name its scopes if the key that creates it has only admin", async () => {
    const { makeKey, refused } = makeApi()
    const { key } = await makeKey({ scopes: ["admin"] })
    expect((await refused(400, "POST", "/v1/admin/keys", { key, json: {} })).error.field).toBe("scopes")
  })

  it("from before scopes existed works as before, and is no administrator", async () => {
    const { call, database, makeKey, refused } = makeApi()
    const { key, id } = await makeKey()
    database.sqlite.exec(
      `CREATE TABLE old AS SELECT tenant, id, hash, label, created_at, revoked_at FROM api_keys;
       DELETE FROM api_keys;
       INSERT INTO api_keys (tenant, id, hash, label, created_at, revoked_at) SELECT * FROM old`,
    )
    expect((await call("GET", "/v1/sessions", { key })).status).toBe(200)
    await refused(403, "GET", "/v1/admin/keys", { key })
    const { data } = (await (await call("GET", "/v1/admin/keys")).json()) as { data: ReadonlyArray<Key> }
    expect(data).toMatchObject([{ id, scopes: SCOPES.filter((scope) => scope !== "admin"), expires_at: null }])
  })

  it("with a typo is distinguished from an unknown one, without a D1 read", async () => {
    const { makeKey, refused, database } = makeApi()
    const { key } = await makeKey()
    const typo = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0")
    database.calls = 0
    const messages = []
    for (const wrong of [typo, key.slice(0, -3), `${key}0`, key.toUpperCase(), "perch_"]) {
      messages.push((await refused(401, "GET", "/v1/models", { key: wrong })).error.message)
    }
    expect(messages.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("malformed")))
    expect(database.calls).toBe(0)
  })

  it("that does not exist is looked up once, however often it is tried", async () => {
    const { makeKey, refused, database } = makeApi()
    const { key } = await makeKey()
    database.sqlite.exec("DELETE FROM api_keys")
    database.calls = 0
    for (let time = 0; time < 5; time += 1) await refused(401, "GET", "/v1/models", { key })
    expect(database.calls).toBe(1)
  })
})

describe("an administrator's key", () => {
  it("manages its own tenant's keys and can't see those of others", async () => {
    const { call, makeKey, refused } = makeApi()
    const { key: admin } = await makeKey({ scopes: SCOPES })
    const { id: foreign } = await makeKey({ tenant: "other" })
    const made = await call("POST", "/v1/admin/keys", { key: admin, json: { label: "mine" } })
    expect(await made.json()).toMatchObject({ tenant: "acme", label: "mine" })
    const { data } = (await (await call("GET", "/v1/admin/keys", { key: admin })).json()) as { data: Array<unknown> }
    expect(data).toHaveLength(2)
    expect(JSON.stringify(data)).not.toContain(foreign)
    await refused(403, "POST", "/v1/admin/keys", { key: admin, json: { tenant: "other" } })
    await refused(403, "GET", "/v1/admin/keys?tenant=other", { key: admin })
    await refused(403, "GET", "/v1/audit?tenant=other", { key: admin })
    await refused(404, "DELETE", `/v1/admin/keys/${foreign}`, { key: admin })
    await refused(404, "POST", `/v1/admin/keys/${foreign}/roll`, { key: admin, json: {} })
  })

  it("grants no key more than it has: no scope, no secret of a stronger key, no later expiry", async () => {
    const { call, makeKey, refused } = makeApi()
    const ends = iso(NOW + 60 * MINUTE)
    const { key: admin } = await makeKey({ scopes: ["admin", "sessions:read"], expires_at: ends })
    const { id: stronger } = await makeKey({ scopes: ["sessions:read", "bypass"] })
    const { id: longer } = await makeKey({ scopes: ["sessions:read"] })
    const make = (json: object) => refused(403, "POST", "/v1/admin/keys", { key: admin, json })
    expect((await make({ scopes: ["bypass"] })).error.message).toContain("bypass")
    await make({ expires_at: iso(NOW + 61 * MINUTE) })
    for (const id of [stronger, longer]) {
      await refused(403, "POST", `/v1/admin/keys/${id}/roll`, { key: admin, json: {} })
    }
    const own = (await (await call("POST", "/v1/admin/keys", { key: admin, json: {} })).json()) as Key
    expect(own).toMatchObject({ scopes: ["sessions:read"], expires_at: ends })
  })
})

describe("a key's end", () => {
  it("an expired key is refused from that moment on", async () => {
    const { call, makeKey, refused } = makeApi()
    const { key } = await makeKey({ expires_at: iso(NOW + MINUTE) })
    later(MINUTE - 1)
    expect((await call("GET", "/v1/models", { key })).status).toBe(200)
    later(1)
    expect((await refused(401, "GET", "/v1/models", { key })).error.message).toContain("expired")
    for (const expires_at of ["tomorrow", "2026-13-01T00:00:00Z", "2099-02-30T00:00:00Z", iso(NOW), "1"]) {
      const json = { tenant: "acme", expires_at }
      expect((await refused(400, "POST", "/v1/admin/keys", { json })).error.field).toBe("expires_at")
    }
  })

  it("a roll returns a new secret; the old one works until the overlap ends, and the one before that no longer does", async () => {
    const { call, makeKey, refused } = makeApi()
    const { key: first, id } = await makeKey()
    const roll = async (json: object) =>
      ((await (await call("POST", `/v1/admin/keys/${id}/roll`, { json })).json()) as Key).key
    const second = await roll({ overlap_seconds: 120 })
    const works = async (key: string) => (await call("GET", "/v1/models", { key })).status
    expect([await works(first), await works(second)]).toEqual([200, 200])
    later(2 * MINUTE)
    expect([await works(first), await works(second)]).toEqual([401, 200])
    const third = await roll({ overlap_seconds: 60 })
    const fourth = await roll({})
    expect(await Promise.all([first, second, third, fourth].map(works))).toEqual([401, 401, 401, 200])
    expect((await call("DELETE", `/v1/admin/keys/${id}`)).status).toBe(204)
    expect(await works(fourth)).toBe(401)
    await refused(409, "POST", `/v1/admin/keys/${id}/roll`, { json: {} })
  })

  it("a new secret works where the old one was just in use; wrong ones are looked up once a second", async () => {
    const { call, database, makeKey } = makeApi()
    const { key, id } = await makeKey()
    const works = async (text: string) => (await call("GET", "/v1/models", { key: text })).status
    expect(await works(key)).toBe(200)
    const next = makeApiKey("acme", id).text
    // Another isolate rolled it.
    database.sqlite
      .prepare("UPDATE api_keys SET previous_hash = hash, previous_until = ?, hash = ?, generation = 1 WHERE id = ?")
      .run(NOW + MINUTE, await hashApiKey(next), id)
    later(1_000)
    expect([await works(next), await works(key)]).toEqual([200, 200])
    database.calls = 0
    for (let guess = 0; guess < 5; guess += 1) expect(await works(makeApiKey("acme", id).text)).toBe(401)
    expect(database.calls).toBe(0)
  })

  it("its last use is recorded at most once a minute, after the request", async () => {
    const { call, database, makeKey, settled } = makeApi()
    const { key } = await makeKey()
    const used = () => database.rows("api_keys")[0]?.["last_used_at"]
    expect(used()).toBeNull()
    for (const [wait, noted] of [
      [0, NOW],
      [MINUTE - 1, NOW],
      [1, NOW + MINUTE],
    ] as const) {
      later(wait)
      await call("GET", "/v1/models", { key })
      await settled()
      expect(used()).toBe(noted)
    }
  })
})
