// The unmodified AG-UI client in runs that break off, or wait for another turn: its own verifier reads every event.
import { randomBytes } from "node:crypto"
import type { Message } from "@ag-ui/client"
import { describe, expect, inject, it } from "vitest"
import { agUiAgent, endOf, typesOf } from "./ag-ui-agent.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const script = async (turns: ReadonlyArray<unknown>): Promise<string> => promptFor(await api.add("ag-ui", turns))

const callsOf = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))

const WEATHER = { name: "get_weather", description: "The weather at a place", parameters: { type: "object" } }

describe("the HttpAgent", () => {
  it("receives a run with only tool results again that broke off in the middle of its text", async () => {
    const name = `thread-${randomBytes(6).toString("hex")}`
    const { agent, run, say, give } = agUiAgent(shared, name)
    say(await script([{ content: [call("get_weather", { place: "Bern" })] }, textAnswer("Sunny in Bern.")]))
    await run({ tools: [WEATHER] })
    give(callsOf(agent.messages)[0]!.id, "sunny")
    const sent = [...agent.messages]
    await run({ tools: [WEATHER] })
    const back = agUiAgent(shared, name)
    back.agent.setMessages([...sent, { id: agent.messages.at(-1)!.id, role: "assistant", content: "Sunny in" }])
    const again = await back.run({ tools: [WEATHER] })
    expect(again).toMatchObject({ warnings: [], failure: null })
    expect(endOf(again)).toMatchObject({ type: "RUN_FINISHED", result: "Sunny in Bern." })
    expect(back.agent.messages).toEqual(agent.messages)
    const whole = await back.run({ tools: [WEATHER] })
    expect(whole.failure?.message).toContain("contains neither a new user message nor a result of an open call")
  })

  it("whose prompt is queued behind a turn that asks later is notified of the ask, and then receives its answer", async () => {
    const perch = new PerchClient(shared)
    const id = await perch.createSession({})
    const asks = scriptName("ag-ui")
    const write = call("Write", { file_path: "/workspace/a.txt", content: "hi" })
    await api.set(asks, [{ content: [write], hold: {} }, textAnswer("Written.")])
    await perch.submit(id, promptFor(asks))
    const { agent, run, say } = agUiAgent(shared, id)
    say(await script([textAnswer("Second.")]))
    const waiting = new Promise<{ readonly id: string }>((resolve) => {
      agent.subscribe({
        onCustomEvent: ({ event }) => void (event.name === "waiting" && resolve(event.value as { id: string })),
      })
    })
    const second = run()
    let queued = 0
    const isSecond = (signal: { readonly type: string }) =>
      Reflect.get(signal, "name") === "turn:queued" && ++queued === 2
    await perch.stream(id, { format: "signal", until: isSecond })
    await api.release(`${asks}#0`)
    await perch.answer(id, (await waiting).id, { behavior: "allow" })
    const done = await second
    expect(done).toMatchObject({ warnings: [], failure: null })
    expect(typesOf(done.events).slice(0, 3)).toEqual(["RUN_STARTED", "CUSTOM", "STATE_SNAPSHOT"])
    expect(endOf(done)).toMatchObject({ type: "RUN_FINISHED", result: "Second." })
  })
})
