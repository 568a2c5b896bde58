// An interrupt over the socket ends the turn within a second, whatever the turn does. The long run is test/bench/interrupts.mjs.
import { describe, expect, inject, it } from "vitest"
import { interruptTimes, STATES } from "../../bench/interrupts.ts"
import { ApiLog } from "../../support/session/api-log.ts"

const shared = inject("shared")
const place = { server: shared, api: new ApiLog(shared.apiUrl) }

describe("an interrupt ends the turn within a second", () => {
  it.each(STATES)("while %s", async (state) => {
    const times = await interruptTimes(place, state, 3)
    // The fastest of three: other suites compute beside this one.
    expect(Math.min(...times)).toBeLessThan(1000)
  })
})
