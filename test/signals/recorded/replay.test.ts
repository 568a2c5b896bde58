// A recorded run is replayed without a model; the first deviation of the workflow ends the replay.
import { Effect, Exit, Layer, Ref } from "effect"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { memoryStore, recordingOf, RecordingStore } from "../../../src/recording/recording-store.ts"
import type { Recording } from "../../../src/recording/recording.ts"
import type { Signal } from "../../../src/schemas/signal.ts"
import { AdapterService } from "../../../src/signals/adapter.ts"
import { createWorkflow } from "../../../src/signals/create-workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import { HarnessService } from "../../../src/signals/harness.ts"
import { answersOf } from "../../../src/signals/recorded/agent-recording.ts"
import { replay, replayRecording } from "../../../src/signals/recorded/replay.ts"
import { createRuntime } from "../../../src/signals/runtime.ts"
import type { WorkflowState } from "../../../src/signals/state.ts"
import type { Workflow } from "../../../src/signals/workflow.ts"
import { withRecording } from "../../../src/signals/recorded/with-recording.ts"
import { registeredWorkflow } from "../../../src/signals/workflows/registered.ts"
import { DurableRuns } from "../../support/signals/durable-runs.ts"
import { scriptedHarness } from "../../support/signals/scripted-harness.ts"
import {
  onCompleted,
  onStart,
  type TaskState,
  taskWorkflow,
  workerAnswer,
} from "../../support/signals/task-workflow.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-replay-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const quiet = Layer.succeed(AdapterService, { process: () => Effect.void })

/** Records a run of the task workflow; returns the store, and the number of prompts sent to the harness. */
const recorded = async (answer: (prompt: string) => string = workerAnswer) => {
  const held = new Map<string, Recording>()
  const { harness, prompts } = scriptedHarness(answer)
  const layer = Layer.mergeAll(
    Layer.succeed(HarnessService, harness),
    Layer.succeed(RecordingStore, memoryStore(held)),
    quiet,
  )
  const run = Effect.flatMap(createRuntime(taskWorkflow), (runtime) => withRecording(runtime, "tasks-1"))
  const ended = await Effect.runPromiseExit(Effect.provide(run, layer))
  const recording = held.get("tasks-1")
  if (recording === undefined) throw new Error("The run was not recorded.")
  return { ended, recording, prompts, store: Layer.succeed(RecordingStore, memoryStore(held)) }
}

const withPrompt = (prompt: (state: TaskState) => string) =>
  createWorkflow({
    ...taskWorkflow,
    handlers: [onStart, onCompleted],
    agents: [{ name: "worker", activatesOn: ["task:next"], prompt, emits: ["task:completed"] }],
  })

const replayed = async (workflow: Workflow<TaskState>, store: Layer.Layer<RecordingStore>) =>
  Effect.runPromiseExit(Effect.provide(replay(workflow, "tasks-1"), Layer.merge(store, quiet)))

