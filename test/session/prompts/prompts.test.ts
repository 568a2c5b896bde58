// Prompts of a session that is busy: which of them join the turn that runs, which wait, and which never run.
import { describe, expect, it, onTestFinished } from "vitest"
import { tenantLoad } from "../../../src/limits/tenant-load.ts"
import { DEFAULT_LIMITS } from "../../../src/schemas/limits.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { seqOfMessage } from "../../../src/session/storage/head.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import {
  BYPASS,
  DONE,
  hooksOf,
  loop,
  namesOf,
  payloadsOf,
  resultOf,
  textOf,
  until,
} from "../../support/session/loop.ts"

const { connected, harnessOf, scripted, messagesSent } = loop()

const user = (content: unknown, fields: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  session_id: "",
  ...fields,
})

/** A session whose first prompt is in the middle of a tool call that `release` lets end. */
const inMidTool = async (hooks: HookTable = {}, options: SessionOptions = {}) => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const guard = async () => {
    await held
    return {}
  }
  const opened = await connected({ ...hooks, PreToolUse: guard }, { ...BYPASS, ...options })
  const script = scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])
  const turn = prompt(opened.session, promptFor(script))
  await until(() => opened.client.called.some((one) => one.callbackId === "PreToolUse"))
  const sent = () => messagesSent(script)
  return { ...opened, script, turn, release, sent, events: () => eventsOf(opened.log) }
}

const lifecycleOf = (events: Parameters<typeof payloadsOf>[0], uuid: string) =>
  payloadsOf(events, "sdk:command_lifecycle")
    .filter((payload) => payload["command_uuid"] === uuid)
    .map((payload) => payload["state"])

