// Recorded sessions that were forked and resumed: the parent continues, and a copy has its own recording or none.
import { expect, it } from "vitest"
import { promptFor } from "../../support/session/scripts.ts"
import { api, errorOf, perch, record, recorded, type Report } from "./recorded.ts"

const RECORD = { runtime: { mode: "record" } }

const fork = (id: string, json: object) =>
  perch.json<{ id: string; options: object }>("POST", `/v1/sessions/${id}/fork`, { json, status: 201 })

const expectEqualReplay = async (session: string, name: string) => {
  const recording = await record(session)
  const asked = (await api.requests(name)).length
  const report = await perch.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {} })
  expect(report).toMatchObject({ equal: true, difference: null, not_found: null })
  expect((await api.requests(name)).length).toBe(asked)
  return recording
}

it("a session that was forked and resumed is replayed completely, and so is a copy that is recorded", async () => {
  const { id, name } = await recorded()
  const live = await fork(id, {})
  const copy = await fork(id, { options: RECORD })
  expect(live.options).not.toHaveProperty("runtime")
  await perch.query(id, `${promptFor(name)} The parent goes on.`)
  await perch.query(copy.id, `${promptFor(name)} The copy goes on.`)
  await perch.query(live.id, `${promptFor(name)} So does the other.`)
  const parent = await expectEqualReplay(id, name)
  const own = await expectEqualReplay(copy.id, name)
  expect(own.answers).toBe(parent.answers)
  await errorOf(perch.request("POST", "/v1/recordings", { json: { session_id: live.id } })).then((error) =>
    expect(error).toMatchObject({ status: 409, type: "conflict_error" }),
  )
})

it("a copy of an unrecorded session, or from its middle, is not recorded, and neither is a history", async () => {
  const { id } = await recorded()
  const copy = await fork(id, {})
  const events = await perch.events(id)
  const at = events.find(({ name }) => name === "sdk:assistant")?.uuid
  const message = { type: "user", message: { role: "user", content: "hi" }, parent_tool_use_id: null }
  const wrong: ReadonlyArray<readonly [string, object, number]> = [
    [`/v1/sessions/${copy.id}/fork`, { options: RECORD }, 409],
    [`/v1/sessions/${id}/fork`, { options: RECORD, at }, 409],
    ["/v1/sessions", { options: RECORD, history: [message] }, 400],
  ]
  for (const [route, json, status] of wrong)
    expect(await errorOf(perch.request("POST", route, { json }))).toMatchObject({ status, field: "options.runtime" })
})
