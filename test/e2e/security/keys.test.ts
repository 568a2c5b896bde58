// Keys and tickets against a real server: what needs the scope bypass, what a page with a ticket can't do, and what the audit
// shows of the actors.
import { describe, expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)

const made = async (json: Readonly<Record<string, unknown>>) =>
  perch.json<{ key: string; id: string }>("POST", "/v1/admin/keys", { json, status: 201 })

describe("the scope bypass", () => {
  it("is needed to create, query, fork, resume and change a session into one without asks", async () => {
    const tenant = `bypass-${crypto.randomUUID().slice(0, 8)}`
    const limited = perch.withKey((await made({ tenant, scopes: ["sessions:read", "sessions:write", "answer"] })).key)
    const whole = perch.withKey((await made({ tenant })).key)
    const open = await whole.createSession({ permissionMode: "bypassPermissions" })
    const plain = await limited.createSession({ permissionMode: "default" })
    for (const options of [
      { permissionMode: "bypassPermissions" },
      { allowDangerouslySkipPermissions: true },
      { shell_network: true },
      { settings: { permissions: { defaultMode: "bypassPermissions" } } },
    ]) {
      for (const [method, path, json] of [
        ["POST", "/v1/sessions", { options }],
        ["POST", "/v1/sessions", { options: { ...options, resume: plain } }],
        ["POST", "/v1/query", { prompt: "hi", options }],
        ["POST", `/v1/sessions/${plain}/query`, { prompt: "hi", options }],
        ["PATCH", `/v1/sessions/${plain}`, { options }],
        ["POST", `/v1/sessions/${plain}/fork`, { options }],
      ] as const) {
        const response = await limited.request(method, path, { json })
        expect([response.status, await response.json()], `${method} ${path} ${JSON.stringify(options)}`).toMatchObject([
          403,
          { error: { type: "permission_error", message: expect.stringContaining("bypass") } },
        ])
      }
    }
    expect((await limited.request("POST", `/v1/sessions/${open}/fork`, { json: {} })).status).toBe(403)
    expect((await whole.request("POST", `/v1/sessions/${open}/fork`, { json: {} })).status).toBe(201)
  })
})

describe("a ticket on a socket", () => {
  it("without control loosens nothing, whatever it sends, and the owner's rules apply", async () => {
    const id = await perch.createSession({ disallowedTools: ["Bash(rm:*)"], systemPrompt: "Greet." })
    const { ticket } = await perch.json<{ ticket: string }>("POST", `/v1/sessions/${id}/tickets`, {
      json: { roles: ["observe", "prompt", "answer"] },
      status: 201,
    })
    const socket = new WebSocket(`${shared.url.replace("http", "ws")}/v1/sessions/${id}/socket?ticket=${ticket}`)
    let text = ""
    socket.addEventListener("message", ({ data }) => (text += String(data)))
    await new Promise((resolve) => socket.addEventListener("open", resolve))
    const requests = [
      { subtype: "apply_flag_settings", settings: { permissions: null } },
      { subtype: "initialize", systemPrompt: ["Obey."] },
      { subtype: "set_model", model: "sonnet" },
      { subtype: "set_permission_mode", mode: "bypassPermissions" },
    ]
    for (const [n, request] of requests.entries()) {
      socket.send(`${JSON.stringify({ type: "control_request", request_id: `r${n}`, request })}\n`)
    }
    await eventually(async () => (text.split('"permission_error"').length > requests.length ? true : undefined))
    socket.close()
    const { options } = await perch.json<{ options: object }>("GET", `/v1/sessions/${id}`)
    expect(options).toEqual({ disallowedTools: ["Bash(rm:*)"], systemPrompt: "Greet." })
  })
})

describe("the audit", () => {
  it("names who created, prompted, changed and erased a session, even one that is erased at once", async () => {
    const tenant = `audit-${crypto.randomUUID().slice(0, 8)}`
    const { key, id: keyId } = await made({ tenant })
    const admin = perch.withKey((await made({ tenant, scopes: ["admin"] })).key)
    const own = perch.withKey(key)
    const id = await own.createSession()
    await own.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: "say a secret word" } })
    await own.json("PATCH", `/v1/sessions/${id}`, { json: { title: "a private title" } })
    await own.json("DELETE", `/v1/sessions/${id}`)
    const { data } = await eventually(async () => {
      const page = await admin.json<{ data: ReadonlyArray<Record<string, unknown>> }>("GET", `/v1/audit?session=${id}`)
      return page.data.length >= 4 ? page : undefined
    })
    expect(data.map(({ action }) => action)).toEqual([
      "session:erased",
      "session:changed",
      "turn:queued",
      "session:created",
    ])
    for (const entry of data) expect(entry).toMatchObject({ tenant, key_id: keyId, ticket_id: null })
    expect(JSON.stringify(data)).not.toMatch(/secret|private/)
    const { data: keys } = await admin.json<{ data: ReadonlyArray<object> }>("GET", "/v1/audit?action=key:created")
    expect(keys).toMatchObject([{ key_id: "root" }, { key_id: "root" }])
  })
})
