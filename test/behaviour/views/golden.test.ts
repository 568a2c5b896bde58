// One recorded session in every format: what each view sends is stored in test/views/golden, and is the same however it is
// read. `UPDATE_GOLDEN=1 npx vitest run --project node test/behaviour/views/golden.test.ts` rewrites the files; review their
// diff.
import fs from "node:fs"
import path from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LIVE_FORMATS } from "../../../src/http/contract/live-formats.ts"
import type { Frame } from "../../../src/views/sdk.ts"
import { events, FOLDER, framesBehind, STATELESS } from "../../views/golden/golden-log.ts"

/** A line per frame, so that a diff shows what a reader would notice. */
const textOf = (frames: ReadonlyArray<ReadonlyArray<Frame>>): string =>
  frames
    .flat()
    .map(({ id, event, data }) => {
      const name = event === undefined ? "" : `"event":${JSON.stringify(event)},`
      return `{"id":${id},${name}"data":${data}}\n`
    })
    .join("")

const expectGolden = (format: string, text: string): void => {
  const file = path.join(FOLDER, `${format}.jsonl`)
  if (process.env["UPDATE_GOLDEN"] === "1") fs.writeFileSync(file, text)
  expect(text).toBe(fs.readFileSync(file, "utf8"))
}

describe.each(Object.keys(STATELESS))("format=%s", (format) => {
  it("equals its golden file", () => {
    expectGolden(format, textOf(STATELESS[format]?.() ?? []))
  })
})

describe.each(LIVE_FORMATS)("format=%s", (format) => {
  it("equals its golden file", async () => {
    expectGolden(format, textOf(await framesBehind(format)))
  })

  it("is the same for a reader that resumes after any event", async () => {
    const whole = await framesBehind(format)
    for (let after = 1; after < events.length; after += 1) {
      const rest = await framesBehind(format, after)
      const differs = rest.findIndex((frames, index) => JSON.stringify(frames) !== JSON.stringify(whole[after + index]))
      const seq = after + differs + 1
      expect(differs < 0 ? null : { after, seq, frames: rest[differs] }).toEqual(
        differs < 0 ? null : { after, seq, frames: whole[after + differs] },
      )
    }
  })

  it("is the same in pages of any size", async () => {
    const whole = textOf(await framesBehind(format))
    const cuts = fc.array(fc.integer({ min: 1, max: events.length - 1 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const bounds = [0, ...new Set(places.toSorted((a, b) => a - b)), events.length]
        const pages = []
        for (const [index, through] of bounds.slice(1).entries()) {
          pages.push(textOf(await framesBehind(format, bounds[index], through)))
        }
        expect(pages.join("")).toBe(whole)
      }),
      { numRuns: 25 },
    )
  })

  it("uses no id twice, and puts each id on the last frame of its event", async () => {
    const whole = await framesBehind(format)
    for (const [index, frames] of whole.entries()) {
      const ids = frames.map(({ id }) => id)
      expect(ids.slice(0, -1).every((id) => id === null)).toBe(true)
      expect([null, index + 1, undefined]).toContain(ids.at(-1))
    }
  })
})
