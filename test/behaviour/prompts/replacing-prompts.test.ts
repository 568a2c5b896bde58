// Prompts with the priority `now`: they end the running turn and run before all others that wait.
import { describe, expect, it } from "vitest"
import { busySessions, lifecycleOf, user } from "./busy-sessions.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, loop, namesOf, payloadsOf, resultOf, until } from "../../support/session/loop.ts"
import { runKilled } from "../../support/values/killed.ts"

const made = loop()
const { connected, harnessOf, messagesSent, scripted } = made
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

  it("runs before one that arrived earlier and has not begun, and both run before others", async () => {
    const { client, idle, events } = await inMidTool()
    client.send(user(answering("Waited.")))
    client.send(user(answering("First."), { priority: "now" }))
    client.send(user(answering("Second."), { priority: "now" }))
    await until(() => payloadsOf(events(), "sdk:result/success").length === 4)
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    // As the official SDK: the turn of `First.` had not begun, so it starts again after `Second.`
    expect(results).toEqual(["", "Second.", "First.", "Waited."])
  })

  it("waits for a command that runs, whose result is kept; calls that wait for it do not run", async () => {
    const { client, session, idle, log } = await connected({ PostToolUse: async () => ({}) }, BYPASS)
    const write = call("Write", { file_path: "/workspace/a.txt", content: "a" })
    const turn = prompt(
      session,
      promptFor(scripted([{ content: [call("Bash", { command: "sleep 0.3; echo printed" }), write] }, DONE])),
    )
    await until(() => session.background.foreground.onlyCommands(session.memory.transcript.openCalls()))
    const now = crypto.randomUUID()
    client.send(user(answering("Now."), { uuid: now, priority: "now" }))
    await idle()
    const events = eventsOf(log)
    expect(payloadsOf(events, "sdk:result/success")).toMatchObject([
      { terminal_reason: "aborted_tools", result: "", stop_reason: "tool_use", num_turns: 3 },
      { terminal_reason: "completed", result: "Now." },
    ])
    const results = payloadsOf(events, "sdk:user").filter((payload) => payload["tool_use_result"] !== undefined)
    expect(results).toMatchObject([{ tool_use_result: { stdout: "printed" } }, { tool_use_result: expect.any(String) }])
    expect(client.called.map(({ callbackId }) => callbackId)).toEqual(["PostToolUse"])
    expect(session.workspace.exists("/workspace/a.txt")).toBe(false)
    expect(problemsOf(events, [turn, now])).toEqual([])
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
      const results = eventsOf(again.log).filter(({ name }) => name.startsWith("sdk:result"))
      expect(results, where).toMatchObject([
        {
          name: "sdk:result/error_during_execution",
          payload: { terminal_reason: "aborted_streaming", stop_reason: null },
        },
        { payload: { result: "Now." } },
        { payload: { result: "Waited." } },
      ])
      expect(again.session.state).toBe("idle")
    }
  })

  describe("while hooks check the prompt of the turn", () => {
    /** A session whose hooks wait the first time for each prompt of `held`; all prompts have one script of answers. */
    const checking = async (...held: ReadonlyArray<string>) => {
      const gates = new Map(held.map((text) => [text, Promise.withResolvers<void>()]))
      const asked = new Set<string>()
      const check = async ({ prompt: text }: Readonly<Record<string, unknown>>) => {
        const gate = held.find((one) => String(text).includes(one) && !asked.has(one))
        if (gate === undefined) return {}
        asked.add(gate)
        await gates.get(gate)?.promise
        return {}
      }
      const opened = await connected({ UserPromptSubmit: check }, { ...BYPASS, replay_user_messages: true })
      const script = scripted(["One.", "Two.", "Three."].map((text) => textAnswer(text)))
      const send = (text: string, fields: object = {}) => {
        const uuid = crypto.randomUUID()
        opened.client.send(user(`${text} ${promptFor(script)}`, { uuid, ...fields }))
        return uuid
      }
      const events = () => eventsOf(opened.log)
      /** The prompts of the last request. */
      const sent = () =>
        (messagesSent(script).at(-1) ?? [])
          .filter(({ role }) => role === "user")
          .map(({ content }) => content.flatMap(({ text }) => String(text).match(/First|Slow|Other|Now/g) ?? []))
      return {
        ...opened,
        send,
        events,
        sent,
        asks: (text: string) => until(() => asked.has(text)),
        release: (text: string) => gates.get(text)?.resolve(),
        results: (count: number) => until(() => payloadsOf(events(), "sdk:result/success").length === count),
      }
    }

    it("runs first, and that turn starts again", async () => {
      const { asks, events, idle, release, results, send, sent } = await checking("Slow")
      const slow = send("Slow")
      await asks("Slow")
      const now = send("Now", { priority: "now" })
      await results(2)
      release("Slow")
      await idle()
      expect(sent()).toEqual([["Now"], ["Slow"]])
      expect(problemsOf(events(), [now, slow])).toEqual([])
      expect(payloadsOf(events(), "sdk:result/success").map(({ terminal_reason: reason }) => reason)).toEqual([
        "completed",
        "completed",
      ])
      for (const uuid of [slow, now]) expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
      expect(payloadsOf(events(), "sdk:user").map(({ uuid }) => uuid)).toEqual([now, slow])
    })

    it("leaves the prompts that joined that turn in it", async () => {
      const { asks, events, idle, release, results, send, sent } = await checking("First", "Slow")
      const first = send("First")
      await asks("First")
      const [slow, other] = [send("Slow"), send("Other")]
      release("First")
      await asks("Slow")
      const now = send("Now", { priority: "now" })
      await results(3)
      release("Slow")
      await idle()
      expect(sent()).toEqual([["First"], ["Now"], ["Slow", "Other"]])
      expect(problemsOf(events(), [first, now, slow])).toEqual([])
      for (const uuid of [slow, other, now])
        expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
      expect(payloadsOf(events(), "sdk:user").map(({ uuid }) => uuid)).toEqual([first, slow, now, other])
    })

    it("keeps that order after a restart, and the turn that it was put before does not replace it", async () => {
      const { asks, harness, send, log } = await checking("First", "Now")
      const first = send("First", { priority: "now" })
      await asks("First")
      const now = send("Now", { priority: "now" })
      await asks("Now")
      harness.crash()
      const again = harness.boot()
      await again.idle()
      const ends = payloadsOf(eventsOf(again.log), "sdk:result/success")
      expect(ends.map(({ terminal_reason: reason }) => reason)).toEqual(["completed", "completed"])
      expect(problemsOf(eventsOf(again.log), [now, first])).toEqual([])
      expect(log.lastSeq).toBeLessThan(again.log.lastSeq)
    })
  })
})
