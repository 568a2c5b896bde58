// Prompts of a busy session: which of them wait, and which are withdrawn, refused or never run.
import { describe, expect, it } from "vitest"
import { busySessions, lifecycleOf, user } from "../../behaviour/prompts/busy-sessions.ts"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { DONE, loop, namesOf, payloadsOf, resultOf, textOf, until } from "../../support/session/loop.ts"

const made = loop()
const { connected, harnessOf, scripted } = made
const { atItsEnd, inMidTool } = busySessions(made)

describe("queued_turn_count of a result", () => {
  const counts = (events: Parameters<typeof namesOf>[0]) =>
    events
      .filter(({ name }) => name.startsWith("sdk:result"))
      .map(({ payload }) => (payload as { queued_turn_count?: number }).queued_turn_count)

  it("is the number of client prompts that wait when the turn ends, however many turns they become", async () => {
    const { session, release, idle, events } = await inMidTool()
    prompt(session, promptFor(scripted([DONE])))
    prompt(session, promptFor(scripted([DONE])))
    release()
    await idle()
    expect(counts(events())).toEqual([2, 1, 0])
  })

  it("excludes withdrawn prompts and those of Perch itself", async () => {
    const { session, release, idle, events } = await inMidTool()
    const taken = prompt(session, promptFor(scripted([DONE])))
    prompt(session, promptFor(scripted([DONE])))
    session.prompts.cancelQueued(taken)
    const { events: queued, queue } = session.prompts.notice("A command ended.", {
      kind: "task-notification",
      producer: "session-task",
      runId: "task-1",
    })
    session.append(queued, queue)
    release()
    await idle()
    expect(counts(events())).toEqual([1, 0, 0])
  })

  it("is also set when the turn was interrupted", async () => {
    const { session, release, idle, events, client } = await inMidTool()
    prompt(session, promptFor(scripted([DONE])))
    await client.request("interrupt")
    release()
    await idle()
    expect(counts(events())).toEqual([1, 0])
  })
})

describe("a prompt that an earlier version logged", () => {
  it("is acknowledged to its sender as before", async () => {
    const { session, idle, log } = harnessOf().boot()
    // The field's name in those logs.
    const manner = JSON.parse('{"told":true}') as { readonly acknowledge?: true }
    const turn = prompt(session, promptFor(scripted([DONE])), {}, manner)
    await idle()
    expect(lifecycleOf(eventsOf(log), turn)).toEqual(["queued", "started", "completed"])
  })
})

describe("a prompt over REST, while calls run", () => {
  it("waits for its own turn", async () => {
    const { release, idle, session, events, turn } = await inMidTool()
    const second = prompt(session, promptFor(scripted([textAnswer("Two.")])))
    release()
    await idle()
    expect(problemsOf(events(), [turn, second])).toEqual([])
    expect(session.turns.status(second)).toMatchObject({ result: { result: "Two." } })
  })
})

