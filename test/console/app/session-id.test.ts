// Ids of sessions in URLs and form fields.
import { expect, test } from "vitest"
import { sessionIdOf, shortId } from "../../../src/console/app/session-id.ts"

const ID = "01a2006d-24c2-7fca-854d-a012e7f6351c"

test("an id is read in either case, and with spaces around it", () => {
  expect(sessionIdOf(ID)).toBe(ID)
  expect(sessionIdOf(` ${ID.toUpperCase()}\n`)).toBe(ID)
})

test("an invalid id is none", () => {
  for (const text of ["", "new", ID.slice(1), `${ID}0`, "-".repeat(36), ID.replace("a", "g")])
    expect(sessionIdOf(text)).toBeNull()
})

test("ids that were created in the same minute differ when they are shortened", () => {
  expect(shortId(ID)).not.toBe(shortId("01a2006d-24c3-7abc-9d4d-b112e7f64420"))
})
