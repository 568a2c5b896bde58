// Where a place of a text is in its next version.
import { expect, it } from "vitest"
import { keptPlaces } from "../../../../src/console/workspace/file/kept-place.ts"

const BEFORE = "one\ntwo\nthree\nfour\nfive\n"

const lineAt = (text: string, place: number) => text.slice(place, text.indexOf("\n", place))

it.each([
  ["lines are added above", `zero\nnull\n${BEFORE}`],
  ["lines are removed above", BEFORE.replace("one\n", "")],
  ["lines are added below", `${BEFORE}six\n`],
  ["lines above and below are changed", BEFORE.replace("two", "2").replace("five", "5")],
])("a place keeps its line when %s", (_name, after) => {
  const place = keptPlaces(BEFORE, after)(BEFORE.indexOf("four"))
  expect(lineAt(after, place)).toBe("four")
})

it("a place in a text that has become shorter is in its last line", () => {
  expect(keptPlaces(BEFORE, "other\n")(BEFORE.indexOf("four"))).toBe(6)
  expect(keptPlaces(BEFORE, "")(BEFORE.indexOf("four"))).toBe(0)
  expect(keptPlaces("", BEFORE)(0)).toBe(0)
})
