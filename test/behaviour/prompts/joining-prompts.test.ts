// Prompts of clients that join the running turn: when the model reads them, and what clients and hooks receive of them.
import { describe, expect, it } from "vitest"
import { busySessions, lifecycleOf, user } from "./busy-sessions.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { eventsOf, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { BYPASS, hooksOf, loop, namesOf, payloadsOf, resultOf, until } from "../../support/session/loop.ts"

const made = loop()
const { scripted } = made
const { inMidTool, atItsEnd } = busySessions(made)

const THOUGHT = { type: "thinking", thinking: "let me see", signature: "sig-1" }

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

  it("is echoed when it joins if the session asks for it, under its own uuid", async () => {
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

  it("with a uuid is reported as queued, started and completed, in that order", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    const uuid = crypto.randomUUID()
    client.send(user("and be quick", { uuid }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    expect(session.turns.status(uuid)).toMatchObject({ status: "completed" })
  })

  it("is named by the result; only the first answer and its stream name the turn's prompt, as recorded", async () => {
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    const { promise: held, resolve: release } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    const { client, idle, session, log } = await made.connected({ PreToolUse: () => held }, BYPASS)
    const script = scripted([
      { content: [THOUGHT, call("Glob", { pattern: "*" })] },
      { content: [THOUGHT, text("Done.")] },
    ])
    client.send(user(promptFor(script), { uuid: one }))
    await until(() => client.called.length > 0)
    client.send(user("and be quick", { uuid: two }))
    await until(() => session.inbox.open.length === 2)
    release({})
    await idle()
    const named = client.frames.flatMap(({ type, subtype, event, user_message_uuid: uuid }) =>
      uuid === undefined ? [] : [[type, subtype ?? (event as { type: string } | undefined)?.type, uuid]],
    )
    expect(named).toEqual([
      ["stream_event", "message_start", one],
      ["system", "thinking_tokens", one],
      ["assistant", undefined, one],
      ["system", "thinking_tokens", one],
      ["result", "success", one],
    ])
    expect(resultOf(eventsOf(log))).toMatchObject({ user_message_uuids: [one, two] })
  })

  it("reaches UserPromptSubmit hooks, and the turn has no second init", async () => {
    const { client, release, idle, events, session } = await inMidTool()
    client.send(user("and be quick"))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    const received = payloadsOf(events(), "hook:fired").filter(
      (fired) => fired["hook_event_name"] === "UserPromptSubmit",
    )
    expect(received.at(-1)?.["input"]).toMatchObject({ prompt: "and be quick" })
    expect(received).toHaveLength(2)
    expect(namesOf(events()).filter((name) => name === "sdk:system/init")).toHaveLength(1)
  })

  it("that a hook blocks never reaches the model, and the turn continues", async () => {
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
    expect(
      events()
        .filter(({ turn }) => turn === uuid)
        .map(({ name }) => name),
    ).toContain("turn:cancelled")
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      {
        content: "no\n\nOriginal prompt: and be quick",
        prevent_continuation: true,
        prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false },
      },
    ])
    expect(JSON.stringify(projectParts(SESSION_ID, events()))).not.toContain("and be quick")
    expect(session.turns.status(uuid)).toMatchObject({ status: "completed" })
    expect(resultOf(events())).toMatchObject({ result: "Done." })
    expect(session.state).toBe("idle")
  })

  it("that a hook stops waits, with those after it, for a turn of its own, which keeps it", async () => {
    const { client, release, idle, events, session, sent } = await inMidTool({
      UserPromptSubmit: (input) =>
        String(input["prompt"]).includes("quick") ? { continue: false, stopReason: "wait" } : {},
    })
    const [uuid, behind] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user("and be quick", { uuid }))
    client.send(user("and tidy", { uuid: behind }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(sent()).toHaveLength(2)
    expect(JSON.stringify(sent())).not.toMatch(/and be quick|and tidy/)
    expect(namesOf(events())).not.toContain("turn:cancelled")
    const results = payloadsOf(events(), "sdk:result/success").map(({ result }) => result)
    expect(results).toEqual(["Done.", "A UserPromptSubmit hook stopped the turn: wait"])
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      { prompt_submit_outcome: { kind: "stopped_by_hook", prompt_kept: true } },
    ])
    const script = scripted([textAnswer("Last.")])
    client.send(user(promptFor(script)))
    await until(() => resultOf(events())["result"] === "Last.")
    expect(JSON.stringify(made.messagesSent(script)[0])).toContain("and be quick")
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

  it("stays after a prompt that may not join", async () => {
    const { client, release, idle, events, session, turn } = await inMidTool()
    const rest = prompt(session, promptFor(scripted([textAnswer("Rest.")])))
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([textAnswer("Last.")])), { uuid }))
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

  it("behind a queued command joins, and the command runs after the turn", async () => {
    const { client, release, idle, events, session, sent } = await inMidTool()
    const [command, behind] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user("/help", { uuid: command }))
    client.send(user("and be quick", { uuid: behind }))
    await until(() => session.inbox.open.length === 3)
    release()
    await idle()
    expect(sent()[1]?.at(-1)?.content.at(-1)?.text).toContain("and be quick")
    expect(payloadsOf(events(), "sdk:result/success").map((result) => result["local_command"])).toEqual([
      undefined,
      "help",
    ])
    for (const uuid of [command, behind]) {
      expect(lifecycleOf(events(), uuid)).toEqual(["queued", "started", "completed"])
    }
    expect(session.state).toBe("idle")
  })

  it("with an image joins with it", async () => {
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
  it("later waits for its own turn, and a prompt after it joins", async () => {
    const { client, release, idle, events, session, sent, turn } = await inMidTool()
    const [late, soon] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(scripted([textAnswer("Late.")])), { uuid: late, priority: "later" }))
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
})