describe("queued_turn_count of a result", () => {
  const counts = (events: Parameters<typeof namesOf>[0]) =>
    events
      .filter(({ name }) => name.startsWith("sdk:result"))
      .map(({ payload }) => (payload as { queued_turn_count?: number }).queued_turn_count)

  it("is how many prompts of clients wait when the turn ends, whatever the turns that they become", async () => {
    const { session, release, idle, events } = await inMidTool()
    prompt(session, promptFor(scripted([DONE])))
    prompt(session, promptFor(scripted([DONE])))
    release()
    await idle()
    expect(counts(events())).toEqual([2, 1, 0])
  })

  it("leaves out prompts that were taken back, and those of Perch's own", async () => {
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

  it("is there too when the turn was interrupted", async () => {
    const { session, release, idle, events, client } = await inMidTool()
    prompt(session, promptFor(scripted([DONE])))
    await client.request("interrupt")
    release()
    await idle()
    expect(counts(events())).toEqual([1, 0])
  })
})

describe("a prompt over the control protocol, while calls run", () => {
  it("joins the turn and has no result of its own", async () => {
    const { client, release, idle, sent, events, session } = await inMidTool()
    client.send(user("and be quick"))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    const results = namesOf(events()).filter((name) => name.startsWith("sdk:result"))
    expect(results).toHaveLength(1)
    expect(sent()).toHaveLength(2)
    const last = sent()[1]?.at(-1)
    expect(last?.content[0]?.type).toBe("tool_result")
    expect(last?.content.at(-1)?.text).toContain("and be quick")
    expect(session.state).toBe("idle")
  })

  it("is sent again as it joins when the session asks for that, under its own uuid", async () => {
    const { client, release, idle, events, session } = await inMidTool({}, { replay_user_messages: true })
    const uuid = crypto.randomUUID()
    client.send(user("and be quick", { uuid }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    const again = payloadsOf(events(), "sdk:user").filter((message) => message["isReplay"] === true)
    expect(again.at(-1)).toMatchObject({ uuid, message: { role: "user", content: "and be quick" } })
    expect(again).toHaveLength(2)
    const names = namesOf(events())
    expect(names.lastIndexOf("sdk:user")).toBe(names.indexOf("turn:joined") + 1)
  })

  it("with a uuid is queued, started and completed, in that order", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user("and be quick", { uuid }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    expect(session.turns.status(uuid)).toMatchObject({ status: "completed" })
  })

  it("is heard by UserPromptSubmit hooks, and the turn has no second init", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    client.send(user("and be quick"))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    const heard = payloadsOf(events(), "hook:fired").filter((fired) => fired["hook_event_name"] === "UserPromptSubmit")
    expect(heard.at(-1)?.["input"]).toMatchObject({ prompt: "and be quick" })
    expect(heard).toHaveLength(2)
    expect(namesOf(events()).filter((name) => name === "sdk:system/init")).toHaveLength(1)
  })

  it("that a hook refuses is never heard by the model, and the turn goes on", async () => {
    const { client, release, idle, events, session, sent } = await inMidTool({
      UserPromptSubmit: (input) =>
        String(input["prompt"]).includes("quick") ? { decision: "block", reason: "no" } : {},
    })
    const uuid = crypto.randomUUID()
    client.send(user("and be quick", { uuid }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(JSON.stringify(sent())).not.toContain("and be quick")
    expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    expect(resultOf(events())).toMatchObject({ result: "Done." })
    expect(session.state).toBe("idle")
  })

  it("takes nothing from what the turn has counted", async () => {
    const { client, release, idle, events, session, turn } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user("never", { uuid }))
    await until(() => session.inbox.open.length === 2)
    await client.request("cancel_async_message", { message_uuid: uuid })
    release()
    await idle()
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(hooksOf(events())).toContain("PostToolBatch")
    expect(resultOf(events())).toMatchObject({ num_turns: 2, usage: { input_tokens: 200, output_tokens: 20 } })
  })

  it("stays behind a prompt that may not join", async () => {
    const { client, release, idle, events, session, turn } = await inMidTool()
    const rest = prompt(session, promptFor(scripted([{ content: [text("Rest.")] }])))
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([{ content: [text("Last.")] }])), { uuid }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(problemsOf(events(), [turn, rest, uuid])).toEqual([])
    expect(payloadsOf(events(), "sdk:result/success").map((result) => result["result"])).toEqual([
      "Done.",
      "Rest.",
      "Last.",
    ])
  })

  it("that brings a picture joins with it", async () => {
    const { client, release, idle, sent, session } = await inMidTool()
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }
    client.send(user([{ type: "text", text: "like this" }, image]))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(JSON.stringify(sent()[1]?.at(-1))).toContain('"iVBORw0KGgo="')
  })
})

describe("a prompt with a priority, while calls run", () => {
  it("later waits for its own turn, and one that comes behind it joins", async () => {
    const { client, release, idle, events, session, sent, turn } = await inMidTool()
    const [late, soon] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(scripted([{ content: [text("Late.")] }])), { uuid: late, priority: "later" }))
    client.send(user("and be quick", { uuid: soon, priority: "next" }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(sent()[1]?.at(-1)?.content.at(-1)?.text).toContain("and be quick")
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Late."])
    for (const uuid of [late, soon]) expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    expect(problemsOf(events(), [turn, late])).toEqual([])
    expect(session.state).toBe("idle")
  })

  it("now is refused by name, and the turn goes on", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    client.send(user("stop", { priority: "now" }))
    await until(() => client.frames.some(({ type, is_error: isError }) => type === "result" && isError === true))
    expect(JSON.stringify(client.frames)).toContain("user.priority may be next or later")
    expect(session.inbox.open).toHaveLength(1)
    release()
    await idle()
    expect(resultOf(events())).toMatchObject({ result: "Done." })
  })
})

describe("a synthetic prompt", () => {
  const unclassified = { kind: "unclassified" }

  it("joins a turn as any other, and is sent again as synthetic", async () => {
    const { client, release, idle, events, session, sent } = await inMidTool({}, { replay_user_messages: true })
    const uuid = crypto.randomUUID()
    client.send(user("and be quick", { uuid, isSynthetic: true }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(sent()[1]?.at(-1)?.content.at(-1)?.text).toContain("and be quick")
    const again = payloadsOf(events(), "sdk:user").findLast((message) => message["isReplay"] === true)
    expect(again).toMatchObject({ uuid, isSynthetic: true, origin: unclassified })
    expect(resultOf(events())).not.toHaveProperty("origin")
  })

  it("has a turn of its own whose result has the origin unclassified, and is not sent again there", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd({}, { replay_user_messages: true })
    client.send(user(promptFor(script), { isSynthetic: true }))
    client.send(user(promptFor(scripted([{ content: [text("Typed.")] }]))))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result, origin }) => [result, origin])
    expect(results).toEqual([
      ["Done.", undefined],
      ["Both.", unclassified],
      ["Typed.", undefined],
    ])
    expect(payloadsOf(events(), "sdk:user").filter((message) => message["isReplay"] === true)).toHaveLength(2)
  })
})

