// Every listed model is charged at its list price, from the API's usage to D1.
import { expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { EVERY_KIND, EVERY_KIND_USD } from "../../support/values/price-table.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface CostRow {
  readonly session_id: string
  readonly model: string
  readonly usd: number | null
}

/** A client of a new tenant, whose costs fit on one page. */
const tenantClient = async () => {
  const json = { tenant: scriptName("costs") }
  return root.withKey((await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })).key)
}

it("a usage of every kind costs the listed price on each of the 19 models, and /v1/costs sums them", async () => {
  expect(EVERY_KIND_USD).toHaveLength(19)
  const perch = await tenantClient()
  const id = await perch.createSession()
  let sum = 0
  let last: number | undefined
  for (const [model, usd] of EVERY_KIND_USD) {
    const name = scriptName("price")
    await api.set(name, [{ content: [text("Done.")], usage: EVERY_KIND }])
    const result = (await perch.query(id, promptFor(name), { options: { model } })).at(-1)
    sum += usd
    last = result?.total_cost_usd
    expect(last, model).toBeCloseTo(sum, 9)
  }
  const rows = await eventually(async () => {
    const { data } = await perch.json<{ data: ReadonlyArray<CostRow> }>("GET", "/v1/costs?limit=1000")
    const own = data.filter((row) => row.session_id === id)
    return own.length >= 19 ? own : undefined
  })
  for (const [model, usd] of EVERY_KIND_USD) {
    expect(rows.find((row) => row.model === model)?.usd, model).toBeCloseTo(usd, 9)
  }
  expect(rows.reduce((total, row) => total + (row.usd ?? 0), 0)).toBeCloseTo(last ?? 0, 9)
})

it("an unlisted model costs as much as the default model, and is flagged", async () => {
  const name = scriptName("unpriced")
  await api.set(name, [{ content: [text("Done.")], usage: EVERY_KIND }])
  const id = await root.createSession({ model: "model-of-tomorrow" })
  await root.query(id, promptFor(name))
  expect(await root.json("GET", `/v1/sessions/${id}/cost`)).toMatchObject({
    has_unpriced: true,
    total_cost_usd: 0.0488,
    model_usage: { "model-of-tomorrow": { costBasis: "unknown" } },
  })
})
