// Runs of subagents in the background that can't begin, or that kill their process: each attempt leaves nothing behind, and after
// some attempts the run ends, as a turn does.
import { describe, expect, it, vi } from "vitest"
import { EventNames } from "../../../src/schemas/log/events.ts"
import { BYPASS, DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const own = loop()

const HELPER = { description: "Helps.", prompt: "You help." }

/** The number of attempts that fail before a run is ended. */
const ATTEMPTS = 6

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length

/** A session whose agent is started in the background; `turns` are the answers that the agent gets. */
const withAgent = (turns: Parameters<typeof own.scripted>[0]) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
  const harness = own.harnessOf({ ...BYPASS, agents: { helper: HELPER } })
  const inner = promptFor(own.scripted(turns))
  const use = { description: "help", subagent_type: "helper", prompt: inner, run_in_background: true }
  const asked = promptFor(own.scripted([{ content: [call("Agent", use)] }, DONE, DONE]))
  return { harness, booted: harness.boot(), asked }
}

/** Makes what a run is made of fail, while a subagent runs. The turn itself has its commands before it starts an agent. */
const breakRuns = ({ session }: Booted) => {
  const { commands } = session
  const { book } = commands
  return vi.spyOn(commands, "book", "get").mockImplementation(() => {
    if (session.memory.subagents.running.length > 0) throw new Error("a defect")
    return book
  })
}

const endsOf = ({ log }: Booted) =>
  eventsOf(log).flatMap((event) => (event.name === EventNames.agentEnded ? [event.payload] : []))

const requests = (booted: Booted): ReadonlyArray<string> =>
  eventsOf(booted.log).flatMap((event) =>
    event.name === EventNames.turnQueued && typeof event.payload.prompt === "string" ? [event.payload.prompt] : [],
  )

describe("a background run that can't begin", () => {
  it("leaves no timer behind, and continues when the cause is gone", async () => {
    const { booted, asked } = withAgent([DONE])
    const broken = breakRuns(booted)
    prompt(booted.session, asked)
    await booted.idle()
    expect(booted.background.running()).toHaveLength(1)
    const before = timers()
    for (let attempts = 2; attempts < ATTEMPTS; attempts += 1) booted.background.resumeAgents()
    expect(timers()).toBe(before)
    broken.mockRestore()
    booted.background.resumeAgents()
    await until(() => booted.background.running().length === 0)
    await booted.idle()
    expect(endsOf(booted)).toMatchObject([{ status: "completed", report: "Done." }])
  })

  it("ends after some attempts as failed, and the model is notified", async () => {
    const { booted, asked } = withAgent([DONE])
    const broken = breakRuns(booted)
    const turn = prompt(booted.session, asked)
    await booted.idle()
    for (let alarms = 0; alarms < 20; alarms += 1) booted.background.recover()
    await until(() => booted.background.running().length === 0)
    await booted.idle()
    // The getter is also read when the next turn starts, after the run has ended.
    expect(broken.mock.results.filter(({ type }) => type === "throw")).toHaveLength(ATTEMPTS)
    expect(endsOf(booted)).toMatchObject([{ status: "failed", report: expect.stringContaining("each time") }])
    expect(requests(booted).at(-1)).toContain("<status>failed</status>")
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(eventsOf(booted.log).filter(({ name }) => name.startsWith("sdk:result"))).toHaveLength(2)
  })
})

describe("a background run that kills its process each time", () => {
  /** A run whose first request hangs. */
  const hanging = async () => {
    const gate = `gate-${crypto.randomUUID()}`
    const { harness, booted, asked } = withAgent([{ ...DONE, hold: { gate } }])
    const turn = prompt(booted.session, asked)
    await until(() => eventsOf(booted.log).some(({ name }) => name.startsWith("sdk:result")))
    return { harness, turn, gate }
  }

  it("ends after as many deaths", async () => {
    const { harness, turn, gate } = await hanging()
    let booted: Booted | null = null
    for (let death = 1; death <= ATTEMPTS; death += 1) {
      expect(booted?.background.running().length ?? 1).toBe(1)
      harness.crash()
      booted = harness.boot()
    }
    if (booted === null) throw new Error("nothing was booted")
    await booted.idle()
    own.api.release(gate)
    expect(booted.background.running()).toEqual([])
    expect(endsOf(booted)).toMatchObject([{ status: "failed" }])
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
  })

  it("is not ended while it makes progress, whatever else the log receives", async () => {
    const { harness, gate } = await hanging()
    let booted: Booted | null = null
    for (let death = 1; death < ATTEMPTS; death += 1) {
      harness.crash()
      booted = harness.boot()
      // An event of the session is no progress of the run.
      booted.session.append([{ name: EventNames.cwdChanged, payload: { cwd: "/workspace" } }])
    }
    const stored = booted?.session.meta.get("background_attempts") ?? {}
    expect(Object.values(stored)).toMatchObject([{ tries: ATTEMPTS - 1 }])
    own.api.release(gate)
    await until(() => booted?.background.running().length === 0)
    await booted?.idle()
  })
})

it("a background run that can't begin can be stopped", async () => {
  const { booted, asked } = withAgent([DONE])
  breakRuns(booted)
  const turn = prompt(booted.session, asked)
  await booted.idle()
  const [task] = booted.background.running()
  booted.background.stopForClient(task?.task_id ?? "")
  await booted.idle()
  expect(booted.background.running()).toEqual([])
  expect(endsOf(booted)).toMatchObject([{ status: "stopped" }])
  expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
})
