// Tickets and streams of a key: what they may do, and that they end with the key.
import { describe, expect, it, vi } from "vitest"
import { makeApi } from "../../http/api.ts"
import { iso, later, NOW, withSetDate } from "../../support/values/set-date.ts"

const MINUTE = 60_000

withSetDate()

describe("a ticket", () => {
  it("has no role whose scope its issuer lacks, and requires the scope tickets to issue", async () => {
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

  it("expires within a minute if the end of its key was not noticed", async () => {
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

  it("expires no later than its key", async () => {
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
      // The check of the key that a heartbeat starts ends after the heartbeat was sent.
      await new Promise((resolve) => setImmediate(resolve))
    }
    while (!text.includes("event: error")) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toContain('"type":"authentication_error"')
    let last = await reader.read()
    while (!last.done) last = await reader.read()
    expect(Date.now() - NOW).toBeLessThanOrEqual(MINUTE)
  })
})
