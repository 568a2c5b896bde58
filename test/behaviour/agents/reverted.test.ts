// Subagents in the background of a conversation that is moved back to an earlier message.
import { expect, it } from "vitest"
import { revertSession } from "../../../src/session/revert/reverts.ts"
import { loop, namesOf, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, messagesSent, scripted } = loop()

const OPTIONS = { agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }

const touch = (path: string) => ({ content: [call("Bash", { command: `touch ${path}`, description: "d" })] })

/** A session whose first turn has started an agent, which waits for the answer to its first ask. */
const waiting = async (sub: string): Promise<Booted> => {
  const booted = harnessOf(OPTIONS).boot()
  await finish(booted, [launch(sub), textAnswer("Launched.")])
  await until(() => booted.session.askStore.open.length === 1)
  return booted
}

const launch = (sub: string) => ({
  content: [
    call("Agent", {
      description: "help me",
      subagent_type: "helper",
      prompt: promptFor(sub),
      run_in_background: true,
    }),
  ],
})

const results = ({ log }: Booted) => namesOf(eventsOf(log)).filter((name) => name === "sdk:result/success").length

const finish = async (booted: Booted, turns: Parameters<typeof scripted>[0]): Promise<string> => {
  const before = results(booted)
  const turn = prompt(booted.session, promptFor(scripted(turns)))
  await until(() => results(booted) === before + 1)
  return turn
}

const allow = ({ session }: Booted) =>
  expect(session.asks.answer(String(session.askStore.open[0]?.requestId), { behavior: "allow" })).toBeUndefined()

it("is not continued from a message before the start of an agent that still runs", async () => {
  const sub = scripted([touch("a"), textAnswer("The report.")])
  const booted = harnessOf(OPTIONS).boot()
  await finish(booted, [textAnswer("One.")])
  const at = eventsOf(booted.log).find(({ name }) => name === "sdk:assistant")?.uuid ?? ""
  await finish(booted, [launch(sub), textAnswer("Launched.")])
  await until(() => booted.session.askStore.open.length === 1)
  const refused = booted.session.resumption.resume({ options: OPTIONS, at })
  expect(refused?.refused).toMatchObject({ type: "conflict_error", message: expect.stringContaining("still running") })
  allow(booted)
  await until(() => booted.background.running().length === 0 && booted.session.inbox.head() === undefined)
  expect(payloadsOf(eventsOf(booted.log), "agent:ended")).toMatchObject([{ report: "The report." }])
  expect(booted.session.resumption.resume({ options: OPTIONS, at })).toBeUndefined()
})

it("an agent that an earlier turn has started keeps its conversation", async () => {
  const sub = scripted([touch("a"), touch("b"), textAnswer("The report.")])
  const booted = await waiting(sub)
  const turn = await finish(booted, [textAnswer("Two.")])
  allow(booted)
  await until(() => messagesSent(sub).length === 2 && booted.session.askStore.open.length === 1)
  expect(revertSession(booted.session, { messageID: turn })).toBeUndefined()
  allow(booted)
  await until(() => payloadsOf(eventsOf(booted.log), "agent:ended").length === 1)
  expect(payloadsOf(eventsOf(booted.log), "agent:ended")).toMatchObject([{ report: "The report." }])
  expect(messagesSent(sub).at(-1)).toHaveLength(5)
})

it("an agent whose end belongs to a turn that is cut off has ended all the same", async () => {
  const sub = scripted([touch("a"), textAnswer("The report.")])
  const booted = await waiting(sub)
  const turn = await finish(booted, [textAnswer("Two.")])
  allow(booted)
  await until(() => booted.background.running().length === 0 && booted.session.inbox.head() === undefined)
  expect(revertSession(booted.session, { messageID: turn })).toBeUndefined()
  expect(booted.session.memory.subagents.running).toEqual([])
  const more = scripted([textAnswer("More.")])
  const id = String(payloadsOf(eventsOf(booted.log), "agent:started")[0]?.["agent_id"])
  const again = call("Agent", { description: "more", prompt: promptFor(more), resume: id, run_in_background: false })
  await finish(booted, [{ content: [again] }, textAnswer("Done.")])
  expect(payloadsOf(eventsOf(booted.log), "agent:ended").map(({ report }) => report)).toEqual(["The report.", "More."])
})
