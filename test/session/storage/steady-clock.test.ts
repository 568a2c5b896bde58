// The time that a session's turns go by, while the clock of the machine is set back.
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest"
import { steadyClock } from "../../../src/session/storage/steady-clock.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

let api: ScriptedApi
let harness: SessionHarness

beforeAll(async () => {
  api = await createFakeApi()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await harness?.dispose()
})
afterAll(() => api.close())

it("never goes back, and begins with the last event of the log", () => {
  let machine = 1_000
  const log = { lastAt: 1_500 }
  const now = steadyClock({ context: { now: () => machine }, log })
  expect(now()).toBe(1_500)
  machine = 2_000
  expect(now()).toBe(2_000)
  machine = 100
  log.lastAt = 1_900
  expect(now()).toBe(2_000)
  machine = 2_001
  expect(now()).toBe(2_001)
})

it("lets no step, tool call or turn take less than no time when the clock is set back by an hour", async () => {
  harness = new SessionHarness(api.url, { permissionMode: "bypassPermissions" })
  const name = scriptName("clock")
  const bash = call("Bash", { command: "echo hello", description: "Hello" })
  api.set(name, [{ content: [text("First."), bash] }, textAnswer("Done.")])
  const real = Date.now.bind(Date)
  let back = 0
  vi.spyOn(Date, "now").mockImplementation(() => real() - back)
  const booted = harness.boot()
  // Each commit is an hour earlier than the one before.
  harness.onCommit = () => {
    back += 3_600_000
  }
  prompt(booted.session, promptFor(name))
  await booted.idle()
  const durations = eventsOf(booted.log).flatMap(({ payload }) => {
    const { duration_ms: took } = payload as { readonly duration_ms?: number } // any event's
    return took === undefined ? [] : [took]
  })
  expect(durations.length).toBeGreaterThan(2)
  expect(durations.filter((took) => took < 0)).toEqual([])
})
