// A workflow is validated when it is created: names, patterns, definitions and limits.
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { defineHandler } from "../../src/signals/handler.ts"
import { defineSignal } from "../../src/signals/signal.ts"
import { compileWorkflow, type WorkflowConfig } from "../../src/signals/workflow.ts"

const Noted = defineSignal("noted", { text: Schema.String })
const agent = { name: "a", activatesOn: ["x"], prompt: () => "", emits: ["noted"] }
const none = () => Effect.succeed([])
const compiled = (given: Partial<WorkflowConfig<number>>) =>
  compileWorkflow({ name: "w", initialState: 0, handlers: [], until: () => true, ...given })

describe("a workflow", () => {
  it("accepts handlers and agents as lists or by name", () => {
    const handlers = { [Noted.name]: defineHandler(Noted, none), "x:*": none }
    const { handlers: kept, agents, definitions } = compiled({ handlers, agents: { a: agent } })
    expect(kept.map(({ patterns }) => patterns.map(({ text }) => text))).toEqual([["noted"], ["x:*"]])
    expect(agents.map(({ definition }) => definition.name)).toEqual(["a"])
    expect([...definitions.keys()]).toEqual(["noted"])
  })

  it.each<[string, Partial<WorkflowConfig<number>>, string]>([
    ["a name that is none", { name: "a b" }, "A workflow's name must be"],
    ["an agent's name that is none", { agents: [{ ...agent, name: "a\u001b" }] }, "An agent's name must be"],
    ["two agents of a name", { agents: [agent, agent] }, "Two agents are named a"],
    ["a handler at the key of another signal", { handlers: { other: defineHandler(Noted, none) } }, "handles noted"],
    ["a pattern that is none", { handlers: { "a b": none } }, '"a b" is not a signal pattern'],
    [
      "a handler of a signal of the runtime",
      { handlers: { "harness:end": none } },
      "harness:end is a signal of the runtime",
    ],
    [
      "an agent that emits one",
      { agents: [{ ...agent, emits: ["text:delta"] }] },
      "text:delta is a signal of the runtime",
    ],
    ["an agent that emits a pattern", { agents: [{ ...agent, emits: ["a:*"] }] }, "A signal's name must be"],
    ["two schemas for a name", { signals: [Noted, defineSignal("noted", {})] }, "noted is defined with two schemas"],
    ["a limit above ours", { limits: { queue: 1001 } }, "limits.queue must be an integer from 1 to 1000"],
    ["a limit that is no number", { limits: { depth: 0 } }, "limits.depth must be an integer from 1 to 100"],
  ])("is refused with %s", (_, given, message) => {
    expect(() => compiled(given)).toThrow(message)
  })

  it("can't define signals with names of the runtime", () => {
    expect(() => defineSignal("workflow:end", {})).toThrow("workflow:end is a signal of the runtime")
    expect(() => defineSignal("no name", {})).toThrow("A signal's name must be")
    expect(Noted.is({ name: "noted", payload: { text: "x" } })).toBe(true)
    expect(Noted.is({ name: "noted", payload: {} })).toBe(false)
    expect(() => Noted({ text: 1 } as never)).toThrow("text")
  })
})
