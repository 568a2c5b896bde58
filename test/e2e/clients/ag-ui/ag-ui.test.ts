// The unmodified client of AG-UI in conversations with a real server: its own verifier reads every event, and says nothing.
import { randomBytes, randomUUID } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import { agUiAgent, endOf, typesOf } from "./ag-ui-agent.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, text } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const thread = () => `thread-${randomBytes(6).toString("hex")}`
const script = async (turns: Parameters<ApiLog["set"]>[1]): Promise<string> => {
  const name = scriptName("ag-ui")
  await api.set(name, turns)
  return promptFor(name)
}

/** The types of events, of several pieces of one text the first. */
const shapeOf = (events: Parameters<typeof typesOf>[0]) =>
  typesOf(events).filter((type, index, all) => type !== all[index - 1])

const WEATHER = {
  name: "get_weather",
  description: "The weather at a place",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
}

describe("the HttpAgent", () => {
  it("talks: text streams, state has the todos, and each run is a step or more", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    agent.setState({ mine: 1 })
    const todos = [{ content: "Write", status: "in_progress", activeForm: "Writing" }]
    say(
      await script([{ content: [text("I plan."), call("TodoWrite", { todos })] }, { content: [text("Hello there.")] }]),
    )
    const first = await run()
    expect(first).toMatchObject({ warnings: [], failure: null })
    const opened = "RUN_STARTED STATE_SNAPSHOT STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END"
    const called = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STATE_DELTA"
    const closed = "STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
    // A call may run before the answer that it is in has ended.
    const shape = shapeOf(first.events.filter(({ type }) => type !== "STEP_FINISHED"))
    expect(first.events.filter(({ type }) => type === "STEP_FINISHED")).toHaveLength(2)
    expect(shape.join(" ")).toBe(`${opened} ${called} ${closed}`)
    expect(endOf(first)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" }, result: "Hello there." })
    expect(agent.state).toMatchObject({ mine: 1, todos: [{ content: "Write", status: "in_progress" }] })
    expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(agent.messages.at(-1)).toMatchObject({ content: "Hello there." })

    say(await script([{ content: [text("Again.")] }]))
    const second = await run()
    expect(second).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.at(-1)).toMatchObject({ content: "Again." })
  })

  it("carries out a tool of its own, and goes on with the result", async () => {
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
        { content: [text("Sunny in Bern.")] },
      ]),
    )
    const asked = await run({ tools: [WEATHER] })
    expect(asked).toMatchObject({ warnings: [], failure: null })
    const calls = agent.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
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

  it("is interrupted for a permission, and resumed with the answer", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    say(
      await script([
        { content: [call("Write", { file_path: "/workspace/a.txt", content: "hi" })] },
        { content: [text("Written.")] },
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

  it("gets the same run again for the same run id", async () => {
    const { agent, run, say } = agUiAgent(shared, thread())
    say(await script([{ content: [text("Once.")] }]))
    const runId = randomUUID()
    await run({ runId })
    const again = await run({ runId })
    expect(again).toMatchObject({ warnings: [], failure: null })
    expect(agent.messages.map(({ role, content }) => [role, role === "user" ? "" : content])).toEqual([
      ["user", ""],
      ["assistant", "Once."],
    ])
  })
})
