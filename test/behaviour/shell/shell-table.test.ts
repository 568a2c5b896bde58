import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { DIFFERENCES } from "./shell-table/differences.ts"
import { expectedOf, type Recorded, runLine } from "./shell-table/run-line.ts"
import { readTable } from "./shell-table/tree.mjs"

// What record.mjs wrote.
const recording = JSON.parse(
  readFileSync(join(import.meta.dirname, "shell-table/recording.json"), "utf8"),
) as ReadonlyArray<{ readonly family: string; readonly lines: ReadonlyArray<Recorded> }>

const MIN_FAMILIES = 15
const MIN_LINES = 8
const MIN_EQUAL = 0.95

describe("the shell table", () => {
  it("has every line recorded as it is in its file", () => {
    const written = readTable().map(({ family, lines }) => ({ family, lines }))
    const recorded = recording.map(({ family, lines }) => ({
      family,
      lines: lines.map(({ title, script }) => ({ title, script })),
    }))
    expect(recorded).toEqual(written)
    expect(recorded.length).toBeGreaterThanOrEqual(MIN_FAMILIES)
    for (const { lines } of recorded) expect(lines.length).toBeGreaterThanOrEqual(MIN_LINES)
  })

  it("lists only lines that it has, and few", () => {
    const titles = recording.flatMap(({ family, lines }) => lines.map(({ title }) => `${family}: ${title}`))
    expect(new Set(titles).size).toBe(titles.length)
    expect(Object.keys(DIFFERENCES).filter((title) => !titles.includes(title))).toEqual([])
    expect(1 - Object.keys(DIFFERENCES).length / titles.length).toBeGreaterThanOrEqual(MIN_EQUAL)
  })

  it.each(recording)("gives what Debian's bash gives, listed differences apart: $family", async ({ family, lines }) => {
    for (const line of lines) {
      const given = await runLine(line)
      const recorded = expectedOf(line)
      if (!Object.hasOwn(DIFFERENCES, `${family}: ${line.title}`))
        expect({ line: line.script, ...given }).toEqual({ line: line.script, ...recorded })
      else
        expect({ listed: line.title, differs: !isDeepStrictEqual(given, recorded) }).toEqual({
          listed: line.title,
          differs: true,
        })
    }
  })
})