/** A session whose first turn is about to end: prompts that come now wait for the next. */
const atItsEnd = async (hooks: HookTable = {}, options: SessionOptions = {}) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const opened = await connected(
    {
      ...hooks,
      Stop: async () => {
        await held
        return {}
      },
    },
    { ...BYPASS, ...options },
  )
  const turn = prompt(opened.session, promptFor(scripted([DONE])))
  await until(() => opened.client.called.some((one) => one.callbackId === "Stop"))
  const script = scripted([{ content: [text("Both.")] }])
  return {
    ...opened,
    turn,
    release,
    script,
    events: () => eventsOf(opened.log),
    last: () => messagesSent(script)[0]?.at(-1),
  }
}

describe("prompts over the control protocol that wait when a turn ends", () => {
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
    const heard = payloadsOf(events(), "hook:fired").filter((fired) => fired["hook_event_name"] === "UserPromptSubmit")
    expect(heard.map(({ input }) => (input as { prompt: string }).prompt).slice(1)).toEqual([whole])
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Both."])
    expect(problemsOf(events(), [turn, one])).toEqual([])
    expect(lifecycleOf(events(), two)).toEqual(["queued", "started", "completed"])
    const told = payloadsOf(events(), "sdk:command_lifecycle").map(({ state }) => state)
    expect(told).toEqual(["queued", "queued", "started", "started", "completed", "completed"])
    expect(session.turns.status(two)).toMatchObject({ status: "completed" })
    expect(session.state).toBe("idle")
    const replies = { user_message_uuid: two, user_message_uuids: [one, two] }
    expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject(replies)
    expect(payloadsOf(events(), "sdk:result/success").at(-1)).toMatchObject(replies)
    expect(payloadsOf(events(), "sdk:system/init").at(-1)).toMatchObject({ user_message_uuids: [one, two] })
    expect(payloadsOf(events(), "sdk:assistant")[0]).not.toHaveProperty("user_message_uuids")
  })

  it("are said where their turn begins, for who takes the conversation up at one of them", async () => {
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

  it("are said back when the session asks for it, the last of them as all", async () => {
    const { client, release, idle, events, script, turn, session } = await atItsEnd({}, { replay_user_messages: true })
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(script), { uuid: one }))
    client.send(user("and be quick", { uuid: two }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    const said = payloadsOf(events(), "sdk:user").map((message) => [
      message["uuid"],
      message["isReplay"],
      (message["message"] as { content: unknown }).content,
    ])
    expect(said.slice(1)).toEqual([
      [one, true, promptFor(script)],
      [two, true, `${promptFor(script)}\nand be quick`],
    ])
    expect(said[0]?.[0]).toBe(turn)
    expect(payloadsOf(events(), "sdk:result/success").map((result) => result["num_turns"])).toEqual([1, 1])
    expect(messagesSent(script)[0]?.at(-1)?.content).toHaveLength(1)
    expect(problemsOf(events(), [turn, one])).toEqual([])
  })

  it("with the priority later are one turn, behind all others", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script), { priority: "later" }))
    client.send(user("and be quick", { priority: "later" }))
    client.send(user(promptFor(scripted([{ content: [text("Soon.")] }]))))
    await until(() => session.inbox.open.length === 4)
    release()
    await idle()
    expect(payloadsOf(events(), "sdk:result/success").map(({ result }) => result)).toEqual(["Done.", "Soon.", "Both."])
    expect(messagesSent(script)[0]?.at(-1)?.content).toMatchObject([{ text: `${promptFor(script)}\nand be quick` }])
  })

  it("run in the same order wherever the process dies", async () => {
    for (let dieAfter = 1, died = true; died; dieAfter += 1) {
      const harness = harnessOf()
      const { session, idle } = harness.boot()
      const answers = ["First.", "Late.", "Soon."]
      const scripts = answers.map((answer) => promptFor(scripted([{ content: [text(answer)] }])))
      const manners = [{}, { mayJoin: true, later: true }, { mayJoin: true }] as const
      const turns = scripts.map((words, index) => prompt(session, words, {}, manners[index]))
      harness.transactions = 0
      harness.dieAfter = dieAfter
      await idle()
      died = harness.transactions >= dieAfter
      harness.crash()
      const again = harness.boot()
      await again.idle()
      const where = `death after transaction ${dieAfter}`
      expect(problemsOf(eventsOf(again.log), turns), where).toEqual([])
      const results = payloadsOf(eventsOf(again.log), "sdk:result/success").map(({ result }) => result)
      expect(results, where).toEqual(["First.", "Soon.", "Late."])
      expect(again.session.state).toBe("idle")
    }
  })

  it("are a hundred at most, where more may wait", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    tenantLoad({}, "test").adopt({ ...DEFAULT_LIMITS, queued_prompts: 200 })
    onTestFinished(() => tenantLoad({}, "test").adopt(DEFAULT_LIMITS))
    client.send(user(promptFor(script)))
    for (let n = 2; n <= 100; n += 1) client.send(user(`line ${n}`))
    client.send(user(promptFor(scripted([{ content: [text("Next.")] }]))))
    await until(() => session.inbox.open.length === 102)
    release()
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results).toEqual(["Done.", "Both.", "Next."])
  })

  it("are refused when a hundred wait", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script)))
    for (let n = 2; n <= 103; n += 1) client.send(user(`line ${n}`))
    await until(() => client.frames.filter(({ type }) => type === "result").length === 3)
    expect(session.inbox.open).toHaveLength(101)
    const refused = client.frames.filter(({ type, is_error: isError }) => type === "result" && isError === true)
    expect(refused).toHaveLength(3)
    expect(JSON.stringify(refused[0])).toContain("as many prompts wait in this session as may wait (100)")
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

  it("go no further together when a hook refuses them", async () => {
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

  it("stay apart from one over REST, one that asks nothing, and a command", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd()
    client.send(user(promptFor(script)))
    client.send(user("for later", { shouldQuery: false }))
    client.send(user(promptFor(scripted([{ content: [text("Two.")] }]))))
    await until(() => session.inbox.open.length === 4)
    prompt(session, promptFor(scripted([{ content: [text("Three.")] }])))
    client.send(user(promptFor(scripted([{ content: [text("Four.")] }]))))
    client.send(user(`/say ${promptFor(scripted([{ content: [text("Five.")] }]))}`))
    await until(() => session.inbox.open.length === 7)
    release()
    await idle()
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results).toEqual(["Done.", "Both.", "", "Two.", "Three.", "Four.", "Five."])
  })

  it("are one turn wherever the process dies", async () => {
    for (let dieAfter = 1, died = true; died; dieAfter += 1) {
      const harness = harnessOf()
      const { session, idle } = harness.boot()
      const script = scripted([{ content: [text("Both.")] }])
      const manner = { mayJoin: true, acknowledge: true } as const
      const first = prompt(session, promptFor(scripted([DONE])))
      const [one, two] = [promptFor(script), "and be quick"].map((words) => prompt(session, words, {}, manner))
      harness.transactions = 0
      harness.dieAfter = dieAfter
      await idle()
      died = harness.transactions >= dieAfter
      harness.crash()
      const again = harness.boot()
      await again.idle()
      const where = `death after transaction ${dieAfter}`
      const events = eventsOf(again.log)
      expect(problemsOf(events, [first, String(one)]), where).toEqual([])
      expect(lifecycleOf(events, String(two)), where).toEqual(["queued", "started", "completed"])
      expect(messagesSent(script)[0]?.at(-1)?.content, where).toMatchObject([
        { text: `${promptFor(script)}\nand be quick` },
      ])
      expect(again.session.state).toBe("idle")
    }
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
    const second = prompt(session, promptFor(scripted([{ content: [text("Two.")] }])))
    release()
    await idle()
    expect(problemsOf(events(), [turn, second])).toEqual([])
    expect(session.turns.status(second)).toMatchObject({ result: { result: "Two." } })
  })
})

