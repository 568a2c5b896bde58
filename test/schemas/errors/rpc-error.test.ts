// Whether a request repeats the one that created the thing with its id.
import { expect, it } from "vitest"
import { OTHER_REQUEST, refused, repetitionRefusal } from "../../../src/schemas/errors/rpc-error.ts"

const EXISTS = refused("conflict_error", "it exists")

it.each([
  ["the same request", "a.k", "a.k", null],
  ["another request with the same key", "a.k", "b.k", OTHER_REQUEST],
  ["the same request with another key", "a.k", "a.l", EXISTS],
  ["another request with another key", "a.k", "b.l", EXISTS],
  ["an id that derives from the key", "a", "a", null],
  ["another request whose id derives from the key", "a", "b", OTHER_REQUEST],
  ["a repetition of what an earlier version stored", "a", "a.k", null],
  ["another request than that of an earlier version", "a", "b.k", OTHER_REQUEST],
])("%s", (_, stored, given, refusal) => {
  expect(repetitionRefusal(stored, given, EXISTS)).toEqual(refusal)
})
