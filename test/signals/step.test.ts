// A signal's handlers, then its agents: what they may return, and what not.
import { Effect, Ref, Schema } from "effect"
import { describe, expect, it } from "vitest"
import type { Emitted, Signal } from "../../src/schemas/signal.ts"
import type { AgentService } from "../../src/signals/agent.ts"
import { createWorkflow } from "../../src/signals/create-workflow.ts"
import { defineHandler, type Handler } from "../../src/signals/handler.ts"
import { defineSignal } from "../../src/signals/signal.ts"
import type { WorkflowState } from "../../src/signals/state.ts"
import { processSignal, runHandlers } from "../../src/signals/step.ts"

const Counted = defineSignal("counted", { at: Schema.Date, count: Schema.Int })
const signal = (name: string, payload: Signal["payload"] = {}): Signal => ({ id: "s1", name, payload, timestamp: "" })
const add = (text: string) => (_: Signal<unknown>, state: WorkflowState<string>) =>
  Effect.as(
    Ref.update(state, (all) => all + text),
    [{ name: "added", payload: { text } }],
  )
const workflowOf = (handle: Handler<string, unknown, unknown>) =>
  createWorkflow<string>({
    name: "w",
    initialState: "",
    handlers: [defineHandler({ signals: ["go", Counted], handle })],
    until: () => false,
  })
const answering = (emitted: ReadonlyArray<Emitted>): AgentService["Service"] => ({ run: () => Effect.succeed(emitted) })
const emitting = (emitted: ReadonlyArray<Emitted>) => workflowOf(() => Effect.succeed(emitted))
const agents = answering([])

describe("the handlers of a signal", () => {
  it("run one after the other in the order of the workflow, by name and by pattern", async () => {
    const workflow = createWorkflow<string>({
      name: "w",
      initialState: "",
      handlers: [
        defineHandler({ signals: ["a:*"], handle: add("1") }),
        defineHandler({ signals: ["b"], handle: add("2") }),
        defineHandler({ signals: ["a:b", "**"], handle: add("3") }),
      ],
      until: (state) => state === "13",
    })
    expect(await Effect.runPromise(processSignal(workflow, { state: "", signal: signal("a:b"), agents }))).toEqual({
      state: "13",
      emitted: [
        { name: "added", payload: { text: "1" }, source: { parent: "s1" } },
        { name: "added", payload: { text: "3" }, source: { parent: "s1" } },
      ],
      observed: [],
      done: true,
    })
  })

  it("receive the payload with the definition's type, and emit it as JSON", async () => {
    const at = new Date(86_400_000)
    const workflow = createWorkflow<number>({
      name: "w",
      initialState: 0,
      handlers: [
        defineHandler(Counted, ({ payload }, state: WorkflowState<number>) =>
          Effect.as(Ref.set(state, payload.at.getTime()), [Counted({ at, count: payload.count + 1 })]),
        ),
      ],
      until: () => false,
    })
    const counted = signal("counted", Counted({ at, count: 1 }).payload)
    const { state, emitted } = await Effect.runPromise(runHandlers(workflow, 0, counted))
    expect(state).toBe(86_400_000)
    expect(emitted).toMatchObject([{ payload: { at: "1970-01-02T00:00:00.000Z", count: 2 } }])
  })

  it.each<[string, Handler<string, unknown, unknown>]>([
    ["fails", () => Effect.fail(new Error("No luck."))],
    [
      "throws",
      () => {
        throw new Error("No luck.")
      },
    ],
    ["dies", () => Effect.die(new Error("No luck."))],
  ])("fail with a HandlerError that names the signal when one %s", async (_, handle) => {
    const failed = processSignal(workflowOf(handle), { state: "", signal: signal("go"), agents })
    await expect(Effect.runPromise(failed)).rejects.toMatchObject({
      _tag: "HandlerError",
      signal: "go",
      message: "A handler of go failed: No luck.",
    })
  })

  it.each<[string, unknown, string]>([
    ["a promise", Promise.resolve([]), "A handler must return an Effect."],
    ["nothing", undefined, "A handler must return an Effect."],
    ["no list", Effect.succeed(undefined), "A handler must succeed with a list of signals {name, payload}."],
    ["a list of others", Effect.succeed([null]), "A handler must succeed with a list of signals {name, payload}."],
  ])("fail with a HandlerError when one returns %s", async (_, returned, message) => {
    // As an untyped program could do.
    const failed = processSignal(
      workflowOf(() => returned as never),
      { state: "", signal: signal("go"), agents },
    )
    await expect(Effect.runPromise(failed)).rejects.toMatchObject({
      _tag: "HandlerError",
      message: `A handler of go failed: ${message}`,
    })
  })

  it.each<[string, Emitted]>([
    ["a signal of the runtime", { name: "harness:end", payload: {} }],
    ["a name that is none", { name: "a::b", payload: {} }],
    ["a payload that its definition refuses", { name: "counted", payload: { count: 1.5 } }],
    ["a payload that is too large", { name: "big", payload: "x".repeat(300_000) }],
  ])("may not emit %s", async (_, emitted) => {
    const failed = processSignal(emitting([emitted]), { state: "", signal: signal("go"), agents })
    await expect(Effect.runPromise(failed)).rejects.toMatchObject({ _tag: "HandlerError", signal: "go" })
  })
})

