// `perch/signals` in a Worker: a workflow runs in memory, is recorded in the storage of a Durable Object, and is replayed.
import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import {
  AdapterService,
  createRuntime,
  HarnessService,
  layerSqlite,
  RecordingStore,
  replay,
  withRecording,
} from "../../src/signals/entry.ts"
import { scriptedHarness } from "../support/signals/scripted-harness.ts"
import { taskWorkflow, workerAnswer } from "../support/signals/task-workflow.ts"

const quiet = Layer.succeed(AdapterService, { process: () => Effect.void })

it("a workflow runs in a Worker, is recorded by a Durable Object, and is replayed without a request", async () => {
  const { harness, prompts } = scriptedHarness(workerAnswer)
  const object = env.SESSIONS.getByName("test/signals-in-a-worker")
  const found = await runInDurableObject(object, (_: object, { storage }: DurableObjectState) => {
    const parts = Layer.mergeAll(Layer.succeed(HarnessService, harness), quiet, layerSqlite(storage))
    const program = Effect.gen(function* () {
      const state = yield* withRecording(yield* createRuntime(taskWorkflow), "run-1")
      const asked = prompts.length
      const replayed = yield* replay(taskWorkflow, "run-1")
      const listed = yield* (yield* RecordingStore).list()
      return { state, replayed, requests: prompts.length - asked, listed: listed.recordings.map(({ id }) => id) }
    })
    return Effect.runPromise(Effect.provide(program, parts))
  })
  expect(found.state.tasks.map(({ status }) => status)).toEqual(["success", "success"])
  expect(found).toMatchObject({ replayed: found.state, requests: 0, listed: ["run-1"] })
})
