// Turns that outlast an invocation of their object, interrupted invocations, and replaced runners: another runner continues the
// turn, and nothing is done twice.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { RunningTurn } from "../../../src/session/turns/running-turn.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

let api: ScriptedApi
let harness: SessionHarness

beforeAll(async () => {
  api = await createFakeApi()
})

afterEach(async () => {
  vi.restoreAllMocks()
  await harness.dispose()
})

afterAll(() => api.close())

const BYPASS = { permissionMode: "bypassPermissions" } as const

const append = (line: string) => ({ content: [call("Bash", { command: `echo ${line} >> f`, description: "d" })] })

const resultsOf = ({ log }: Booted) =>
  eventsOf(log)
    .filter(({ name }) => name.startsWith("sdk:result"))
    .map(({ payload }) => payload)

/** The requests that the scripted API received for a script. */
const requestsFor = (name: string): number => api.log.filter(({ script }) => script === name).length

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const waitingAt = (gate: string) => until(() => api.open().waiting[gate] !== undefined)

/** Advances the clock without firing timers, as in an invocation that was interrupted. */
const noTimerFiresFor = (ms: number): void => {
  const now = Date.now
  vi.spyOn(Date, "now").mockImplementation(() => now() + ms)
}

describe("a turn that outlasts its invocation", () => {
  it("continues in the next one at each step, with every request made and every call run once", async () => {
    harness = new SessionHarness(api.url, BYPASS, { PERCH_INVOCATION_SECONDS: "0" })
    const name = scriptName("long")
    api.set(name, [append("1"), append("2"), append("3"), textAnswer("Done.")])
    const booted = harness.boot()
    let handOvers = 0
    harness.onAlarm = (at) => {
      if (at > Date.now()) return
      handOvers += 1
      setTimeout(() => booted.runner.onAlarm())
    }
    const turn = prompt(booted.session, promptFor(name))
    await booted.session.turnWaits.wait(turn, 10_000)
    expect(handOvers).toBe(3)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "success", result: "Done.", num_turns: 4 }])
    expect(booted.workspace.readText("/workspace/f")).toBe("1\n2\n3\n")
    expect(requestsFor(name)).toBe(4)
  })

  it("leaves the queued prompts to the next invocation too", async () => {
    harness = new SessionHarness(api.url, BYPASS, { PERCH_INVOCATION_SECONDS: "0" })
    const name = scriptName("queued")
    api.set(name, [textAnswer("One."), textAnswer("Two.")])
    const booted = harness.boot()
    const handOvers: Array<number> = []
    harness.onAlarm = (at) => {
      if (at > Date.now()) return
      handOvers.push(at)
      setTimeout(() => booted.runner.onAlarm())
    }
    const turns = [prompt(booted.session, promptFor(name)), prompt(booted.session, promptFor(name))]
    await booted.session.turnWaits.wait(turns[1]!, 10_000)
    expect(handOvers).toHaveLength(1)
    expect(problemsOf(eventsOf(booted.log), turns)).toEqual([])
  })

  it("can be stopped by a client at any moment, also while no runner executes it", async () => {
    for (let ticks = 0; ticks < 25; ticks += 1) {
      const gone = new SessionHarness(api.url, BYPASS, { PERCH_INVOCATION_SECONDS: "0" })
      harness = gone
      const name = scriptName("stopped")
      api.set(name, [append("1"), append("2"), textAnswer("Done.")])
      const booted = gone.boot()
      // With an even number nothing wakes the object: the turn stays where its first invocation left it.
      gone.onAlarm = (at) => void (ticks % 2 === 1 && at <= Date.now() && setImmediate(() => booted.runner.onAlarm()))
      const turn = prompt(booted.session, promptFor(name))
      await until(() => requestsFor(name) > 0)
      for (let tick = 0; tick < ticks; tick += 1) await new Promise((resolve) => setImmediate(resolve))
      await booted.stopTurn()
      await booted.idle()
      expect(problemsOf(eventsOf(booted.log), [turn]), `after ${ticks} ticks`).toEqual([])
      await gone.dispose()
    }
  })

  it("is recorded in no row of the storage", async () => {
    harness = new SessionHarness(api.url, BYPASS, { PERCH_INVOCATION_SECONDS: "0" })
    const name = scriptName("rows")
    api.set(name, [append("1"), textAnswer("Done.")])
    const booted = harness.boot()
    harness.onAlarm = (at) => void (at <= Date.now() && setTimeout(() => booted.runner.onAlarm()))
    await booted.session.turnWaits.wait(prompt(booted.session, promptFor(name)), 10_000)
    expect(harness.twin.sql.exec("SELECT key FROM meta WHERE key = 'generation'").toArray()).toEqual([])
  })
})

