// Ids of requests, wherever the client runs.
import { expect, it } from "vitest"
import { newUuid } from "../../../src/client/api/new-uuid.ts"

it("is another UUID of version 4 each time", () => {
  const all = Array.from({ length: 1000 }, newUuid)
  expect(new Set(all).size).toBe(1000)
  const isV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(all.filter((uuid) => !isV4.test(uuid))).toEqual([])
})
