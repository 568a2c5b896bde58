// The spellings of an agent's name in a call: rules apply to the agent, however the model writes its name.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"

const { scripted, start } = loop()

const HELPER = { description: "Helps.", prompt: "You are a helper." }

const ran = async (type: string, options: SessionOptions) => {
  const sub = scripted([textAnswer("The report.")])
  const input = { description: "d", subagent_type: type, prompt: promptFor(sub), run_in_background: false }
  const use = call("Agent", input)
  const { events, idle } = await start(
    [{ content: [use] }, DONE],
    {},
    { ...BYPASS, agents: { helper: HELPER }, ...options },
  )
  await idle()
  const result = toolResultsOf(events()).find((block) => block.tool_use_id === use.id)
  return {
    isError: result?.is_error === true,
    types: payloadsOf(events(), "sdk:system/task_started").map((one) => one["subagent_type"]),
  }
}

it.each([
  ["helper", "helper"],
  ["Helper", "helper"],
  ["explore", "Explore"],
  ["PLAN", "Plan"],
  ["General", "general-purpose"],
])("%s is the agent %s", async (written, name) => {
  expect(await ran(written, {})).toEqual({ isError: false, types: [name] })
})

it.each([
  ["explore", { settings: { permissions: { deny: ["Agent(Explore)"] } } }],
  ["plan", { disallowedTools: ["Agent(Plan)"] }],
  ["general", { disallowedTools: ["Task(general-purpose)"] }],
  ["Helper", { settings: { permissions: { deny: ["Agent(helper)"] } } }],
])("%s does not run if a rule denies the agent of that name", async (written, options) => {
  expect(await ran(written, options)).toEqual({ isError: true, types: [] })
})
