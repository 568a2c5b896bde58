// The offline model as a harness: the answers that a workflow's agents receive without a key and without a network.
import { Effect, Schema, Stream } from "effect"
import { expect, it } from "vitest"
import { agentPrompt } from "../../../src/signals/agent-answer.ts"
import { makeAgentService } from "../../../src/signals/agent-service.ts"
import { OfflineHarness } from "../../../src/signals/harness/offline.ts"
import { HarnessService } from "../../../src/signals/harness.ts"
import { defineSignal } from "../../../src/signals/signal.ts"

const Completed = defineSignal("task:completed", {
  taskId: Schema.String,
  outcome: Schema.Literals(["success", "failure"]),
})
const AGENT = { name: "worker", emits: [Completed, "task:skipped"] }
const START = { id: "1", name: "task:next", payload: {}, timestamp: "2026-01-01T00:00:00.000Z" }

const using = <A, E>(use: (harness: HarnessService["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(HarnessService, use), OfflineHarness()))

it("completes with the concatenation of its stream, and never pretends to be Claude", async () => {
  const whole = await using((harness) => harness.complete("What is the meaning of this?"))
  const pieces = await using((harness) => Stream.runCollect(harness.stream("What is the meaning of this?")))
  expect(pieces.join("")).toBe(whole)
  expect(whole).toContain("offline model, not Claude")
})

it("answers an agent's prompt with the first signal that it may emit, filled in from the prompt", async () => {
  const run = (agent: Parameters<typeof agentPrompt>[1]) =>
    using((harness) => makeAgentService(harness).run("Sweep the floor.\ntaskId: task-3", START, agent))
  expect(await run(AGENT)).toEqual([{ name: "task:completed", payload: { taskId: "task-3", outcome: "success" } }])
  expect(await run({ name: "worker", emits: ["task:skipped"] })).toEqual([{ name: "task:skipped", payload: {} }])
})

it("answers many prompts at once, each with its own answer", async () => {
  const answers = await using((harness) =>
    Effect.forEach(
      Array.from({ length: 16 }, (_, index) => index),
      (index) => harness.complete(agentPrompt(`taskId: task-${index}`, AGENT)),
      { concurrency: "unbounded" },
    ),
  )
  answers.forEach((answer, index) => expect(answer).toContain(`"taskId":"task-${index}"`))
})
