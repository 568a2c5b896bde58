// Sessions with one prompt and no client, for the tests of one file: a scripted Messages API and the requests it received.
import { expect } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { loop, BYPASS, resultOf, type Turns } from "../../support/session/loop.ts"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

/** Registers the API of a test file; call it once, at the top. */
export const clientlessTurns = () => {
  const sessions = loop()

  /** A session with one prompt, whose script is `turns`. */
  const start = (
    turns: Turns,
    options: SessionOptions = BYPASS,
  ): Booted & { readonly turn: string; readonly script: string; readonly harness: SessionHarness } => {
    const script = scriptName("turn")
    sessions.api.set(script, turns)
    const harness = sessions.harnessOf(options)
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
  const requests = (script: string) => sessions.api.log.filter((entry) => entry.script === script)

  return {
    get api() {
      return sessions.api
    },
    start,
    finish,
    requests,
  }
}
