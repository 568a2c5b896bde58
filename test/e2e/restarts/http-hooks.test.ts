// HTTP hooks of a real server: signed with the tenant's secret, also during its rotation, from the first turn to the end of the
// session, and their events in the list of all sessions.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import { verifierOf } from "../../support/server/webhook-verifier.ts"

const root = new PerchClient(inject("shared"))
let hooks: HookServer

beforeAll(async () => {
  hooks = await startHookServer()
})
afterAll(() => hooks.close())

it("signs every call, fires until the session ends, and lists the events", async () => {
  const tenant = `hooks-${randomBytes(4).toString("hex")}`
  const json = { tenant, scopes: ["sessions:read", "sessions:write", "admin"] }
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const perch = root.withKey(key)
  const rotate = async () =>
    (await perch.json<{ secret: string }>("POST", "/v1/webhooks/secret", { json: {}, status: 201 })).secret
  const [before, secret] = [await rotate(), await rotate()]
  const group = [{ hooks: [{ type: "http", url: `${hooks.url}/hook`, headers: { "x-team": "7" } }] }]
  const options = { hooks: { SessionStart: group, UserPromptSubmit: group, SessionEnd: group } }
  const { id } = await perch.json<{ id: string }>("POST", "/v1/sessions", { json: { options }, status: 201 })
  hooks.answer = ({ input }) => ({
    body: input["hook_event_name"] === "UserPromptSubmit" ? { decision: "block", reason: "not today" } : {},
  })
  const result = await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: "hello" } })
  expect(result["result"]).toContain("not today")

  const listed = await eventually(async () => {
    const page = await perch.json<{ data: ReadonlyArray<{ hook_event_name: string }> }>(
      "GET",
      `/v1/hook-events?session=${id}&limit=10`,
    )
    return page.data.length >= 2 ? page.data : undefined
  })
  expect(listed.map(({ hook_event_name: name }) => name)).toEqual(["UserPromptSubmit", "SessionStart"])
  // The Queue may deliver before the session has saved that it has sent them.
  const delivery = async () =>
    (await perch.json<{ delivery: Record<string, unknown> }>("GET", `/v1/sessions/${id}`)).delivery
  await expect.poll(delivery).toMatchObject({ lag_events: 0, oldest_undelivered_at: null })
  await perch.json("DELETE", `/v1/sessions/${id}`)

  const names = hooks.deliveries.map(({ input }) => input["hook_event_name"])
  expect(names).toEqual(["SessionStart", "UserPromptSubmit", "SessionEnd"])
  const verify = await verifierOf("node")
  for (const { headers, body } of hooks.deliveries) {
    verify(secret, headers, body)
    verify(before, headers, body)
    expect(() => verify(secret, headers, `${body} `)).toThrow("signature")
  }
})