describe("a synthetic prompt", () => {
  const unclassified = { kind: "unclassified" }

  it("joins a turn like any other, and is echoed as synthetic", async () => {
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

  it("has a turn of its own whose result has the origin unclassified, and is not echoed there", async () => {
    const { client, release, idle, events, script, session } = await atItsEnd({}, { replay_user_messages: true })
    client.send(user(promptFor(script), { isSynthetic: true }))
    client.send(user(promptFor(scripted([textAnswer("Typed.")]))))
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

it.each([
  ["a synthetic prompt", { isSynthetic: true }, "unclassified"],
  ["a prompt that a person typed", { origin: { kind: "human" } }, "human"],
])("%s calls its command, and the result has its origin", async (_, fields, kind) => {
  const { client, idle, log } = await made.connected()
  client.send(user("/help", fields))
  await idle()
  expect(resultOf(eventsOf(log))).toMatchObject({ local_command: "help", origin: { kind } })
})

describe("a prompt that arrives while the last calls of a turn run", () => {
  it.each([
    ["has made all its requests", {}, { maxTurns: 1 }, "error_max_turns"],
    ["is stopped by a hook", { PostToolBatch: () => ({ continue: false, stopReason: "enough" }) }, {}, "success"],
  ])("runs as its own turn when that one %s", async (_, hooks, options, subtype) => {
    const { client, release, idle, sent, events, session } = await inMidTool(hooks, options)
    const uuid = crypto.randomUUID()
    client.send(user(promptFor(scripted([textAnswer("Answered.")])), { uuid }))
    await until(() => session.inbox.open.length === 2)
    release()
    await idle()
    expect(namesOf(events())).not.toContain("turn:joined")
    expect(sent()).toHaveLength(1)
    const results = events().filter(({ name }) => name.startsWith("sdk:result"))
    expect(results.map(({ payload }) => payload)).toMatchObject([{ subtype }, { result: "Answered." }])
    expect(session.turns.status(uuid)).toMatchObject({ status: "completed" })
  })
})