describe("an invocation that is interrupted", () => {
  it("is detected at an alarm: another runner continues, and what the first one still receives is not written", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("cut")
    const late = { content: [text("From the first runner.")], hold: { gate: name } }
    api.set(name, [append("1"), [late, textAnswer("From the second runner.")]])
    const booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    await waitingAt(name)
    // A runner whose timers fire is left alone, however long it waits.
    booted.runner.onAlarm()
    expect(requestsFor(name)).toBe(2)
    noTimerFiresFor(60_000)
    booted.runner.onAlarm()
    await booted.session.turnWaits.wait(turn, 10_000)
    api.release(name)
    await booted.idle()
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "success", result: "From the second runner." }])
    expect(booted.workspace.readText("/workspace/f")).toBe("1\n")
    const row = harness.twin.sql.exec<{ json: string }>("SELECT json FROM meta WHERE key = 'generation'").one()
    expect(JSON.parse(row.json)).toMatchObject({ number: 1, turn, tries: 1 })
  })

  it("does not interrupt a runner whose timers are only late", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("late")
    api.set(name, [{ content: [text("The only answer.")], hold: { gate: name } }])
    const booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    await waitingAt(name)
    noTimerFiresFor(60_000)
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    booted.runner.onAlarm()
    // The clock was wrong, or the timers catch up, before the grace period has passed.
    vi.restoreAllMocks()
    expect(vi.getTimerCount()).toBe(1)
    await vi.runOnlyPendingTimersAsync()
    vi.useRealTimers()
    api.release(name)
    await booted.session.turnWaits.wait(turn, 10_000)
    expect(requestsFor(name)).toBe(1)
    expect(resultsOf(booted)).toMatchObject([{ subtype: "success", result: "The only answer." }])
  })

  it.each([
    ["late", 1],
    ["silent", 2],
  ] as const)("of a background agent whose timers are %s makes %i requests of it", async (timers, requests) => {
    harness = new SessionHarness(api.url, {
      ...BYPASS,
      agents: { helper: { description: "Helps.", prompt: "You help." } },
    })
    const [name, inner] = [scriptName("parent"), scriptName("helper")]
    api.set(inner, [[{ ...textAnswer("First."), hold: { gate: inner } }, textAnswer("Second.")]])
    const use = { description: "d", subagent_type: "helper", prompt: promptFor(inner), run_in_background: true }
    api.set(name, [{ content: [call("Agent", use)] }, textAnswer("Launched."), textAnswer("Noted.")])
    const booted = harness.boot()
    prompt(booted.session, promptFor(name))
    await waitingAt(inner)
    await until(() => resultsOf(booted).length === 1)
    noTimerFiresFor(60_000)
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    booted.background.recover()
    if (timers === "late") vi.restoreAllMocks()
    // The grace period: timers that have fired by its end were only late.
    await vi.advanceTimersToNextTimerAsync()
    vi.useRealTimers()
    api.release(inner)
    await until(() => resultsOf(booted).length === 2)
    expect(requestsFor(inner)).toBe(requests)
    expect(eventsOf(booted.log).filter(({ name: event }) => event === "agent:ended")).toHaveLength(1)
  })

  it("does not prevent a client from interrupting the turn", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("stopped")
    api.set(name, [{ content: [text("Never.")], hold: { gate: name } }])
    const booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    await waitingAt(name)
    noTimerFiresFor(60_000)
    booted.runner.onAlarm()
    expect(await booted.stopTurn()).toBe(true)
    await booted.idle()
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "error_during_execution" }])
    api.release(name)
  })
})

