// A tenant's webhooks on a real server: events of its sessions arrive signed, once for each subscribed webhook, even if the
// receiver was down and the server was killed meanwhile; and no other tenant's events arrive.
import { randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import { startServer } from "../../support/server/server.ts"
import { verifierOf } from "../../support/server/webhook-verifier.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
let receiver: HookServer

beforeEach(async () => {
  receiver = await startHookServer()
})
afterEach(() => receiver.close())

const tenantOf = async (client: PerchClient) => {
  const json = {
    tenant: `wh-${randomBytes(4).toString("hex")}`,
    scopes: ["sessions:read", "sessions:write", "answer", "admin"],
  }
  const { key } = await client.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return client.withKey(key)
}

interface Made {
  readonly id: string
  readonly secret: string
}
interface Delivered {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly attempts: number
}

const make = (
  perch: PerchClient,
  events: ReadonlyArray<string>,
  path = "/hook",
  headers: Record<string, string> = {},
) =>
  perch.json<Made>("POST", "/v1/webhooks", {
    json: { url: `${receiver.url}${path}?token=canary`, events },
    status: 201,
    headers,
  })

const deliveriesOf = async (perch: PerchClient, id: string) =>
  (await perch.json<{ data: ReadonlyArray<Delivered> }>("GET", `/v1/webhooks/${id}/deliveries`)).data

const typesAt = (path: string) =>
  receiver.deliveries.filter((one) => one.path.startsWith(path)).map(({ input }) => input["type"])

describe("a tenant's webhooks", () => {
  it("receive the events that they subscribe to, signed with their own secrets; another tenant's receive none", async () => {
    const [perch, other] = [await tenantOf(root), await tenantOf(root)]
    const asks = await make(perch, ["ask:*", "sdk:result/*"], "/asks")
    const hooks = await make(perch, ["hook:fired/Stop"], "/hooks")
    await make(other, ["**"], "/other")
    const name = scriptName("webhooks")
    const write = call("Write", { file_path: "/workspace/a.txt", content: "x" })
    await api.set(name, [{ content: [write] }, textAnswer("Done.")])
    const asked = await perch.json<{ session_id: string; pending: ReadonlyArray<{ request_id: string }> }>(
      "POST",
      "/v1/query",
      { json: { prompt: promptFor(name) }, status: 202 },
    )
    const opened = await eventually(async () => receiver.deliveries.find(({ input }) => input["type"] === "ask:opened"))
    expect(opened.input).toMatchObject({
      session_id: asked.session_id,
      data: { request_id: asked.pending[0]!.request_id, kind: "permission", tool_name: "Write" },
    })
    const { request_id } = asked.pending[0]!
    const path = `/v1/sessions/${asked.session_id}/permissions/${request_id}`
    await perch.json("POST", path, { json: { behavior: "allow" } })
    await eventually(async () => (typesAt("/asks").length > 2 && typesAt("/hooks").length > 0) || undefined)
    // Deliveries to one webhook overlap: a later event may arrive first.
    expect(typesAt("/asks").toSorted()).toEqual(["ask:opened", "ask:settled", "sdk:result/success"])
    expect(typesAt("/hooks")).toEqual(["hook:fired/Stop"])
    expect(typesAt("/other")).toEqual([])

    const verify = await verifierOf("node")
    for (const { headers, body, input, path: at } of receiver.deliveries) {
      verify(at.startsWith("/asks") ? asks.secret : hooks.secret, headers, body)
      expect(() => verify(asks.secret === hooks.secret ? "" : "whsec_AAAA", headers, body)).toThrow("signature")
      expect(headers["webhook-id"]).toBe(input["id"])
      expect(input["id"]).toBe(`${asked.session_id}_${String(input["seq"])}`)
    }
    const log = await perch.events(asked.session_id)
    expect(log.find(({ seq }) => seq === opened.input["seq"])?.payload).toEqual(opened.input["data"])
    // A delivery has its outcome when the receiver's answer was read.
    const outcomes = async () =>
      (await deliveriesOf(perch, asks.id)).map(({ state, attempts }) => `${state} ${attempts}`)
    await expect.poll(outcomes).toEqual(["delivered 1", "delivered 1", "delivered 1"])

    await perch.json("DELETE", `/v1/sessions/${asked.session_id}`)
    expect(await deliveriesOf(perch, asks.id)).toEqual([])
  })

  it("receive session:erased with the id of the session", async () => {
    const perch = await tenantOf(root)
    const { id } = await make(perch, ["session:erased"], "/erased")
    const session = await perch.createSession()
    await perch.json("DELETE", `/v1/sessions/${session}`)
    const { input } = await eventually(async () => receiver.deliveries[0])
    const place = { type: "session:erased", session_id: session, seq: null }
    expect(input).toMatchObject({ ...place, turn_id: null, data: { session_id: session } })
    expect(await deliveriesOf(perch, id)).toMatchObject([place])
  })

  it("reveal no secret and no query of an address, and are created once per Idempotency-Key", async () => {
    const perch = await tenantOf(root)
    const once = { "idempotency-key": "one" }
    const made = await make(perch, ["**"], "/hook", once)
    expect(await make(perch, ["**"], "/hook", once)).toEqual(made)
    const other = { json: { url: receiver.url, events: ["**"] }, headers: once, status: 422 }
    await perch.json("POST", "/v1/webhooks", other)
    const listed = JSON.stringify([
      await perch.json("GET", "/v1/webhooks"),
      await perch.json("GET", `/v1/webhooks/${made.id}`),
      await perch.json("PATCH", `/v1/webhooks/${made.id}`, { json: { description: "mine" } }),
    ])
    expect(listed).not.toContain("canary")
    expect(listed).not.toContain("whsec_")
    expect(listed).toContain("/hook?***")
    const masked = { json: { url: `${receiver.url}/hook?***` }, status: 400 }
    await perch.json("PATCH", `/v1/webhooks/${made.id}`, masked)
    const rolled = await perch.json<Made>("POST", `/v1/webhooks/${made.id}/secret`, { json: {}, status: 201 })
    await perch.json("POST", `/v1/webhooks/${made.id}/test`, { status: 202 })
    const [test] = await eventually(async () => (receiver.deliveries.length > 0 ? receiver.deliveries : undefined))
    const verify = await verifierOf("node")
    verify(rolled.secret, test!.headers, test!.body)
    verify(made.secret, test!.headers, test!.body)
    const audit = await perch.json<{ data: ReadonlyArray<{ action: string }> }>("GET", "/v1/audit")
    expect(audit.data.map(({ action }) => action)).toEqual([
      "webhook:changed",
      "webhook:changed",
      "webhook:created",
      "key:created",
    ])
  })

  it("that are disabled take no test event", async () => {
    const perch = await tenantOf(root)
    const made = await make(perch, ["ask:opened"])
    const path = `/v1/webhooks/${made.id}`
    await perch.json("PATCH", path, { json: { enabled: false } })
    const { error } = await perch.json<{ error: unknown }>("POST", `${path}/test`, { status: 409 })
    const message = "The webhook is disabled. Set `enabled` to true first."
    expect(error).toMatchObject({ type: "conflict_error", message })
    expect(await deliveriesOf(perch, made.id)).toEqual([])
  })

  it("of one tenant don't exist for another", async () => {
    const [perch, other] = [await tenantOf(root), await tenantOf(root)]
    const { id } = await make(perch, ["**"])
    const routes: ReadonlyArray<readonly [string, string, unknown?]> = [
      ["GET", ""],
      ["PATCH", "", { enabled: false }],
      ["DELETE", ""],
      ["POST", "/secret", {}],
      ["POST", "/test"],
      ["GET", "/deliveries"],
      ["POST", "/deliveries/x/redeliver"],
    ]
    for (const [method, path, json] of routes) {
      await other.json(method, `/v1/webhooks/${id}${path}`, { ...(json === undefined ? {} : { json }), status: 404 })
    }
    expect(await other.json("GET", "/v1/webhooks")).toEqual({ data: [] })
    expect(await perch.json("GET", `/v1/webhooks/${id}`)).toMatchObject({ enabled: true })
  })

  it.each([
    ["http://10.0.0.1/"],
    ["http://169.254.169.254/latest"],
    ["http://[::1]/"],
    ["http://localhost:1/"],
    ["ftp://example.com/"],
    ["https://user:pass@example.com/"],
    ["https://exa mple.com/"],
    ["nonsense"],
    [""],
  ])("refuse the address %j", async (url) => {
    const answer = await root.json<{ error: { message: string } }>("POST", "/v1/webhooks", {
      json: { url, events: ["**"] },
      status: 400,
    })
    expect(answer.error.message).toContain("url")
  })

  it.each([[[]], [["a b"]], [["x".repeat(201)]], [Array.from({ length: 21 }, () => "**")], ["**"], [undefined]])(
    "reject the patterns %j",
    async (events) => {
      const json = { url: "https://example.com/", ...(events === undefined ? {} : { events }) }
      await root.json("POST", "/v1/webhooks", { json, status: 400 })
    },
  )
})

it("an event whose receiver was down while the server was killed is delivered after the restart, with the same id", async () => {
  let away = true
  receiver.answer = () => ({ status: away ? 503 : 200 })
  const server = await startServer({ env: { PERCH_FETCH_ALLOW: "127.0.0.1" } })
  try {
    const perch = new PerchClient(server)
    const { id } = await make(perch, ["sdk:result/*"])
    const session = await perch.createSession({ permissionMode: "acceptEdits" })
    await perch.query(session, "Create a.txt with the text: x")
    const first = await eventually(async () => receiver.deliveries[0])
    await server.kill9()
    away = false
    await server.restart()
    const delivered = await eventually(
      async () => (await deliveriesOf(perch, id)).find(({ state }) => state === "delivered"),
      45_000,
    )
    expect(delivered.id).toBe(first.input["id"])
    expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1)
    expect(receiver.deliveries.at(-1)?.headers["webhook-id"]).toBe(delivered.id)
  } finally {
    await server.dispose()
  }
})
