// What a prompt says about the answer, and the signals that an answer becomes.
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { agentPrompt, parseAgentResponse } from "../../src/signals/agent-answer.ts"
import { defineSignal } from "../../src/signals/signal.ts"
import { answerOf } from "../support/signals/scripted-harness.ts"

const Rated = defineSignal("rated", { stars: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })) })
const Noted = defineSignal("noted", { text: Schema.String })
const several = { name: "critic", emits: [Rated, "skipped"] }
const one = { name: "noter", emits: ["noted"] }
const parse = (text: string, agent: Parameters<typeof parseAgentResponse>[1] = several) =>
  Effect.runPromise(parseAgentResponse(text, agent))

const JSON_ANSWER = answerOf({ name: "rated", payload: { stars: 4 } }, { name: "skipped" })
const SIGNALS = [
  { name: "rated", payload: { stars: 4 } },
  { name: "skipped", payload: {} },
]

describe("an agent's prompt", () => {
  it("ends with the shape of the answer, and the JSON Schema of each signal", () => {
    const text = agentPrompt("Rate it.", several)
    expect(text).toMatch(/^Rate it\.\n\nAnswer with JSON alone/)
    expect(text).toContain('{"signals":[{"name":NAME,"payload":PAYLOAD}]}')
    expect(text).toMatch(/- rated: \{.*"stars".*"maximum":5/)
    expect(text).toContain("- skipped: {}")
    expect(text).not.toContain("plain text")
  })

  it("offers plain text if the only signal accepts it, and consists of the prompt alone without signals", () => {
    expect(agentPrompt("Note it.", { name: "noter", emits: [Noted] })).toContain(
      'plain text emits noted with the payload {"text"',
    )
    expect(agentPrompt("Rate it.", { name: "critic", emits: [Rated] })).not.toContain("plain text")
    expect(agentPrompt("Think.", { name: "thinker", emits: [] })).toBe("Think.")
  })
})

describe("an agent's answer", () => {
  it.each([
    ["JSON alone", ` ${JSON_ANSWER}\n`],
    ["JSON in a fence", `Here it is:\n\`\`\`json\n${JSON_ANSWER}\n\`\`\`\nThat is all.`],
    ["JSON in a fence without a language", `\`\`\`\n${JSON_ANSWER}\n\`\`\``],
    ["JSON inside of text", `I rate it so: ${JSON_ANSWER} and {that} is "all".`],
    ["JSON behind an object that is none", `{"signals": oops} but ${JSON_ANSWER}`],
    ["JSON with other fields", JSON.stringify({ why: "It is good.", ...JSON.parse(JSON_ANSWER) })],
    [
      "JSON with braces in its texts",
      JSON_ANSWER.replace("{}", '{"a":"}\\"{"}').replace('{"name":"skipped"}', '{"name":"skipped","payload":{}}'),
    ],
  ])("is its signals: %s", async (_, text) => {
    expect(await parse(text)).toEqual(SIGNALS)
  })

  it("is an empty list, or plain text for the only signal", async () => {
    expect(await parse('{"signals":[]}')).toEqual([])
    expect(await parse(" It is good.\n", one)).toEqual([{ name: "noted", payload: { text: "It is good." } }])
    expect(await parse("I think.", { name: "thinker", emits: [] })).toEqual([])
  })

  it.each([
    ["text with several signals to choose from", "It is good.", "is text, but the agent has 2 signals"],
    ["signals that are no list", '{"signals":{}}', "has invalid signals"],
    ["a signal without a name", '{"signals":[{"payload":1}]}', "has invalid signals"],
  ])("is refused: %s", async (_, text, message) => {
    await expect(parse(text)).rejects.toMatchObject({
      _tag: "AgentError",
      agent: "critic",
      message: expect.stringContaining(message),
    })
  })

  it("of a megabyte of openings is parsed once", async () => {
    const text = '{"signals":'.repeat(100_000)
    expect(await parse(text, one)).toEqual([{ name: "noted", payload: { text } }])
  })
})
