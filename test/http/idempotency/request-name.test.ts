// The header Idempotency-Key: what is read from it, and what is refused.
import { expect, it } from "vitest"
import { makeApi } from "../api.ts"

const create = async (...keys: ReadonlyArray<string>) => {
  const headers = new Headers()
  for (const key of keys) headers.append("idempotency-key", key)
  const sent = { json: { tenant: "acme" }, headers: Object.fromEntries(headers) }
  const response = await makeApi().call("POST", "/v1/admin/keys", sent)
  return { status: response.status, body: await response.json() }
}

it.each([[["order-4711"]], [["a,b"]], [["x".repeat(255)]]])("a key is accepted: %j", async (keys) => {
  expect((await create(...keys)).status).toBe(201)
})

it.each([[["one", "two"]], [["same", "same"]], [[""]], [["x".repeat(256)]]])(
  "an empty or long key, or a second header, is refused by name: %j",
  async (keys) => {
    expect(await create(...keys)).toMatchObject({
      status: 400,
      body: { error: { field: "Idempotency-Key", message: expect.stringMatching(/^Idempotency-Key: must have /) } },
    })
  },
)