describe("a prompt that requests no answer", () => {
  it("gets its result at once, and the model reads it before the next prompt", async () => {
    const { client, session, idle, log } = await connected({ UserPromptSubmit: {} })
    client.send(user("the build is red", { shouldQuery: false }))
    await until(() => payloadsOf(eventsOf(log), "sdk:result/success").length === 1)
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({ subtype: "success", num_turns: 0, result: "" })
    expect(resultOf(eventsOf(log))).not.toHaveProperty("terminal_reason")
    expect(client.called).toEqual([])
    const script = scripted([DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(textOf(made.messagesSent(script)[0]?.[0])).toBe(`the build is red\n${promptFor(script)}`)
  })

  it("joins a turn in the middle of its calls unless it looks like a command, and no hook is called for it", async () => {
    const { client, release, idle, events, session, script } = await inMidTool({ UserPromptSubmit: {} })
    const called = client.called.length
    client.send(user("the build is red", { shouldQuery: false }))
    client.send(user("/etc is full", { shouldQuery: false }))
    client.send(user("go on"))
    await until(() => session.inbox.open.length === 4)
    release()
    await idle()
    expect(client.called.slice(called).map(({ input }) => input["prompt"])).toEqual(["go on"])
    expect(namesOf(events()).filter((name) => name.startsWith("sdk:result"))).toHaveLength(2)
    const sent = JSON.stringify(made.messagesSent(script).at(-1))
    for (const words of ["the build is red", "go on"]) expect(sent).toContain(words)
    expect(sent).not.toContain("/etc is full")
    const next = scripted([DONE])
    prompt(session, promptFor(next))
    await idle()
    expect(textOf(made.messagesSent(next)[0]?.at(-1))).toBe(`/etc is full\n${promptFor(next)}`)
  })
})

describe("a withdrawn prompt", () => {
  it("never runs, and its sender is notified", async () => {
    const { client, release, idle, events, session, turn } = await inMidTool()
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user("one", { uuid: one }))
    client.send(user(promptFor(scripted([textAnswer("Two.")])), { uuid: two }))
    const answer = await client.request("cancel_async_message", { message_uuid: one })
    expect(answer).toMatchObject({ subtype: "success", response: { cancelled: true } })
    const again = await client.request("cancel_async_message", { message_uuid: one })
    expect(again).toMatchObject({ response: { cancelled: false } })
    release()
    await idle()
    expect(lifecycleOf(events(), one)).toEqual(["queued", "cancelled"])
    expect(lifecycleOf(events(), two)).toEqual(["queued", "started", "completed"])
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(session.state).toBe("idle")
  })

  it("can't be the running one", async () => {
    const { client, release, idle, turn } = await inMidTool()
    const answer = await client.request("cancel_async_message", { message_uuid: turn })
    expect(answer).toMatchObject({ response: { cancelled: false } })
    release()
    await idle()
  })
})

describe("an interrupt", () => {
  it("keeps the queued prompts and lists them", async () => {
    const { client, idle, events, session, turn } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([textAnswer("Next.")])), { uuid }))
    const answer = await client.request("interrupt")
    expect(answer).toMatchObject({ response: { still_queued: [uuid] } })
    await idle()
    expect(problemsOf(events(), [turn, uuid])).toEqual([])
    expect(session.turns.status(uuid)).toMatchObject({ result: { result: "Next." } })
  })

  it("withdraws the queued prompts on request", async () => {
    const { client, idle, events, turn, session } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user("never", { uuid }))
    const answer = await client.request("interrupt", { cancel_queued: true })
    expect(answer).toMatchObject({ response: { still_queued: [], cancelled: [uuid] } })
    await idle()
    expect(lifecycleOf(events(), uuid)).toEqual(["queued", "cancelled"])
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(session.state).toBe("idle")
  })

  it("of an idle session is answered and does nothing", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    expect(await client.request("interrupt")).toMatchObject({ subtype: "success", response: { still_queued: [] } })
    expect(log.lastSeq).toBe(before)
  })
})

describe("a prompt that is sent twice", () => {
  it("is queued once", async () => {
    const { client, idle, log } = await connected()
    const uuid = crypto.randomUUID()
    const frame = user(promptFor(scripted([DONE])), { uuid })
    client.send(frame)
    client.send(frame)
    await idle()
    client.send(frame)
    await idle()
    expect(payloadsOf(eventsOf(log), "turn:queued")).toHaveLength(1)
    expect(payloadsOf(eventsOf(log), "sdk:result/success")).toHaveLength(1)
    expect(client.frames.filter(({ isReplay }) => isReplay === true)).toEqual([])
  })

  it("is echoed with its new content once its turn has started, if the session asks for echoes", async () => {
    const { client, log, release, idle } = await atItsEnd({}, { replay_user_messages: true })
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([DONE])), { uuid }))
    client.send(user("while it waits", { uuid }))
    release()
    await idle()
    const before = log.lastSeq
    client.send(user("after its end", { uuid }))
    await until(() => client.frames.some(({ message }) => JSON.stringify(message)?.includes("after its end")))
    expect(client.frames.at(-1)).toMatchObject({
      type: "user",
      uuid,
      isReplay: true,
      message: { role: "user", content: "after its end" },
    })
    expect(JSON.stringify(client.frames)).not.toContain("while it waits")
    expect(log.lastSeq).toBe(before)
  })
})

describe("a prompt that can't be read", () => {
  it.each([
    ["without content", user(undefined), "not valid"],
    ["with an unknown block", user([{ type: "tool_result", tool_use_id: "x", content: "y" }]), "prompt[0].type: "],
    ["without a message", { type: "user", session_id: "" }, "not valid"],
  ])("%s has an error as its result, and nothing is logged", async (_, frame, error) => {
    const { client, log } = await connected()
    const before = log.lastSeq
    client.send(frame)
    await until(() => client.frames.some((one) => one.type === "result"))
    expect(client.frames.filter((one) => one.type === "result")).toMatchObject([
      {
        subtype: "error_during_execution",
        is_error: true,
        num_turns: 0,
        errors: [expect.stringContaining(error)],
      },
    ])
    expect(log.lastSeq).toBe(before)
  })
})
