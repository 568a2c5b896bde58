// Prompts that are queued when a turn ends: they become one turn with one result, wherever the process dies.
import { describe, expect, it, onTestFinished } from "vitest"
import { busySessions, lifecycleOf, user } from "./busy-sessions.ts"
import { tenantLoad } from "../../../src/limits/tenant-load.ts"
import { DEFAULT_LIMITS } from "../../../src/schemas/limits.ts"
import { seqOfMessage } from "../../../src/session/storage/head.ts"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, loop, payloadsOf, resultOf, until } from "../../support/session/loop.ts"
import { runKilled } from "../../support/values/killed.ts"

const made = loop()
const { harnessOf, scripted } = made
const { atItsEnd } = busySessions(made)

describe("prompts over the control protocol that are queued when a turn ends", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }

  it("are one prompt to hooks and to the model, with one result", async () => {
    const { client, release, idle, events, last, script, turn, session } = await atItsEnd({ UserPromptSubmit: {} })
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(script), { uuid: one }))
    client.send(user("and be quick", { uuid: two }))
    client.send(user("please"))
    await until(() => session.inbox.open.length === 4)
    release()
    await idle()
    const whole = `${promptFor(script)}\nand be quick\nplease`
    expect(last()?.content).toMatchObject([{ type: "text", text: whole }])
    const received = payloadsOf(events(), "hook:fired").filter(
      (fired) => fired["hook_event_name"] === "UserPromptSubmit",
    )
    expect(received.map(({ input }) => (input as { prompt: string }).prompt).slice(1)).toEqual([whole])
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Both."])
    expect(problemsOf(events(), [turn, one])).toEqual([])
    expect(lifecycleOf(events(), two)).toEqual(["queued", "started", "completed"])
    const states = payloadsOf(events(), "sdk:command_lifecycle").map(({ state }) => state)
    expect(states).toEqual(["queued", "queued", "started", "started", "completed", "completed"])
    expect(session.turns.status(two)).toMatchObject({ status: "completed" })
    expect(session.state).toBe("idle")
    const replies = { user_message_uuid: two, user_message_uuids: [one, two] }
    expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject(replies)
    expect(payloadsOf(events(), "sdk:result/success").at(-1)).toMatchObject(replies)
    expect(payloadsOf(events(), "sdk:system/init").at(-1)).toMatchObject({ user_message_uuids: [one, two] })
    expect(payloadsOf(events(), "sdk:assistant")[0]).not.toHaveProperty("user_message_uuids")
  })

  it("are repeated where their turn starts, for clients that resume at one of them", async () => {
    const { client, harness, release, idle, events, script, session, log } = await atItsEnd()
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(script), { uuid: one }))
    client.send(user("and be quick", { uuid: two }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    const begun = events().findLast(({ name }) => name === "sdk:system/init")
    for (const uuid of [one, two]) expect(seqOfMessage(harness.twin.sql, log, uuid)).toBe(begun?.seq)
  })

  it("are echoed if the session asks for it, the last one as the merged prompt", async () => {
    const { client, release, idle, events, script, turn, session } = await atItsEnd({}, { replay_user_messages: true })
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(script), { uuid: one }))
    client.send(user("and be quick", { uuid: two }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    const echoed = payloadsOf(events(), "sdk:user").map((message) => [
      message["uuid"],
      message["isReplay"],
      (message["message"] as { content: unknown }).content,
    ])
    expect(echoed.slice(1)).toEqual([
      [one, true, promptFor(script)],
      [two, true, `${promptFor(script)}\nand be quick`],
    ])
    expect(echoed[0]?.[0]).toBe(turn)
    expect(payloadsOf(events(), "sdk:user").map((message) => "timestamp" in message)).toEqual([true, false, true])
    const names = events().map(({ name, uuid }) => (uuid === two && name === "sdk:user" ? "last" : name))
    expect(names.slice(names.lastIndexOf("sdk:user")).filter((name) => /^sdk:system.init|last/.test(name))).toEqual([
      "sdk:system/init",
      "last",
    ])
    expect(payloadsOf(events(), "sdk:result/success").map((result) => result["num_turns"])).toEqual([1, 1])
    expect(made.messagesSent(script)[0]?.at(-1)?.content).toHaveLength(1)
    expect(problemsOf(events(), [turn, one])).toEqual([])
  })

  it("without uuids have one echo, of the merged prompt", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd({}, { replay_user_messages: true })
    client.send(user(promptFor(script)))
    client.send(user("and be quick"))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(payloadsOf(events(), "sdk:user").slice(1)).toMatchObject([
      { isReplay: true, message: { content: `${promptFor(script)}\nand be quick` } },
    ])
  })

  it("with the priority later are one turn, after all others", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script), { priority: "later" }))
    client.send(user("and be quick", { priority: "later" }))
    client.send(user(promptFor(scripted([textAnswer("Soon.")]))))
    await until(() => session.inbox.open.length === 4)
    release()
    await idle()
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Soon.", "Both."])
    expect(made.messagesSent(script)[0]?.at(-1)?.content).toMatchObject([
      { text: `${promptFor(script)}\nand be quick` },
    ])
  })

  it("run in the same order wherever the process dies", async () => {
    for (let dieAfter = 1, died = true; died; dieAfter += 1) {
      const answers = ["First.", "Late.", "Soon."]
      const scripts = answers.map((answer) => promptFor(scripted([textAnswer(answer)])))
      const manners = [{}, { mayJoin: true, later: true }, { mayJoin: true }] as const
      const killed = await runKilled(harnessOf(), dieAfter, ({ session }) =>
        scripts.map((words, index) => prompt(session, words, {}, manners[index])),
      )
      const { begun: turns, booted: again } = killed
      died = killed.died
      const where = `death after transaction ${dieAfter}`
      expect(problemsOf(eventsOf(again.log), turns), where).toEqual([])
      const results = payloadsOf(eventsOf(again.log), "sdk:result/success").map(({ result }) => result)
      expect(results, where).toEqual(["First.", "Soon.", "Late."])
      expect(again.session.state).toBe("idle")
    }
  })

  it("are limited to a hundred per turn, although more may be queued", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    tenantLoad({}, "test").adopt({ ...DEFAULT_LIMITS, queued_prompts: 200 })
    onTestFinished(() => tenantLoad({}, "test").adopt(DEFAULT_LIMITS))
    client.send(user(promptFor(script)))
    for (let n = 2; n <= 100; n += 1) client.send(user(`line ${n}`))
    client.send(user(promptFor(scripted([textAnswer("Next.")]))))
    await until(() => session.inbox.open.length === 102)
    release()
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results).toEqual(["Done.", "Both.", "Next."])
  })

  it("are rejected when a hundred are queued", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script)))
    for (let n = 2; n <= 103; n += 1) client.send(user(`line ${n}`))
    await until(() => client.frames.filter(({ type }) => type === "result").length === 3)
    expect(session.inbox.open).toHaveLength(101)
    const refused = client.frames.filter(({ type, is_error: isError }) => type === "result" && isError === true)
    expect(refused).toHaveLength(3)
    expect(JSON.stringify(refused[0])).toContain("this session has reached its maximum number of queued prompts (100)")
    const args = { turn: crypto.randomUUID(), prompt: "x", onBusy: "queue", options: {}, fingerprint: "x" } as const
    expect(session.prompts.submit(args)).toMatchObject({ refused: { type: "rate_limit_error", retry_after: 5 } })
    release()
    await idle()
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Both."])
  })

  it("keep their blocks, each on its own line", async () => {
    const { client, release, idle, last, script, session } = await atItsEnd()
    client.send(
      user([
        { type: "text", text: "a" },
        { type: "text", text: promptFor(script) },
      ]),
    )
    client.send(user([{ type: "text", text: "this" }, image]))
    client.send(user("b"))
    await until(() => session.inbox.open.length === 4)
    release()
    await idle()
    const texts = last()?.content.map((block) => block.text ?? block.type)
    expect(texts).toEqual(["a", `${promptFor(script)}\n`, "this", "image", "b", "[Image 1]"])
  })

  it("end together when a hook blocks them", async () => {
    const { client, release, idle, events, session } = await atItsEnd({
      UserPromptSubmit: (input) => (String(input["prompt"]).includes("bad") ? { decision: "block", reason: "no" } : {}),
    })
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user("good", { uuid: one }))
    client.send(user("bad", { uuid: two }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(resultOf(events())).toMatchObject({ num_turns: 0, result: expect.stringContaining("good\nbad") })
    for (const uuid of [one, two]) expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    expect(session.state).toBe("idle")
  })

  it("are not merged with one over REST, one that requests no answer, and a command", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script)))
    client.send(user("for later", { shouldQuery: false }))
    client.send(user(promptFor(scripted([textAnswer("Two.")]))))
    await until(() => session.inbox.open.length === 4)
    prompt(session, promptFor(scripted([textAnswer("Three.")])))
    client.send(user(promptFor(scripted([textAnswer("Four.")]))))
    client.send(user(`/say ${promptFor(scripted([textAnswer("Five.")]))}`))
    await until(() => session.inbox.open.length === 7)
    release()
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results).toEqual(["Done.", "Both.", "", "Two.", "Three.", "Four.", "Five."])
  })

  it("are one turn wherever the process dies", async () => {
    for (let dieAfter = 1, died = true; died; dieAfter += 1) {
      const script = scripted([textAnswer("Both.")])
      const manner = { mayJoin: true, acknowledge: true } as const
      const killed = await runKilled(harnessOf(), dieAfter, ({ session }) => [
        prompt(session, promptFor(scripted([DONE]))),
        ...[promptFor(script), "and be quick"].map((words) => prompt(session, words, {}, manner)),
      ])
      const [first, one, two] = killed.begun
      const again = killed.booted
      died = killed.died
      const where = `death after transaction ${dieAfter}`
      const events = eventsOf(again.log)
      expect(problemsOf(events, [String(first), String(one)]), where).toEqual([])
      expect(lifecycleOf(events, String(two)), where).toEqual(["queued", "started", "completed"])
      expect(made.messagesSent(script)[0]?.at(-1)?.content, where).toMatchObject([
        { text: `${promptFor(script)}\nand be quick` },
      ])
      expect(again.session.state).toBe("idle")
    }
  })
})
