// Prompts with the priority `now`: they end the running turn and run before all others that wait.
import { describe, expect, it } from "vitest"
import { busySessions, lifecycleOf, user } from "./busy-sessions.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { loop, namesOf, payloadsOf, resultOf, until } from "../../support/session/loop.ts"
import { runKilled } from "../../support/values/killed.ts"

const made = loop()
const { connected, harnessOf, scripted } = made
const { inMidTool } = busySessions(made)

const answering = (answer: string) => promptFor(scripted([textAnswer(answer)]))

describe("a prompt with the priority now", () => {
  it("ends the running turn as a success without a mark, and runs before prompts that were queued earlier", async () => {
    const { client, idle, events, session, turn } = await inMidTool()
    const [waiting, now] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(answering("Waited."), { uuid: waiting }))
    client.send(user(answering("Now."), { uuid: now, priority: "now" }))
    await idle()
    expect(problemsOf(events(), [turn, now, waiting])).toEqual([])
    const results = payloadsOf(events(), "sdk:result/success")
    expect(results).toMatchObject([
      { terminal_reason: "aborted_tools", result: "", is_error: false, stop_reason: "tool_use" },
      { terminal_reason: "completed", result: "Now." },
      { terminal_reason: "completed", result: "Waited." },
    ])
    expect(JSON.stringify(payloadsOf(events(), "sdk:user"))).not.toContain("[Request interrupted")
    for (const uuid of [waiting, now]) {
      expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    }
    expect(session.turns.status(turn)).toMatchObject({ status: "interrupted" })
    expect(session.state).toBe("idle")
  })

  it("ends the turn of one that arrived before it, and both run before others", async () => {
    const { client, idle, events } = await inMidTool()
    client.send(user(answering("Waited.")))
    client.send(user(answering("First."), { priority: "now" }))
    client.send(user(answering("Second."), { priority: "now" }))
    await until(() => payloadsOf(events(), "sdk:result/success").length === 4)
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results.at(-1)).toBe("Waited.")
    expect(results[2]).toBe("Second.")
  })

  it("withdraws the open ask of the turn, whose call does not run", async () => {
    const { client, session, idle, log } = await connected({}, {})
    const turn = prompt(
      session,
      promptFor(scripted([{ content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] }])),
    )
    await until(() => session.askStore.open.length === 1)
    const now = crypto.randomUUID()
    client.send(user(answering("Now."), { uuid: now, priority: "now" }))
    await idle()
    const events = eventsOf(log)
    expect(payloadsOf(events, "sdk:result/success").map(({ result }) => result)).toEqual(["", "Now."])
    expect(client.frames.map(({ type }) => type)).toContain("control_cancel_request")
    expect(session.workspace.exists("/workspace/a.txt")).toBe(false)
    expect(problemsOf(events, [turn, now])).toEqual([])
  })

  it("ends a turn that is parked, before or after a restart", async () => {
    for (const restarts of [false, true]) {
      const harness = harnessOf({})
      const first = harness.boot()
      const outside = call("Read", { file_path: "/elsewhere/a" })
      const turn = prompt(first.session, promptFor(scripted([{ content: [outside] }])))
      await first.idle()
      expect(first.session.asks.parkedEntry()?.turn).toBe(turn)
      if (restarts) harness.crash()
      const { session, idle, log } = restarts ? harness.boot() : first
      const now = prompt(session, answering("Now."), {}, { mayJoin: true, now: true })
      await idle()
      expect(payloadsOf(eventsOf(log), "sdk:result/success").map(({ result }) => result)).toEqual(["", "Now."])
      expect(problemsOf(eventsOf(log), [turn, now])).toEqual([])
      expect(session.askStore.open).toEqual([])
      expect(session.state).toBe("idle")
    }
  })

  it("runs at once in an idle session", async () => {
    const { client, idle, log } = await connected({})
    client.send(user(answering("Now."), { priority: "now" }))
    await until(() => namesOf(eventsOf(log)).includes("sdk:result/success"))
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({ result: "Now.", terminal_reason: "completed" })
  })

  it("runs in the same order wherever the process dies", async () => {
    for (let dieAfter = 1, died = true; died; dieAfter += 1) {
      const manners = [{}, { mayJoin: true }, { mayJoin: true, now: true }] as const
      const killed = await runKilled(harnessOf(), dieAfter, ({ session }) =>
        ["First.", "Waited.", "Now."].map((answer, index) => prompt(session, answering(answer), {}, manners[index])),
      )
      const { begun: turns, booted: again } = killed
      died = killed.died
      const where = `death after transaction ${dieAfter}`
      expect(problemsOf(eventsOf(again.log), turns), where).toEqual([])
      const results = payloadsOf(eventsOf(again.log), "sdk:result/success").map(({ result }) => result)
      expect(results, where).toEqual(["", "Now.", "Waited."])
      expect(again.session.state).toBe("idle")
    }
  })
})