describe("the agents of a signal", () => {
  const withAgent = (prompt: (state: string) => string = (state) => `state ${state}`) =>
    createWorkflow<string>({
      name: "w",
      initialState: "",
      handlers: [defineHandler({ signals: ["go"], handle: add("1") })],
      agents: [{ name: "writer", activatesOn: ["g*"], prompt, emits: ["written", Counted] }],
      until: () => false,
    })

  it("are called with the state after the handlers, and emit after them", async () => {
    const asked: Array<string> = []
    const service: AgentService["Service"] = {
      run: (prompt) =>
        Effect.sync(() => {
          asked.push(prompt)
          return [{ name: "written", payload: 1 }]
        }),
    }
    const step = await Effect.runPromise(
      processSignal(withAgent(), { state: "0", signal: signal("go"), agents: service }),
    )
    expect(asked).toEqual(["state 01"])
    expect(step.observed).toEqual([
      {
        name: "agent:activated",
        payload: { agent: "writer", trigger: "go", prompt: "state 01" },
        source: { agent: "writer", parent: "s1" },
      },
    ])
    expect(step.emitted.at(-1)).toEqual({ name: "written", payload: 1, source: { agent: "writer", parent: "s1" } })
  })

  it.each<[string, ReadonlyArray<Emitted>, string]>([
    [
      "does not declare",
      [{ name: "other", payload: {} }],
      "writer emitted other, which it does not declare. Declared: written, counted.",
    ],
    ["defines otherwise", [{ name: "counted", payload: {} }], "The payload of counted is wrong"],
  ])("may not emit what the agent %s", async (_, emitted, message) => {
    const failed = processSignal(withAgent(), { state: "", signal: signal("go"), agents: answering(emitted) })
    await expect(Effect.runPromise(failed)).rejects.toMatchObject({
      _tag: "AgentError",
      agent: "writer",
      message: expect.stringContaining(message),
    })
  })

  it("fail when their prompt can't be built", async () => {
    const broken = withAgent(() => {
      throw new Error("No prompt.")
    })
    const failed = processSignal(broken, { state: "", signal: signal("go"), agents })
    await expect(Effect.runPromise(failed)).rejects.toMatchObject({
      _tag: "AgentError",
      message: expect.stringContaining("No prompt."),
    })
    const none = processSignal(
      withAgent(() => undefined as never),
      { state: "", signal: signal("go"), agents },
    )
    await expect(Effect.runPromise(none)).rejects.toMatchObject({
      _tag: "AgentError",
      message: "The prompt of writer must be a string.",
    })
  })
})
