// The unmodified AG-UI client in conversations with a real server: its own verifier reads every event, and reports nothing.
import { randomBytes, randomUUID } from "node:crypto"
import type { Message } from "@ag-ui/client"
import { describe, expect, inject, it } from "vitest"
import { agUiAgent, endOf, typesOf } from "./ag-ui-agent.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const thread = () => `thread-${randomBytes(6).toString("hex")}`
const script = async (turns: ReadonlyArray<unknown>): Promise<string> => promptFor(await api.add("ag-ui", turns))

/** The types of events; consecutive chunks of one text count once. */
const shapeOf = (events: Parameters<typeof typesOf>[0]) =>
  typesOf(events).filter((type, index, all) => type !== all[index - 1])

const callsOf = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))

const WEATHER = {
  name: "get_weather",
  description: "The weather at a place",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
}

describe("the HttpAgent", () => {
  it("holds a conversation: text streams, state has the todos, and each run has at least one step", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    agent.setState({ mine: 1 })
    const todos = [{ content: "Write", status: "in_progress", activeForm: "Writing" }]
    say(await script([{ content: [text("I plan."), call("TodoWrite", { todos })] }, textAnswer("Hello there.")]))
    const first = await run()
    expect(first).toMatchObject({ warnings: [], failure: null })
    const opened = "RUN_STARTED STATE_SNAPSHOT STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END"
    const called = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STATE_DELTA"
    const closed = "STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
    // A call may run before the answer that contains it has ended.
    const shape = shapeOf(first.events.filter(({ type }) => type !== "STEP_FINISHED"))
    expect(first.events.filter(({ type }) => type === "STEP_FINISHED")).toHaveLength(2)
    expect(shape.join(" ")).toBe(`${opened} ${called} ${closed}`)
    expect(endOf(first)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" }, result: "Hello there." })
    expect(agent.state).toMatchObject({ mine: 1, todos: [{ content: "Write", status: "in_progress" }] })
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(agent.messages.at(-1)).toMatchObject({ content: "Hello there." })

    say(await script([textAnswer("Again.")]))
    const second = await run()
    expect(second).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.at(-1)).toMatchObject({ content: "Again." })
  })

  it("executes a tool of its own, and continues with the result", async () => {
    const { agent, run, say, give } = agUiAgent(shared, thread())
    say(
      await script([
        {
          content: [
            text("Let me see."),
            call("get_weather", { place: "Bern" }),
            call("get_weather", { place: "Rome" }),
          ],
        },
        textAnswer("Sunny in Bern."),
      ]),
    )
    const asked = await run({ tools: [WEATHER] })
    expect(asked).toMatchObject({ warnings: [], failure: null })
    const calls = callsOf(agent.messages)
    expect(calls.map((one) => JSON.parse(one.function.arguments) as unknown)).toEqual([
      { place: "Bern" },
      { place: "Rome" },
    ])
    expect(endOf(asked)).toMatchObject({
      outcome: { type: "success", pendingToolCallIds: calls.map(({ id }) => id) },
    })
    for (const { id } of calls) give(id, `sunny (${id})`)
    const done = await run({ tools: [WEATHER] })
    expect(done).toMatchObject({ warnings: [], failure: null })
    expect(endOf(done)).toMatchObject({ type: "RUN_FINISHED", result: "Sunny in Bern." })
    expect(agent.messages.filter(({ role }) => role === "tool")).toHaveLength(2)
  })

  it("keeps a new prompt that comes with the result of its tool", async () => {
    const { agent, run, say, give } = agUiAgent(shared, thread())
    say(await script([{ content: [call("get_weather", { place: "Bern" })] }, textAnswer("Sunny.")]))
    await run({ tools: [WEATHER] })
    const calls = callsOf(agent.messages)
    give(calls[0]?.id ?? "", "sunny")
    say(await script([textAnswer("Next.")]))
    const next = await run({ tools: [WEATHER] })
    expect(next).toMatchObject({ warnings: [], failure: null })
    expect(endOf(next)).toMatchObject({ type: "RUN_FINISHED", result: "Next." })
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"])
  })

  it("may give a new prompt with results of calls that the turn has not come to", async () => {
    const { agent, run, say, give } = agUiAgent(shared, thread())
    const [first, last] = ["Bern", "Rome"].map((place) => call("get_weather", { place }))
    const write = call("Write", { file_path: "/workspace/a.txt", content: "hi" })
    say(await script([{ content: [first, write, last] }, textAnswer("Sunny.")]))
    const parameters = { tools: [WEATHER], forwardedProps: { options: { permissionMode: "acceptEdits" } } }
    expect(endOf(await run(parameters))).toMatchObject({ outcome: { pendingToolCallIds: [first?.id, last?.id] } })
    for (const { id } of [first!, last!]) give(id, "sunny")
    say(await script([textAnswer("Next.")]))
    const next = await run(parameters)
    expect(next).toMatchObject({ warnings: [], failure: null })
    expect(endOf(next)).toMatchObject({ type: "RUN_FINISHED", result: "Next." })
    expect(agent.messages.at(-1)).toMatchObject({ content: "Next." })
  })

  it("that sends the results of its tools one by one learns which calls still wait", async () => {
    const { agent, run, say, give } = agUiAgent(shared, thread())
    const calls = ["Bern", "Rome", "Oslo"].map((place) => call("get_weather", { place }))
    say(await script([{ content: calls }, textAnswer("Sunny everywhere.")]))
    const asked = await run({ tools: [WEATHER] })
    const ids = agent.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    )
    expect(endOf(asked)).toMatchObject({ outcome: { type: "success", pendingToolCallIds: ids } })
    for (const [index, id] of ids.slice(0, 2).entries()) {
      give(id, "sunny")
      const partly = await run({ tools: [WEATHER] })
      expect(partly).toMatchObject({ warnings: [], failure: null })
      expect(shapeOf(partly.events)).toEqual(["RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"])
      expect(endOf(partly)).toMatchObject({ outcome: { type: "success", pendingToolCallIds: ids.slice(index + 1) } })
    }
    give(ids[2] ?? "", "sunny")
    expect(endOf(await run({ tools: [WEATHER] }))).toMatchObject({ type: "RUN_FINISHED", result: "Sunny everywhere." })
    expect(agent.messages.filter(({ role }) => role === "tool")).toHaveLength(3)
  })

  it("is interrupted for a permission, and resumed with the answer", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    say(
      await script([
        { content: [call("Write", { file_path: "/workspace/a.txt", content: "hi" })] },
        textAnswer("Written."),
      ]),
    )
    const asked = await run()
    expect(asked).toMatchObject({ warnings: [], failure: null })
    const [interrupt] = agent.pendingInterrupts
    expect(interrupt).toMatchObject({ reason: "tool_approval", metadata: { toolName: "Write" } })
    const resume = [{ interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: true } }]
    const done = await run({ resume })
    expect(done).toMatchObject({ warnings: [], failure: null })
    expect(agent.pendingInterrupts).toEqual([])
    expect(endOf(done)).toMatchObject({ type: "RUN_FINISHED", result: "Written." })
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
  })

  it.each([
    ["that the session has", { systemPrompt: "You are a pirate." }, {}],
    ["that the run forwards", {}, { systemPrompt: "You are a pirate." }],
  ])("ends the system prompt %s with its system and developer messages", async (_whose, own, forwarded) => {
    const perch = new PerchClient(shared)
    const { agent, run, say } = agUiAgent(shared, await perch.createSession(own))
    agent.addMessage({ id: "1", role: "system", content: "Answer in French." })
    agent.addMessage({ id: "2", role: "developer", content: "Be brief." })
    const name = scriptName("ag-ui-system")
    await api.set(name, [textAnswer("Oui.")])
    say(promptFor(name))
    expect(await run({ forwardedProps: { options: forwarded } })).toMatchObject({ warnings: [], failure: null })
    const [request] = await api.requests(name)
    expect(request?.body.system).toMatchObject([
      { text: "You are a pirate." },
      { text: "Answer in French.\n\nBe brief." },
    ])
  })

  it("receives the same run again for the same run id", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    say(await script([textAnswer("Once.")]))
    const runId = randomUUID()
    await run({ runId })
    const again = await run({ runId })
    expect(again).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.map(({ role, content }) => [role, role === "user" ? "" : content])).toEqual([
      ["user", ""],
      ["assistant", "Once."],
    ])
  })

  it("thinks, asks a question, and accepts the answer in the next run", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    const questions = [
      {
        question: "Which?",
        header: "Which",
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
        multiSelect: false,
      },
    ]
    say(
      await script([
        {
          content: [
            { type: "thinking", thinking: "Hm, which one?", signature: "c2ln" },
            call("AskUserQuestion", { questions }),
          ],
        },
        textAnswer("B it is."),
      ]),
    )
    const asked = await run()
    expect(asked).toMatchObject({ warnings: [], failure: null })
    expect(agent.pendingInterrupts).toMatchObject([{ reason: "question", message: "Which?" }])
    expect(agent.messages[1]).toMatchObject({ role: "reasoning", content: "Hm, which one?", encryptedValue: "c2ln" })
    const interruptId = agent.pendingInterrupts[0]?.id ?? ""
    const wrong = await run({
      resume: [{ interruptId, status: "resolved", payload: { answers: { "No such?": "B" } } }],
    })
    expect(wrong.failure?.message).toContain("HTTP 400")
    const done = await run({ resume: [{ interruptId, status: "resolved", payload: { answers: { "Which?": "B" } } }] })
    expect(done).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "B it is." })
  })

  it("cancels an interrupt, and the model reads that it was declined", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    const content = [call("Write", { file_path: "/workspace/a.txt", content: "hi" })]
    say(await script([{ content }, textAnswer("Then not.")]))
    await run()
    const interruptId = agent.pendingInterrupts[0]?.id ?? ""
    const done = await run({ resume: [{ interruptId, status: "cancelled" }] })
    expect(done).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.find(({ role }) => role === "tool")).toMatchObject({ content: "The user cancelled this." })
    expect(agent.messages.at(-1)).toMatchObject({ content: "Then not." })
  })

  it("that does not know of an open interrupt is refused its prompt, which comes with the answer", async () => {
    const name = thread()
    const first = agUiAgent(shared, name)
    const write = call("Write", { file_path: "/workspace/a.txt", content: "hi" })
    first.say(await script([{ content: [write] }, textAnswer("Written.")]))
    await first.run()
    const interruptId = first.agent.pendingInterrupts[0]?.id ?? ""
    // The page was loaded again.
    const later = agUiAgent(shared, name)
    later.say(await script([textAnswer("And this.")]))
    const refused = await later.run()
    expect(refused.failure?.message).toContain("HTTP 409")
    expect(refused.failure?.message).toContain(`waits for answers: permission ${interruptId}.`)
    const taken = await later.run({ resume: [{ interruptId, status: "resolved", payload: true }] })
    expect(taken).toMatchObject({ warnings: [], failure: null })
    expect(endOf(taken)).toMatchObject({ type: "RUN_FINISHED", result: "And this." })
  })

  it("is refused when it answers an interrupt twice, and neither answer counts", async () => {
    const threadId = randomUUID()
    const { agent, run, say } = agUiAgent(shared, threadId)
    say(await script([{ content: [call("Write", { file_path: "/workspace/a.txt", content: "hi" })] }]))
    await run()
    const interruptId = agent.pendingInterrupts[0]?.id ?? ""
    const resume = [
      { interruptId, status: "resolved", payload: true },
      { interruptId, status: "cancelled" },
    ]
    const perch = new PerchClient(shared)
    const json = { threadId, runId: randomUUID(), state: {}, messages: [], tools: [], context: [], resume }
    const refused = await perch.json<{ error: { field: string } }>("POST", "/v1/ag-ui", { json, status: 400 })
    expect(refused.error.field).toBe("resume[1].interruptId")
    const { pending } = await perch.json<{ pending: ReadonlyArray<{ request_id: string }> }>(
      "GET",
      `/v1/sessions/${threadId}/permissions`,
    )
    expect(pending.map(({ request_id }) => request_id)).toEqual([interruptId])
  })

  it("receives the error of a turn that fails, and another prompt with the same run id is refused", async () => {
    const { run, say } = agUiAgent(shared, thread())
    const runId = randomUUID()
    say(await script([{ error: { status: 400, type: "invalid_request_error", message: "no such model" } }]))
    const failed = await run({ runId })
    expect(failed.warnings).toEqual([])
    expect(endOf(failed)).toMatchObject({
      type: "RUN_ERROR",
      code: "api_error",
      message: "API Error: 400 no such model",
    })
    say("Something else")
    const other = await run({ runId })
    expect(other.failure?.message).toContain("HTTP 422")
  })

  it("creates its thread with options of the whole session; a later run with others is refused", async () => {
    const threadId = randomUUID()
    const { run, say } = agUiAgent(shared, threadId)
    const options = { runtime: { mode: "record" }, workspace_limits: { files: 10 }, persistSession: false }
    for (const prompt of [await script([textAnswer("Hi."), textAnswer("Again.")]), "And now?"]) {
      say(prompt)
      expect(await run({ forwardedProps: { options } })).toMatchObject({ warnings: [], failure: null })
    }
    expect(await new PerchClient(shared).json("GET", `/v1/sessions/${threadId}`)).toMatchObject({ options })
    say("With other limits")
    const other = await run({ forwardedProps: { options: { workspace_limits: { files: 20 } } } })
    expect(other.failure?.message).toContain("forwardedProps.options.workspace_limits applies to the whole session")
  })

  it("is refused answers that no run of the thread asked for, and another tenant's thread is a different thread", async () => {
    const name = thread()
    const { run, say, give } = agUiAgent(shared, name)
    say(await script([textAnswer("Hi.")]))
    await run()
    const unknown = await run({ resume: [{ interruptId: randomUUID(), status: "resolved", payload: true }] })
    expect(unknown.failure?.message).toContain("this thread has no interrupt")
    give("toolu_unknown", "x")
    expect((await run()).failure?.message).toContain("this thread has no such call")

    const root = new PerchClient(shared)
    const made = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant: name }, status: 201 })
    const theirs = agUiAgent({ url: shared.url, key: made.key }, name)
    theirs.say(await script([textAnswer("Mine.")]))
    expect(await theirs.run()).toMatchObject({ warnings: [], failure: null })
    expect(theirs.agent.messages.at(-1)).toMatchObject({ content: "Mine." })
  })

  it.each([
    ["at the first event", "onRunStartedEvent"],
    ["in the middle of a text, after the result", "onTextMessageContentEvent"],
  ] as const)("that lost its connection %s receives the rest of the run by sending it again", async (_when, moment) => {
    const { agent, run, say } = agUiAgent(shared, thread())
    say(
      await script([
        { content: [call("Write", { file_path: "/workspace/a.txt", content: "hi" })] },
        { content: [text("One two three four five.")], chunk: 3 },
      ]),
    )
    await run()
    const resume = [{ interruptId: agent.pendingInterrupts[0]?.id ?? "", status: "resolved" as const, payload: true }]
    const leaving = agent.subscribe({ [moment]: () => agent.abortRun() })
    await run({ resume })
    leaving.unsubscribe()
    const again = await run({ resume })
    expect(again).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(agent.messages.at(-1)).toMatchObject({ content: "One two three four five." })
  })
})