describe("a recorded run", () => {
  it("has its signals, its agents' answers and the store's description", async () => {
    const { ended, recording, prompts } = await recorded()
    expect(Exit.isSuccess(ended)).toBe(true)
    expect(recording.metadata).toMatchObject({
      id: "tasks-1",
      kind: "workflow",
      name: "tasks",
      finalized: true,
      signalCount: recording.signals.length,
      source: { workflow: "tasks" },
    })
    expect(recording.answers).toMatchObject([
      { kind: "agent", ordinal: 0, request: { agent: "worker", prompt: "Do task a." } },
      { kind: "agent", ordinal: 0, request: { agent: "worker", prompt: "Do task b." } },
    ])
    expect(prompts).toHaveLength(2)
  })

  it("is replayed without a harness, to the same state", async () => {
    const { ended, store } = await recorded()
    expect(await replayed(taskWorkflow, store)).toEqual(ended)
  })

  it("is replayed from a file, signal by signal, in Node", async () => {
    const file = path.join(folder, "recordings/happy-path.json")
    const live = await taskWorkflow.run({ harness: scriptedHarness(workerAnswer).harness, record: file })
    expect(await replay(file, { workflow: taskWorkflow, adapters: [] })).toEqual(live)
  })

  it("fails in its replay as it failed when recorded", async () => {
    const { ended, recording, store } = await recorded(() => '{"signals":[{"name":"task:lost"}]}')
    const message = "worker emitted task:lost, which it does not declare. Declared: task:completed."
    expect(recording.metadata.finalized).toBe(false)
    for (const exit of [ended, await replayed(taskWorkflow, store)]) {
      expect(await Effect.runPromise(Effect.flip(exit))).toMatchObject({ _tag: "AgentError", agent: "worker", message })
    }
  })

  it("ends with the difference when an agent gets another prompt", async () => {
    const { store } = await recorded()
    const exit = await replayed(
      withPrompt(() => "Do task z."),
      store,
    )
    const error = await Effect.runPromise(Effect.flip(exit))
    expect(error).toMatchObject({ _tag: "RecordingNotFound", recording: "tasks-1" })
    expect(error).toHaveProperty(
      "difference",
      expect.stringMatching(/prompt\nrecorded: .*Do task a.*\nasked: .*Do task z/),
    )
  })

  it("ends with the difference when a handler emits something else", async () => {
    const { store } = await recorded()
    const other = createWorkflow({
      ...taskWorkflow,
      agents: [],
      handlers: [
        defineHandler({
          signals: ["workflow:start"],
          handle: (_, state: WorkflowState<TaskState>) =>
            Effect.as(Ref.get(state), [{ name: "task:next", payload: { hurry: true } }]),
        }),
      ],
    })
    const error = await Effect.runPromise(Effect.flip(await replayed(other, store)))
    expect(error).toMatchObject({
      _tag: "RecordingNotFound",
      message: "Signal 1 of the recording tasks-1 is task:next, but the run emits another one.",
      difference: expect.stringContaining("payload.hurry"),
    })
  })

  it("ends when the run stops and the recording continues", async () => {
    const { store } = await recorded()
    const shorter = createWorkflow({ ...taskWorkflow, agents: [] })
    const error = await Effect.runPromise(Effect.flip(await replayed(shorter, store)))
    expect(error).toMatchObject({
      message: "Signal 2 of the recording tasks-1 is agent:activated, but the run emits workflow:end.",
    })
  })

  it.each(["tasks", "debate"])("is also the log of a durable run: %s", async (name) => {
    const workflow = registeredWorkflow(name)
    if (workflow === undefined) throw new Error(`There is no workflow ${name}.`)
    const run = new DurableRuns(workflow, ({ agent, prompt }) => {
      const taskId = /^taskId: (.*)$/m.exec(prompt)?.[1] ?? ""
      return name === "debate"
        ? [{ name: "argument:made", payload: { text: agent } }]
        : [{ name: "task:completed", payload: { taskId, outcome: "success", summary: "" } }]
    })
    await run.settle()
    const signals = run.log.map(({ seq: _, ...signal }) => signal)
    const recording = await Effect.runPromise(recordingOf("durable", signals, answersOf(workflow, signals)))
    const found = await Effect.runPromise(replayRecording(workflow, recording))
    expect(found).toEqual({ state: run.state, signals })
  })

  it("without the workflow passes the recorded signals to adapters, and returns the recorded state", async () => {
    const file = path.join(folder, "shown.json")
    const { harness } = scriptedHarness(workerAnswer)
    const live = await taskWorkflow.run({ harness, record: file })
    const seen: Array<Signal> = []
    const adapter = { process: (signal: Signal) => Effect.sync(() => void seen.push(signal)) }
    const shown = await replay<TaskState>(file, { adapters: [adapter] })
    expect(shown).toEqual(live)
    expect(seen).toEqual(live.signals)
    expect((await replay(file)).state).toEqual(live.state)
  })

  it("replaces the recording in its file once the new one is complete, and leaves nothing else", async () => {
    const own = path.join(folder, "replaced")
    const file = path.join(own, "tasks.json")
    for (const from of [1, 2]) {
      await taskWorkflow.run({ harness: scriptedHarness(workerAnswer).harness, record: file, input: { from } })
      expect((await replay(file)).signals[0]?.payload).toEqual({ from })
    }
    expect(fs.readdirSync(own)).toEqual(["tasks.json"])
  })

  it("without the workflow fails as the recorded run did, and if the recording has no state", async () => {
    const file = path.join(folder, "failed.json")
    const failing = scriptedHarness(() => {
      throw new Error("It is away.")
    })
    await expect(taskWorkflow.run({ harness: failing.harness, record: file })).rejects.toThrow("It is away.")
    await expect(replay(file)).rejects.toMatchObject({
      _tag: "WorkflowError",
      message: expect.stringContaining("The recorded run failed: AgentError: The model of worker failed"),
    })
    const { recording } = await recorded()
    fs.writeFileSync(file, JSON.stringify({ ...recording, checkpoints: [] }))
    await expect(replay(file)).rejects.toThrow("does not contain the state. Pass its workflow")
  })

  it("is refused if the file is missing or invalid", async () => {
    const { store } = await recorded()
    const missing = await Effect.runPromise(
      Effect.flip(replay(taskWorkflow, "other")).pipe(Effect.provide(Layer.merge(store, quiet))),
    )
    expect(missing).toMatchObject({ _tag: "RecordingNotFound", message: 'There is no recording "other".' })
    const file = path.join(folder, "not-one.json")
    fs.writeFileSync(file, "{}")
    await expect(replay(file, { workflow: taskWorkflow })).rejects.toMatchObject({ _tag: "WorkflowError" })
    await expect(replay(`${file}.gone`, { workflow: taskWorkflow })).rejects.toMatchObject({
      _tag: "RecordingNotFound",
    })
  })
})
