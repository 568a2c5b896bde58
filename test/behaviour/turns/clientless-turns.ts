// Sessions with one prompt and no client, for the tests of one file: a scripted Messages API and the requests it received.
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, resultOf, type Turns } from "../../support/session/loop.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

/** Registers the API of a test file; call it once, at the top. */
export const clientlessTurns = () => {
  let api: ScriptedApi
  const open: Array<SessionHarness> = []

  beforeAll(async () => {
    api = await createFakeApi()
  })
  afterEach(async () => {
    for (const harness of open.splice(0)) await harness.dispose()
  })
  afterAll(() => api.close())

  /** A session with one prompt, whose script is `turns`. */
  const start = (
    turns: Turns,
    options: SessionOptions = BYPASS,
  ): Booted & { readonly turn: string; readonly script: string; readonly harness: SessionHarness } => {
    const script = scriptName("turn")
    api.set(script, turns)
    const harness = new SessionHarness(api.url, options)
    open.push(harness)
    const booted = harness.boot()
    return { ...booted, turn: prompt(booted.session, promptFor(script)), script, harness }
  }

  /** Like `start`, but resolves once the turn has ended, and checks that its log is well formed. */
  const finish = async (turns: Turns, options?: SessionOptions) => {
    const started = start(turns, options)
    await started.idle()
    const events = eventsOf(started.log)
    expect(problemsOf(events, [started.turn])).toEqual([])
    return { ...started, events, result: resultOf(events) }
  }

  /** The model requests of a script. */
  const requests = (script: string) => api.log.filter((entry) => entry.script === script)

  return {
    get api() {
      return api
    },
    start,
    finish,
    requests,
  }
}
