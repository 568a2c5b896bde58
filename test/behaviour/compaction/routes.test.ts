// The answers of the routes for compacting a session and for its context.
import { expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"

it("a compaction is a turn with the prompt of its command", async () => {
  const { call, create, sessions } = makeApi()
  const id = await create()
  const headers = { prefer: "respond-async" }
  await call("POST", `/v1/sessions/${id}/compact`, { headers, json: { instructions: " keep names " } })
  await call("POST", `/v1/sessions/${id}/compact`, { headers, json: {} })
  expect(sessions.get(`root/${id}`).submitted.map(({ prompt }) => prompt)).toEqual(["/compact keep names", "/compact"])
})

it("the context of a session has the categories of the control request", async () => {
  const { call, create } = makeApi()
  const answer = await call("GET", `/v1/sessions/${await create()}/context`)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ maxTokens: 1_000_000, categories: expect.any(Array), apiUsage: null })
})

it("instructions that are not a string are rejected by name", async () => {
  const { create, refused } = makeApi()
  const { error } = await refused(400, "POST", `/v1/sessions/${await create()}/compact`, { json: { instructions: 1 } })
  expect(error.field).toBe("instructions")
})
