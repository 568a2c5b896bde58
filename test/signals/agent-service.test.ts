// A turn of an agent by a harness: which one, with which model, and what is observed of it.
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { type AgentTurn, Observer, type Observed } from "../../src/signals/agent.ts"
import { makeAgentService } from "../../src/signals/agent-service.ts"
import { scriptedHarness } from "../support/signals/scripted-harness.ts"

const signal = { id: "s1", name: "go", payload: {}, timestamp: "" }
const turn = async (
  agent: Partial<AgentTurn>,
  own = scriptedHarness(() => ["It ", "", "is good."]),
  other = scriptedHarness(() => "Other."),
) => {
  const observed: Array<Observed> = []
  const service = makeAgentService(own.harness, { other: other.harness })
  const run = service.run("Rate it.", signal, { name: "critic", emits: ["rated"], ...agent })
  const observe = (one: Observed) => Effect.sync(() => void observed.push(one))
  const exit = await Effect.runPromiseExit(Effect.provideService(run, Observer, observe))
  return { exit, observed, own, other }
}
const failure = async (agent: Partial<AgentTurn>, own?: ReturnType<typeof scriptedHarness>) =>
  Effect.runPromise(Effect.flip((await turn(agent, own)).exit))

describe("a turn by a harness", () => {
  it("is observed from its start, chunk by chunk, to its end", async () => {
    const { observed, own } = await turn({})
    expect(observed.map(({ name }) => name)).toEqual([
      "harness:start",
      "text:delta",
      "text:delta",
      "text:complete",
      "harness:end",
    ])
    expect(observed[0]?.payload).toEqual({ input: own.prompts[0] })
    expect(observed.slice(1, 4).map(({ payload }) => payload)).toEqual([
      { content: "It " },
      { content: "is good." },
      { text: "It is good." },
    ])
    expect(observed[4]?.payload).toEqual({ output: "It is good.", durationMs: expect.any(Number) })
  })

  it("uses the harness and the model that the agent names", async () => {
    const { observed, own, other } = await turn({ harness: "other", model: "haiku" })
    expect(own.prompts).toEqual([])
    expect(other.options).toEqual([{ model: "haiku" }])
    expect(observed[0]?.source).toEqual({ harness: "other" })
    expect((await turn({})).own.options).toEqual([{}])
  })

  it("fails for an unknown harness, for tools, and for an answer above the limit", async () => {
    expect(await failure({ harness: "gone" })).toMatchObject({
      _tag: "AgentError",
      message: expect.stringContaining("gone"),
    })
    expect(await failure({ tools: ["Read"] })).toMatchObject({ message: expect.stringContaining("has tools") })
    const endless = scriptedHarness(() => Array.from({ length: 400 }, () => "x".repeat(1000)))
    expect(await failure({}, endless)).toMatchObject({ message: "The payload of harness:end is larger than 256 KiB." })
  })

  it("fails when its harness fails, and the failure is observed", async () => {
    const broken = scriptedHarness(() => {
      throw new Error("It is away.")
    })
    const { exit, observed } = await turn({}, broken)
    expect(await Effect.runPromise(Effect.flip(exit))).toMatchObject({
      _tag: "AgentError",
      agent: "critic",
      message: "The model of critic failed: Error: It is away.",
      cause: { _tag: "HarnessError" },
    })
    expect(observed.at(-1)).toMatchObject({ name: "harness:error", payload: { message: "Error: It is away." } })
  })

  it.each<[string, () => Stream.Stream<string>, string]>([
    [
      "throws",
      () => {
        throw new Error("It threw.")
      },
      "The model of critic failed: It threw.",
    ],
    ["dies", () => Stream.die("dead"), "The model of critic failed: dead"],
    ["gives no text", () => Stream.make(null as never), "The model of critic returned a part that is not text."],
  ])("fails for a harness that %s", async (_, stream, message) => {
    const own = scriptedHarness(() => "")
    const { exit } = await turn({}, { ...own, harness: { ...own.harness, stream } })
    expect(await Effect.runPromise(Effect.flip(exit))).toMatchObject({ _tag: "AgentError", agent: "critic", message })
  })
})
