// Turns that can't begin because of a defect: they are tried again and can be stopped, and end with a result at last.
import { describe, expect, it, vi } from "vitest"
import { BYPASS, DONE, loop, resultOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const own = loop()

const silent = () => vi.spyOn(console, "error").mockImplementation(() => undefined)

/** The number of attempts that fail before the turn is ended. */
const ATTEMPTS = 7

/** Makes what a turn is made of fail, for a number of attempts. */
const breakBegin = ({ session }: Booted, times: number) => {
  const begin = vi.spyOn(session.project, "beginTurn")
  for (let n = 0; n < times; n += 1)
    begin.mockImplementationOnce(() => {
      throw new Error("a defect")
    })
  return begin
}

describe("a turn that can't begin", () => {
  it("is stopped by an interrupt that waited for it to begin", async () => {
    silent()
    const booted = own.harnessOf().boot()
    breakBegin(booted, 1)
    const turn = prompt(booted.session, promptFor(own.scripted([DONE])))
    expect(await booted.stopTurn()).toBe(true)
    expect(
      eventsOf(booted.log).filter((event) => event.turn === turn && event.name.startsWith("sdk:result")),
    ).toHaveLength(1)
    expect(resultOf(eventsOf(booted.log))).toMatchObject({ terminal_reason: "aborted_streaming" })
  })

  it("continues at the next alarm when the cause is gone", async () => {
    silent()
    const booted = own.harnessOf().boot()
    const begin = breakBegin(booted, 1)
    const turn = prompt(booted.session, promptFor(own.scripted([DONE])))
    await booted.idle()
    expect(begin).toHaveBeenCalledTimes(1)
    booted.runner.onAlarm()
    await booted.session.turnWaits.wait(turn, 10_000)
    expect(resultOf(eventsOf(booted.log))).toMatchObject({ subtype: "success", result: "Done." })
  })

  it("ends with an error after some attempts, and the next prompt runs", async () => {
    silent()
    const booted = own.harnessOf().boot()
    const begin = breakBegin(booted, ATTEMPTS)
    const script = own.scripted([DONE])
    const [turn, next] = [prompt(booted.session, promptFor(script)), prompt(booted.session, promptFor(script))]
    await booted.idle()
    for (let alarms = 1; alarms < ATTEMPTS; alarms += 1) {
      expect(begin).toHaveBeenCalledTimes(alarms)
      booted.runner.onAlarm()
      await booted.idle()
    }
    await booted.session.turnWaits.wait(next, 10_000)
    const results = eventsOf(booted.log).filter(({ name }) => name.startsWith("sdk:result"))
    expect(results.map((result) => result.turn)).toEqual([turn, next])
    expect(problemsOf(eventsOf(booted.log), [turn, next])).toEqual([])
    expect(results.map(({ payload }) => payload)).toMatchObject([
      { subtype: "error_during_execution", terminal_reason: "turn_setup_failed", is_error: true },
      { subtype: "success", result: "Done." },
    ])
  })

  it("that was ended has an init, and ends the subagents that ran in it", async () => {
    silent()
    const inner = own.scripted([{ ...DONE, hold: { gate: "subagent" } }])
    const use = { description: "help", subagent_type: "helper", prompt: promptFor(inner) }
    const harness = own.harnessOf({ ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You help." } } })
    let booted = harness.boot()
    const turn = prompt(booted.session, promptFor(own.scripted([{ content: [call("Agent", use)] }])))
    await until(() => booted.session.memory.subagents.running.length === 1)
    harness.crash()
    booted = harness.boot()
    breakBegin(booted, ATTEMPTS)
    for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
      booted.runner.onAlarm()
      await booted.idle()
    }
    own.api.release("subagent")
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(eventsOf(booted.log).filter(({ name }) => name === "agent:ended")).toHaveLength(1)
    expect(booted.session.memory.subagents.running).toEqual([])
  })

  it("continues with the answer that it waits for after a stop that failed", async () => {
    silent()
    const harness = own.harnessOf({ ...BYPASS, permissionMode: "default" })
    const booted = harness.boot()
    const turn = prompt(
      booted.session,
      promptFor(own.scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "1" })] }, DONE])),
    )
    await booted.idle()
    expect(booted.session.asks.parkedEntry()?.turn).toBe(turn)
    breakBegin(booted, 1)
    await expect(booted.stopTurn()).rejects.toThrow("a defect")
    const [ask] = booted.session.askStore.open
    booted.session.asks.settle(ask === undefined ? [] : [ask], { by: "client", answer: { behavior: "allow" } })
    await booted.session.turnWaits.wait(turn, 10_000)
    expect(resultOf(eventsOf(booted.log))).toMatchObject({ subtype: "success", result: "Done." })
    expect(booted.workspace.readText("/workspace/a")).toBe("1")
  })
})

describe("a stop that comes between the wait of a turn and its begin", () => {
  it("stops the turn", async () => {
    const booted = own.harnessOf().boot()
    const { session } = booted
    const { lane } = session.runningTurn
    const [enter, runnable] = [lane.enter.bind(lane), session.runnable.bind(session)]
    let entered = false
    const stopped = Promise.withResolvers<boolean>()
    lane.enter = async (...args) => {
      const place = (await enter(...args)) ?? "entered"
      entered = true
      return place
    }
    session.runnable = () => {
      // The last look at the inbox before the turn begins: what is queued here runs after the wait, and before the begin.
      if (entered) queueMicrotask(() => stopped.resolve(booted.stopTurn()))
      entered = false
      return runnable()
    }
    prompt(session, promptFor(own.scripted([DONE])))
    expect(await stopped.promise).toBe(true)
    await booted.idle()
    expect(resultOf(eventsOf(booted.log))).toMatchObject({ terminal_reason: "aborted_streaming" })
  })
})
