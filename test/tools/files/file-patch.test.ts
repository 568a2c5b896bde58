// The hunks of a change: they describe all of it, however many lines differ.
import { applyPatch } from "diff"
import { expect, it } from "vitest"
import { patchHunks } from "../../../src/tools/files/file-patch.ts"

const lines = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join("")
const CASES = [
  ["one line for all of them", lines(2500, "old"), "no newline"],
  ["all lines", lines(2500, "old"), lines(2000, "new")],
  ["all lines but the first and the last", `first\n${lines(2500, "old")}last`, `first\n${lines(2500, "new")}last`],
  ["nothing for all of them", lines(2500, "old"), ""],
  ["two lines", lines(2500, "old"), lines(2500, "old").replace("old 7\n", "a\n").replace("old 2000\n", "b\n")],
] as const

it.for(CASES)("a patch has every line of a change that replaces %s", ([, before, after]) => {
  const hunks = patchHunks(before, after)
  expect(hunks.length).toBeGreaterThan(0)
  const patch = { hunks: hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })) }
  const named = { oldFileName: "a", newFileName: "b", oldHeader: undefined, newHeader: undefined, ...patch }
  expect(applyPatch(before, named)).toBe(after)
})

it("an unchanged text has no patch", () => {
  expect(patchHunks("a\n", "a\n")).toEqual([])
})
