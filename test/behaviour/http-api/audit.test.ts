// The actor of each change: its key or ticket is passed to the session and audited, and no answer reveals a secret.
import { describe, expect, it } from "vitest"
import { SCOPES } from "../../../src/schemas/access.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"
import { iso, later, NOW, withSetDate } from "../../support/values/set-date.ts"

withSetDate()

describe("the actor", () => {
  it("is passed to the session by every route that changes something", async () => {
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

  it("is in the audit of keys and tickets, by ids, for those who may read it", async () => {
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
    expect(await audit("?tenant=unknown", ROOT_KEY)).toEqual([])
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

  it("no answer contains a hash, a signing key or a secret that was already shown", async () => {
    const { call, create, database, makeKey } = makeApi()
    const { key: admin } = await makeKey({ scopes: SCOPES })
    const { key, id: keyId } = await makeKey()
    const id = await create({ key })
    const { ticket } = (await (await call("POST", `/v1/sessions/${id}/tickets`, { key, json: {} })).json()) as {
      ticket: string
    }
    const rolled = await call("POST", `/v1/admin/keys/${keyId}/roll`, { key: admin, json: { overlap_seconds: 60 } })
    const { key: next } = (await rolled.json()) as { key: string }
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
