// opencode rulesets over the HTTP API: set at creation and by PATCH, answered with opencode's replies, saved for a tenant.
import { expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Ask, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface Saved {
  readonly saved: ReadonlyArray<{ readonly id: string; readonly pattern: string; readonly scope: string }>
}

const tenantClient = async () => {
  const json = { tenant: `rules-${crypto.randomUUID().slice(0, 8)}` }
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return root.withKey(key)
}

/** A turn that calls Bash once; 202 if it waits for an answer. */
const run = async (perch: PerchClient, session: string, command: string, status: 200 | 202) => {
  const name = scriptName("rules")
  await api.set(name, [{ content: [call("Bash", { command, description: "d" })] }, textAnswer("Done.")])
  return perch.json<{ turn_id: string; pending: ReadonlyArray<Ask & { always?: unknown }> }>(
    "POST",
    `/v1/sessions/${session}/query`,
    { json: { prompt: promptFor(name) }, status },
  )
}

it("a permission saved for the tenant applies in its other sessions, subject to their rules, until it is revoked", async () => {
  const perch = await tenantClient()
  const permission = [
    { permission: "*", pattern: "*", action: "ask" },
    { permission: "bash", pattern: "echo b*", action: "deny" },
  ]
  const first = await perch.createSession({ permission })
  const { pending, turn_id } = await run(perch, first, "touch a", 202)
  expect(pending).toMatchObject([{ permission: "bash", patterns: ["touch a"] }])
  const answer = `/v1/sessions/${first}/permissions/${pending[0]!.request_id}`
  const both = { reply: "once", behavior: "allow" }
  expect(await perch.json("POST", answer, { json: both, status: 400 })).toMatchObject({
    error: { type: "invalid_request_error" },
  })
  await perch.json("POST", answer, { json: { reply: "always", scope: "tenant" } })
  expect(await perch.json("GET", `/v1/sessions/${first}/turns/${turn_id}?wait=30`)).toMatchObject({
    status: "completed",
  })

  const { saved } = await perch.json<Saved>("GET", "/v1/permissions/saved")
  expect(saved).toMatchObject([{ permission: "bash", scope: "tenant" }])
  expect(await root.json("GET", "/v1/permissions/saved")).not.toMatchObject({ saved })
  const second = await perch.createSession({ permission })
  await run(perch, second, "touch a", 200)
  expect(await perch.json("GET", `/v1/sessions/${second}/permissions/saved`)).toEqual({ saved })
  const own = `/v1/sessions/${second}/permissions/saved/${saved[0]!.id}`
  await perch.json("DELETE", own, { status: 400 })

  await perch.json("PATCH", `/v1/sessions/${second}`, {
    json: { options: { permission: { bash: { "touch *": "ask" } } } },
  })
  const again = await run(perch, second, "touch a", 202)
  expect(again.pending).toMatchObject([{ always: [] }])
  const path = `/v1/sessions/${second}/permissions/${again.pending[0]!.request_id}`
  await perch.json("POST", path, { json: { reply: "always" }, status: 400 })
  await perch.json("POST", path, { json: { reply: "reject", message: "Not now." } })
  await perch.json("GET", `/v1/sessions/${second}/turns/${again.turn_id}?wait=30`)

  expect((await perch.request("DELETE", `/v1/permissions/saved/${saved[0]!.id}`)).status).toBe(204)
  expect(await perch.json("GET", "/v1/permissions/saved")).toEqual({ saved: [] })
  const third = await perch.createSession({ permission })
  const asked = await run(perch, third, "touch a", 202)
  await perch.json("POST", `/v1/sessions/${third}/permissions/${asked.pending[0]!.request_id}`, {
    json: { reply: "reject" },
  })
})