describe("a turn that kills the process each time", () => {
  it("abandons its open call after six times, and continues", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("poison")
    api.set(name, [append("1"), textAnswer("Done.")])
    let booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    // Right after the commit of PreToolUse's event, before the command runs.
    harness.onCommit = () => {
      const last = booted.log.lastNamed("hook:fired")?.event.payload as { hook_event_name?: string } | undefined
      if (last?.hook_event_name === "PreToolUse") harness.dieAfter = harness.transactions
    }
    await booted.idle()
    harness.onCommit = () => undefined
    for (let death = 0; death < 6; death += 1) {
      harness.crash()
      // Once the take-over is stored, the process dies.
      harness.dieAfter = 1
      booted = harness.boot()
      await booted.idle()
    }
    harness.crash()
    booted = harness.boot()
    await booted.idle()
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "success", result: "Done." }])
    expect(booted.workspace.exists("/workspace/f")).toBe(false)
    expect(JSON.stringify(eventsOf(booted.log))).toContain("The server stopped every time this call ran")
  })

  it("ends after six attempts when none got as far as its first event", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("stillborn")
    api.set(name, [textAnswer("Never.")])
    let booted = harness.boot()
    let attempts = 0
    const dieAtStart = () => {
      vi.spyOn(booted.session.project, "beginTurn").mockImplementation(() => {
        attempts += 1
        harness.dieAfter = harness.transactions
      })
    }
    dieAtStart()
    const turn = prompt(booted.session, promptFor(name))
    await booted.idle()
    for (let death = 1; death <= 8; death += 1) {
      harness.crash()
      booted = harness.boot()
      dieAtStart()
      await booted.idle()
    }
    expect(attempts).toBe(6)
    expect(requestsFor(name)).toBe(0)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "error_during_execution" }])
  })

  it.each([
    { moment: "before its first event", prepared: 6 },
    { moment: "after a call", prepared: 10 },
  ])("ends when its process dies each time while the turn is prepared, $moment", async ({ moment, prepared }) => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("unprepared")
    const begins = moment === "after a call"
    api.set(name, begins ? [append("1"), { content: [text("Never.")], hold: { gate: name } }] : [textAnswer("Never.")])
    let booted = harness.boot()
    let attempts = 0
    const isOver = () => harness.transactions < harness.dieAfter && resultsOf(booted).length > 0
    const dieWhilePreparing = () => {
      vi.spyOn(RunningTurn.prototype, "prepare").mockImplementation(async () => {
        await Promise.resolve()
        attempts += 1
        harness.dieAfter = harness.transactions
        await new Promise(() => undefined)
      })
    }
    if (!begins) dieWhilePreparing()
    const turn = prompt(booted.session, promptFor(name))
    await until(() => (begins ? requestsFor(name) === 2 : attempts === 1))
    if (begins) dieWhilePreparing()
    for (let death = 1; death <= 15 && !isOver(); death += 1) {
      const before = attempts
      harness.crash()
      booted = harness.boot()
      await until(() => isOver() || attempts > before)
    }
    api.release(name)
    expect(attempts).toBe(prepared)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "error_during_execution" }])
  })

  it.each([
    ["thinking, which is asked for again", { type: "thinking", thinking: "hm", signature: "s" }, false],
    ["a text, which is continued", text("A part."), true],
  ])("ends after six attempts when each got as far as %s", async (_, first, isContinued) => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("answering")
    const pausing = (attempt: number) => ({
      content: [first, text("word ".repeat(20))],
      chunk: 8,
      pause: { after: 8, gate: `${name}-${attempt}` },
    })
    const answers = Array.from({ length: 10 }, (_, attempt) => pausing(attempt))
    api.set(name, isContinued ? answers : [answers])
    let booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    const isOver = () => resultsOf(booted).length > 0
    for (let death = 0; death < 10 && !isOver(); death += 1) {
      const gate = `${name}-${death}`
      await until(() => api.open().waiting[gate] !== undefined)
      await until(() => eventsOf(booted.log).filter(({ name: event }) => event === "sdk:assistant").length > death)
      harness.crash()
      api.release(gate)
      booted = harness.boot()
      await until(() => isOver() || api.open().waiting[`${name}-${death + 1}`] !== undefined)
    }
    expect(requestsFor(name)).toBe(6)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([{ subtype: "error_during_execution" }])
  })

  it("ends without another attempt when no call is open", async () => {
    harness = new SessionHarness(api.url, BYPASS)
    const name = scriptName("hopeless")
    api.set(name, [{ content: [text("Never.")], hold: { gate: name } }])
    let booted = harness.boot()
    const turn = prompt(booted.session, promptFor(name))
    await waitingAt(name)
    for (let death = 1; death <= 6; death += 1) {
      harness.crash()
      booted = harness.boot()
      if (death < 6) await until(() => requestsFor(name) === death + 1)
    }
    await booted.idle()
    expect(requestsFor(name)).toBe(6)
    api.release(name)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(resultsOf(booted)).toMatchObject([
      { subtype: "error_during_execution", errors: [expect.stringContaining("stopped repeatedly")] },
    ])
  })
})
