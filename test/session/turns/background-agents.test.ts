// Runs of subagents in the background that can't begin because of a defect: each attempt leaves nothing behind.
import { expect, it, vi } from "vitest"
import { BYPASS, DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const own = loop()

const HELPER = { description: "Helps.", prompt: "You help." }

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length

it("a background run that can't begin leaves no timer behind, and continues when the cause is gone", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
  const booted = own.harnessOf({ ...BYPASS, agents: { helper: HELPER } }).boot()
  const { commands } = booted.session
  const { book } = commands
  // The turn itself has its commands before it starts an agent.
  const broken = vi.spyOn(commands, "book", "get").mockImplementation(() => {
    if (booted.session.memory.subagents.running.length > 0) throw new Error("a defect")
    return book
  })
  const inner = promptFor(own.scripted([DONE]))
  const use = { description: "help", subagent_type: "helper", prompt: inner, run_in_background: true }
  prompt(booted.session, promptFor(own.scripted([{ content: [call("Agent", use)] }, DONE, DONE])))
  await booted.idle()
  expect(booted.background.running()).toHaveLength(1)
  const before = timers()
  for (let alarms = 0; alarms < 20; alarms += 1) booted.background.resumeAgents()
  expect(timers()).toBe(before)
  broken.mockRestore()
  booted.background.resumeAgents()
  await until(() => booted.background.running().length === 0)
  await booted.idle()
})
