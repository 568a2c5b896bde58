// A session whose main thread runs as an agent has that agent's prompt, tools and limits.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { asAgent } from "../../../src/session/definitions/main-agent.ts"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"

const made = loop()

const AGENT = {
  description: "Reviews.",
  prompt: "You review changes.",
  tools: ["Read", "Grep"],
  model: "haiku",
  permissionMode: "bypassPermissions" as const,
}
const options = (more: SessionOptions = {}): SessionOptions => ({
  agent: "reviewer",
  agents: { reviewer: AGENT },
  ...more,
})

/** The last request; its `system` has this shape. */
const sent = () => made.api.log.at(-1)?.body as unknown as { system: ReadonlyArray<{ text: string }>; model: string }

describe("the main thread runs as options.agent", () => {
  it("with its prompt, tools and model, but not its permission mode", async () => {
    const { events } = await made.finish([DONE], {}, options())
    expect(payloadsOf(events(), "sdk:system/init")[0]).toMatchObject({
      tools: ["Read", "Grep"],
      model: expect.stringContaining("haiku"),
      permissionMode: "default",
    })
    expect(sent().system.map(({ text }) => text)).toEqual([AGENT.prompt])
  })

  it("with an explicit model, and with the text that is appended to the preset", async () => {
    const systemPrompt = { type: "preset", preset: "claude_code", append: "Be brief." } as const
    await made.finish([DONE], {}, options({ model: "opus", systemPrompt }))
    expect(sent().model).toContain("opus")
    expect(sent().system.map(({ text }) => text)).toEqual([AGENT.prompt, "Be brief."])
  })

  it("and ends in an error if there is no such agent, or if the agent has an initial prompt", async () => {
    const { result } = await made.finish([], {}, { agent: "nothing" })
    expect(result()).toMatchObject({
      subtype: "error_during_execution",
      errors: [expect.stringContaining('no agent "nothing". The agents are: Explore, general-purpose, Plan.')],
    })
    const begins = { reviewer: { ...AGENT, initialPrompt: "Begin." } }
    const refused = await made.finish([], {}, { agent: "reviewer", agents: begins })
    expect(refused.result()).toMatchObject({ errors: [expect.stringContaining("agents.reviewer.initialPrompt")] })
  })

  it("which can only narrow the session's options, and has no limit of its own", () => {
    const agent = { name: "a", description: "", prompt: "", source: "options" as const }
    expect(asAgent(agent, {}, {})).toEqual({})
    const narrow = { ...agent, tools: ["Read", "Bash"], disallowedTools: ["Bash(rm *)"], maxTurns: 5 }
    expect(asAgent(narrow, { tools: ["Read", "Edit"], disallowedTools: ["WebFetch"] }, { maxTurns: 9 })).toEqual({
      tools: ["Read"],
      disallowedTools: ["WebFetch", "Bash(rm *)"],
      maxTurns: 9,
    })
  })
})
