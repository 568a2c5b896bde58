// API keys over their life: what a key may give, how it rolls, expires and is revoked, and what becomes of its tickets
// and streams; and what the audit and the answers show of all that.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { hashApiKey, makeApiKey } from "../../../src/http/auth/api-key.ts"
import { SCOPES } from "../../../src/schemas/access.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"

const NOW = Date.parse("2026-11-01T12:00:00Z")
const MINUTE = 60_000

beforeEach(() => vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: NOW }))
afterEach(() => vi.useRealTimers())

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
const iso = (ms: number) => new Date(ms).toISOString()

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
  it("has every scope but admin, or those that it is made with", async () => {
    const { makeKey } = makeApi()
    expect(await makeKey()).toMatchObject({ scopes: SCOPES.filter((scope) => scope !== "admin") })
    expect(await makeKey({ scopes: ["answer", "answer"] })).toMatchObject({ scopes: ["answer"] })
  })

  it("of before there were scopes works as it did, and is no administrator", async () => {
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

  it("with a typo is distinguished from an unknown one, and D1 is not asked", async () => {
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
  it("manages its own tenant's keys and sees no other's", async () => {
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

  it("gives no key more than it has: no scope, no secret of a stronger key, no longer life", async () => {
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
  it("expiry closes it at its moment", async () => {
    const { call, makeKey, refused } = makeApi()
    const { key } = await makeKey({ expires_at: iso(NOW + MINUTE) })
    later(MINUTE - 1)
    expect((await call("GET", "/v1/models", { key })).status).toBe(200)
    later(1)
    expect((await refused(401, "GET", "/v1/models", { key })).error.message).toContain("expired")
    for (const expires_at of ["tomorrow", "2026-13-01T00:00:00Z", iso(NOW), "1"]) {
      const json = { tenant: "acme", expires_at }
      expect((await refused(400, "POST", "/v1/admin/keys", { json })).error.field).toBe("expires_at")
    }
  })

  it("a roll gives a new secret; the old one works until the overlap ends, the one before that no more", async () => {
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

  it("a new secret works where the old one was in use a moment ago; wrong ones are looked up once a second", async () => {
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

  it("its last use is noted at most once a minute, behind the request", async () => {
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

describe("a ticket", () => {
  it("has no role whose scope its maker lacks, and takes the scope tickets to make", async () => {
    const { create, makeKey, refused, call } = makeApi()
    const { key: owner } = await makeKey()
    const id = await create({ key: owner })
    const path = `/v1/sessions/${id}/tickets`
    for (const [scopes, role] of [
      [["tickets"], "observe"],
      [["tickets", "sessions:read"], "prompt"],
      [["tickets", "sessions:read"], "control"],
      [["tickets", "sessions:read", "sessions:write"], "answer"],
    ] as const) {
      const { key } = await makeKey({ scopes })
      const { error } = await refused(403, "POST", path, { key, json: { roles: [role] } })
      expect(error.message).toContain(role)
    }
    const made = await call("POST", path, { key: owner, json: { scopes: ["socket"] } })
    expect(await made.json()).toMatchObject({ roles: ["observe", "prompt", "answer"] })
    await refused(400, "POST", path, { key: owner, json: { scopes: ["socket"], roles: ["observe"] } })
    await refused(400, "POST", path, { key: owner, json: { roles: ["admin"] } })
  })

  it.each([
    ["is revoked", "DELETE", ""],
    ["is rolled without overlap", "POST", "/roll"],
  ])("dies with its key when that %s", async (_, method, path) => {
    const { call, create, makeKey } = makeApi()
    const { key, id: keyId } = await makeKey()
    const id = await create({ key })
    const made = await call("POST", `/v1/sessions/${id}/tickets`, { key, json: { roles: ["observe"] } })
    const { ticket } = (await made.json()) as { ticket: string }
    const url = `/v1/sessions/${id}/events/stream?ticket=${ticket}`
    const status = async () => (await call("HEAD", url, { key: null })).status
    expect(await status()).toBe(200)
    await call(method, `/v1/admin/keys/${keyId}${path}`)
    expect(await status()).toBe(401)
  })

  it("dies within a minute where the end of its key was not noticed", async () => {
    const { call, create, database, makeKey, ticket } = makeApi()
    const { key, id: keyId } = await makeKey()
    const id = await create({ key })
    const url = `/v1/sessions/${id}/events/stream?ticket=${await ticket(id, { tenant: "acme", key: keyId })}`
    const status = async () => (await call("HEAD", url, { key: null })).status
    expect(await status()).toBe(200)
    database.sqlite.exec("UPDATE api_keys SET revoked_at = 1")
    later(MINUTE)
    expect(await status()).toBe(401)
  })

  it("lives no longer than its key", async () => {
    const { call, create, makeKey } = makeApi()
    const { key } = await makeKey({ expires_at: iso(NOW + MINUTE) })
    const id = await create({ key })
    const made = await call("POST", `/v1/sessions/${id}/tickets`, { key, json: {} })
    const { ticket, expires_at } = (await made.json()) as { ticket: string; expires_at: string }
    expect(expires_at).toBe(iso(NOW + MINUTE))
    later(MINUTE)
    expect((await call("HEAD", `/v1/sessions/${id}/events/stream?ticket=${ticket}`, { key: null })).status).toBe(401)
  })
})

describe("a stream", () => {
  it.each([
    ["revoked", "UPDATE api_keys SET revoked_at = 1"],
    ["rolled", "UPDATE api_keys SET hash = 'x', generation = generation + 1"],
    ["expired", `UPDATE api_keys SET expires_at = ${NOW + 1}`],
  ])("ends within a minute of its key being %s elsewhere, and gives the reason", async (_, change) => {
    const { call, create, database, makeKey } = makeApi()
    const { key } = await makeKey()
    const id = await create({ key })
    const reader = (await call("GET", `/v1/sessions/${id}/events/stream`, { key })).body!.getReader()
    await reader.read()
    database.sqlite.exec(change)
    let text = ""
    for (let beat = 0; beat < 4 && !text.includes("event: error"); beat += 1) {
      await vi.advanceTimersByTimeAsync(15_000)
      text += new TextDecoder().decode((await reader.read()).value)
      // The look at the key that a heartbeat began ends after the heartbeat was sent.
      await new Promise((resolve) => setImmediate(resolve))
    }
    while (!text.includes("event: error")) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toContain('"type":"authentication_error"')
    let last = await reader.read()
    while (!last.done) last = await reader.read()
    expect(Date.now() - NOW).toBeLessThanOrEqual(MINUTE)
  })
})

describe("who acts", () => {
  it("is named to the session by every route that changes something", async () => {
    const { call, create, makeKey, sessions } = makeApi()
    const { key, id: keyId } = await makeKey()
    const id = await create({ key })
    const from = { key, headers: { "cf-connecting-ip": "203.0.113.7" } }
    const path = `/v1/sessions/${id}`
    const requests: ReadonlyArray<readonly [method: string, path: string, json: unknown]> = [
      ["POST", `${path}/query`, { prompt: "hi" }],
      ["PATCH", path, { title: "t" }],
      ["POST", `${path}/permissions/r1`, { behavior: "allow" }],
      ["POST", `${path}/events`, { events: [{ payload: { type: "keep_alive" } }] }],
      ["POST", "/v1/sessions", { options: { resume: id } }],
      ["DELETE", path, undefined],
    ]
    for (const [method, at, json] of requests) await call(method, at, json === undefined ? from : { ...from, json })
    const call_ = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "Read", arguments: { file_path: "/workspace/a" } },
    }
    await call("POST", `/mcp?session=${id}`, {
      ...from,
      json: call_,
      headers: { ...from.headers, accept: "application/json, text/event-stream", "content-type": "application/json" },
    })
    const { actors } = sessions.get(`acme/${id}`)
    expect(actors.map(([what]) => what)).toEqual([
      "create",
      "submit",
      "patch",
      "answer",
      "clientFrames",
      "reopen",
      "erase",
      "callTool",
    ])
    for (const [what, actor] of actors.slice(1)) {
      expect(actor, what).toMatchObject({ key: keyId, address: "203.0.113.7", bypass: true })
    }
    const forked = await call("POST", `${path}/fork`, { ...from, json: {} })
    const { id: copy } = (await forked.json()) as { id: string }
    expect(sessions.get(`acme/${copy}`).actors).toMatchObject([["fork", { key: keyId }]])
  })

  it("is in the audit for keys and tickets, by ids, for those who may read it", async () => {
    const { call, create, makeKey, refused } = makeApi()
    const { key: admin, id: adminId } = await makeKey({ scopes: SCOPES })
    const { key, id: keyId } = await makeKey()
    const session = await create({ key })
    const made = await call("POST", `/v1/sessions/${session}/tickets`, {
      key,
      json: {},
      headers: { "cf-connecting-ip": "2001:db8::1" },
    })
    const ticket = (await made.json()) as { id: string }
    later(1)
    await call("POST", `/v1/admin/keys/${keyId}/roll`, { key: admin, json: {} })
    later(1)
    await call("DELETE", `/v1/admin/keys/${keyId}`, { key: admin })
    const audit = async (query: string, by = admin) =>
      ((await (await call("GET", `/v1/audit${query}`, { key: by })).json()) as { data: ReadonlyArray<object> }).data
    const all = await audit("")
    expect(all.slice(0, 3)).toMatchObject([
      { action: "key:revoked", key_id: adminId, subject: keyId, tenant: "acme", session_id: null },
      { action: "key:rolled", key_id: adminId, subject: keyId },
      { action: expect.any(String), at: iso(NOW) },
    ])
    expect(all).toHaveLength(5)
    expect(await audit("?action=ticket:created")).toMatchObject([
      { key_id: keyId, ticket_id: null, address: "2001:db8::1", subject: ticket.id, session_id: session },
    ])
    expect(await audit(`?session=${session}`)).toHaveLength(1)
    expect(await audit(`?actor=${adminId}`)).toHaveLength(2)
    expect(await audit("?actor=root&action=key:created", ROOT_KEY)).toHaveLength(2)
    expect(await audit("?tenant=nobody", ROOT_KEY)).toEqual([])
    const seen: Array<object> = []
    for (let cursor = ""; ;) {
      const page = (await (await call("GET", `/v1/audit?limit=2${cursor}`, { key: admin })).json()) as {
        data: ReadonlyArray<object>
        next_cursor: string | null
      }
      seen.push(...page.data)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(seen).toEqual(all)
    expect((await refused(400, "GET", "/v1/audit?action=nonsense", { key: admin })).error.field).toBe("action")
  })

  it("no answer shows a hash, a signing key or a secret that was shown once", async () => {
    const { call, create, database, makeKey } = makeApi()
    const { key: admin } = await makeKey({ scopes: SCOPES })
    const { key, id: keyId } = await makeKey()
    const id = await create({ key })
    const { ticket } = (await (await call("POST", `/v1/sessions/${id}/tickets`, { key, json: {} })).json()) as {
      ticket: string
    }
    const rolled = await call("POST", `/v1/admin/keys/${keyId}/roll`, { key: admin, json: { overlap_seconds: 60 } })
    const { key: next } = (await rolled.json()) as Key
    const hashes = database.rows("api_keys").flatMap((row) => [row["hash"], row["previous_hash"]])
    const secrets = [
      ...hashes,
      ...database.rows("ticket_keys").map((row) => row["secret"]),
      ROOT_KEY,
      key,
      next,
      ticket,
    ]
    const answers = []
    for (const path of ["/v1/admin/keys", "/v1/audit", `/v1/sessions/${id}`, "/v1/sessions", "/openapi.json"]) {
      answers.push(await (await call("GET", path, { key: admin })).text())
    }
    answers.push(await (await call("GET", "/v1/admin/keys", { key: `${next}0` })).text())
    answers.push(await (await call("HEAD", `/v1/sessions/${id}/events/stream?ticket=${ticket}x`, { key: null })).text())
    for (const secret of secrets.filter((value) => typeof value === "string")) {
      for (const answer of answers) expect(answer).not.toContain(secret)
      for (const table of ["audit", "api_keys"]) {
        const rows = database.rows(table).map(({ hash: _, previous_hash: __, ...row }) => row)
        expect(JSON.stringify(rows)).not.toContain(secret)
      }
    }
  })
})
