import { expect, test } from "vitest"
import { tagsOf } from "../../../../src/console/time/recordings/shapes.ts"

test("tags are separated by commas, each once", () => {
  expect(tagsOf(" demo, nightly,,demo ")).toEqual(["demo", "nightly"])
  expect(tagsOf("")).toEqual([])
})