describe("a prompt that asks nothing", () => {
  it("has its result at once, and the model reads it before the next prompt", async () => {
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
    expect(textOf(messagesSent(script)[0]?.[0])).toBe(`the build is red\n${promptFor(script)}`)
  })

  it("does not join a turn that runs", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    client.send(user("the build is red", { shouldQuery: false }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(namesOf(events())).not.toContain("turn:joined")
    expect(namesOf(events()).filter((name) => name.startsWith("sdk:result"))).toHaveLength(2)
  })
})

describe("a prompt that is taken back", () => {
  it("never runs, and its sender is told", async () => {
    const { client, release, idle, events, session, turn } = await inMidTool()
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user("one", { uuid: one }))
    client.send(user(promptFor(scripted([{ content: [text("Two.")] }])), { uuid: two }))
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

  it("can't be the one that runs", async () => {
    const { client, release, idle, turn } = await inMidTool()
    const answer = await client.request("cancel_async_message", { message_uuid: turn })
    expect(answer).toMatchObject({ response: { cancelled: false } })
    release()
    await idle()
  })
})

describe("an interrupt", () => {
  it("keeps what waits, and says which", async () => {
    const { client, idle, events, session, turn } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([{ content: [text("Next.")] }])), { uuid }))
    const answer = await client.request("interrupt")
    expect(answer).toMatchObject({ response: { still_queued: [uuid] } })
    await idle()
    expect(problemsOf(events(), [turn, uuid])).toEqual([])
    expect(session.turns.status(uuid)).toMatchObject({ result: { result: "Next." } })
  })

  it("takes back what waits, when it is told to", async () => {
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

  it("of an idle session answers and does nothing", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    expect(await client.request("interrupt")).toMatchObject({ subtype: "success", response: { still_queued: [] } })
    expect(log.lastSeq).toBe(before)
  })
})

describe("a prompt that is sent twice", () => {
  it("is one prompt", async () => {
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
  })
})

describe("a prompt that can't be read", () => {
  it.each([
    ["without content", user(undefined)],
    ["with an empty list", user([])],
    ["with a block that nobody knows", user([{ type: "tool_result", tool_use_id: "x", content: "y" }])],
    ["without a message", { type: "user", session_id: "" }],
  ])("%s has an error as its result, and nothing is logged", async (_, frame) => {
    const { client, log } = await connected()
    const before = log.lastSeq
    client.send(frame)
    await until(() => client.frames.some((one) => one.type === "result"))
    expect(client.frames.filter((one) => one.type === "result")).toMatchObject([
      {
        subtype: "error_during_execution",
        is_error: true,
        num_turns: 0,
        errors: [expect.stringContaining("not valid")],
      },
    ])
    expect(log.lastSeq).toBe(before)
  })
})
