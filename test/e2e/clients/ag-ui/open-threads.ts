// Threads of AG-UI clients that wait for their apps while the server is killed. For restart.test.ts.
import { expect } from "vitest"
import type { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"
import { agUiAgent, endOf } from "./ag-ui-agent.ts"

const TOOL = { name: "get_weather", description: "The weather at a place", parameters: { type: "object" } }

/** Opens them; call the returned function when the server runs again. */
export const openThreads = async (
  perch: { readonly url: string; readonly key: string },
  api: ApiLog,
): Promise<() => Promise<void>> => {
  const begin = async (content: ReadonlyArray<unknown>) => {
    const name = scriptName("ag-ui")
    await api.set(name, [{ content }, textAnswer("It went on.")])
    const client = agUiAgent(perch, name)
    client.say(promptFor(name))
    expect(await client.run({ tools: [TOOL] })).toMatchObject({ warnings: [], failure: null })
    return client
  }
  const asked = await begin([call("Write", { file_path: "/workspace/a.txt", content: "hi" })])
  const called = await begin([call("get_weather", { place: "Bern" })])
  const callId = called.agent.messages.flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : []))[0]?.id
  return async () => {
    const interruptId = asked.agent.pendingInterrupts[0]?.id ?? ""
    const resumed = await asked.run({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] })
    expect(resumed).toMatchObject({ warnings: [], failure: null })
    expect(endOf(resumed)).toMatchObject({ type: "RUN_FINISHED", result: "It went on." })
    called.give(callId ?? "", "sunny")
    const went = await called.run({ tools: [TOOL] })
    expect(went).toMatchObject({ warnings: [], failure: null })
    expect(endOf(went)).toMatchObject({ type: "RUN_FINISHED", result: "It went on." })
    for (const { agent } of [asked, called]) {
      expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
    }
  }
}
