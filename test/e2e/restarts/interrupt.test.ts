// An interrupt over the socket ends a turn that would not end by itself, whatever the turn is doing. test/bench/interrupts.mjs
// measures how long it takes.
import { describe, expect, inject, it } from "vitest"
import { interruptOnce, STATES } from "../../bench/interrupts.ts"
import { ApiLog } from "../../support/session/api-log.ts"

const shared = inject("shared")
const place = { server: shared, api: new ApiLog(shared.apiUrl) }

describe("an interrupt ends the turn", () => {
  it.each(STATES)("while %s: only the end of what was running is sent before the result", async (state) => {
    const { between } = await interruptOnce(place, state)
    // No answer of the model: the turn did not continue.
    expect(between).not.toContain("assistant")
    expect(between.filter((type) => type === "result")).toEqual([])
  })
})
