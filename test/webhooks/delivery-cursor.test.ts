import { expect, it } from "vitest"
import { decodeCursor, encodeCursor } from "../../src/webhooks/delivery-cursor.ts"

const last = { id: "dlv.1", created_at: "2026-11-26T18:43:15.760Z" }
const place = [Date.parse(last.created_at), last.id]

it("a cursor of a webhook is refused by every other webhook", () => {
  const cursor = encodeCursor("a", last)
  expect(decodeCursor("a", cursor)).toEqual(place)
  expect(decodeCursor("b", cursor)).toBeNull()
})

it("a cursor of an earlier version, which has no webhook, is still read, and no other text", () => {
  expect(decodeCursor("a", place.join("."))).toEqual(place)
  for (const wrong of ["", ".", "x", "x.y", ".dlv"]) expect(decodeCursor("a", wrong)).toBeNull()
})
