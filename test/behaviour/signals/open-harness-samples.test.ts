// The code samples of the specification "Open Harness Effect Rewrite" (1.0, draft), in its order, compiled and run: its core
// types, runtime loop, recording, errors and layers. Its API surface is in open-harness-api.test.ts.
// Its code is a draft for Effect 3; what is written otherwise here:
// - `@effect/schema` is `Schema` of effect, whose literals of several values are `S.Literals([...])`.
// - A signal's `timestamp` is the ISO text itself; `S.DateFromString` decodes it.
// - `Context.GenericTag` and `Data.TaggedError` are classes: `Context.Service` and `Schema.TaggedError`.
// - `Signal<unknown>[]` that handlers and agents return are `Emitted`: the runtime adds id, time and source.
// - `Stream.async` is `Stream.callback`; `Effect.fork` is a fiber of each adapter in the run's scope.
// - `AgentService.run` also receives the agent; a harness's methods take the agent's model in addition to the prompt.
// - `ClaudeHarnessLive` is `ClaudeHarness({ model })`; `TerminalAdapterLive(renderers)` is `terminalAdapterLayer({ renderers })`.
// - `SqliteRecordingStoreLive(file)` is `layerSqliteFile(file)`; Perch has layers in memory and in files of JSON lines as well.
// - `makeMockHarness(signals)` is `ReplayHarness(recording)`; a replay checks whole turns, and needs no harness.
// - `createWorkflow`'s result is what `createRuntime`, `withRecording` and `replay` take as `config`; it has a `name`.
import { Context, Effect, Exit, Layer, Queue, Ref, Schema as S, Stream } from "effect"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import {
  AdapterService,
  type AgentDef,
  AgentError,
  type AllErrors,
  ClaudeHarness,
  createRuntime,
  createWorkflow,
  defineHandler,
  defineSignal,
  type Emitted,
  getState,
  type Handler,
  HandlerError,
  HarnessError,
  HarnessService,
  layerSqliteFile,
  makeAgentService,
  parseAgentResponse,
  RecordingStore,
  type RendererMap,
  replay,
  ReplayHarness,
  type Signal,
  terminalAdapter,
  terminalAdapterLayer,
  updateState,
  withRecording,
  WorkflowError,
  type WorkflowRuntime,
  type WorkflowState,
} from "../../../src/signals/entry.ts"
import { answerOf, scriptedHarness } from "../../support/signals/scripted-harness.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-samples-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

// ---- Core types: signal

const SignalSchema = <T extends S.Codec<unknown, unknown>>(payloadSchema: T) =>
  S.Struct({ id: S.String, name: S.String, payload: payloadSchema, timestamp: S.DateFromString })

const TaskCompletedPayload = S.Struct({
  taskId: S.String,
  outcome: S.Literals(["success", "failure", "partial"]),
  summary: S.String,
})
type TaskCompletedPayload = typeof TaskCompletedPayload.Type
type TaskCompletedSignal = Signal<TaskCompletedPayload>
type DecodedTaskCompleted = ReturnType<typeof SignalSchema<typeof TaskCompletedPayload>>["Type"]

const TaskCompleted = defineSignal({ name: "task:completed", schema: TaskCompletedPayload })

// ---- Core types: state and handler

interface MyState {
  readonly tasks: ReadonlyArray<{ readonly id: string; readonly status: string }>
  readonly done: boolean
}

const taskCompletedHandler: Handler<MyState, TaskCompletedPayload> = (signal, stateRef) =>
  Effect.gen(function* () {
    yield* Ref.update(stateRef, (s) => ({
      ...s,
      tasks: s.tasks.map((t) => (t.id === signal.payload.taskId ? { ...t, status: signal.payload.outcome } : t)),
    }))
    const state = yield* Ref.get(stateRef)
    if (state.tasks.every((t) => t.status === "success")) {
      return [{ name: "workflow:complete", payload: {} }]
    }
    return [{ name: "task:next", payload: {} }]
  })

// ---- Core types: agent, harness, adapter

const planner: AgentDef<MyState> = {
  name: "planner",
  activatesOn: ["task:next"],
  prompt: (state, signal) => `${signal.name}: do ${state.tasks.find((t) => t.status !== "success")?.id}`,
  emits: [TaskCompleted],
}

const claudeClient = { messages: { create: async (prompt: string) => `Answer to ${prompt}` } }

const ClaudeHarnessLive = Layer.succeed(HarnessService, {
  complete: (prompt) =>
    Effect.tryPromise({
      try: () => claudeClient.messages.create(prompt),
      catch: (e) => new HarnessError({ message: "Claude API failed", cause: e }),
    }),
  stream: (prompt) =>
    Stream.callback<string, HarnessError>((queue) =>
      Effect.sync(() => {
        Queue.offerAllUnsafe(queue, ["Answer ", `to ${prompt}`])
        Queue.endUnsafe(queue)
      }),
    ),
})

const myRenderers: RendererMap = {
  "task:completed": (signal: Signal<TaskCompletedPayload>) => `${signal.payload.taskId}: ${signal.payload.outcome}`,
  "task:next": () => null,
}

// ---- Layer composition

const worker = scriptedHarness((prompt) =>
  answerOf({
    name: "task:completed",
    payload: { taskId: /do (\w+)/.exec(prompt)?.[1], outcome: "success", summary: "" },
  }),
)
const initialState: MyState = { tasks: ["a", "b", "c"].map((id) => ({ id, status: "open" })), done: false }

const myConfig = createWorkflow({
  name: "tasks",
  initialState,
  handlers: {
    "workflow:start": () => Effect.succeed([{ name: "task:next", payload: {} }]),
    [TaskCompleted.name]: defineHandler(TaskCompleted, taskCompletedHandler),
    "workflow:complete": (_: Signal, state: WorkflowState<MyState>) =>
      Effect.as(
        updateState(state, (s) => ({ ...s, done: true })),
        [],
      ),
  },
  agents: { planner },
  until: (s) => s.done,
})

const lines: Array<string> = []
beforeEach(() => void lines.splice(0))
const output = { write: (text: string) => lines.push(text) }
const AppLive = Layer.mergeAll(
  Layer.succeed(HarnessService, worker.harness),
  terminalAdapterLayer({ renderers: myRenderers, output }),
  layerSqliteFile(path.join(folder, "recordings.db")),
)

describe("the samples of the specification", () => {
  it("signal: the schema decodes a stamped signal, and the definition decodes its payload", async () => {
    const payload = { taskId: "1", outcome: "success", summary: "Done." } as const
    const signal: TaskCompletedSignal = {
      id: "1",
      timestamp: "2026-01-20T00:00:00.000Z",
      name: TaskCompleted.name,
      payload,
    }
    const decoded: DecodedTaskCompleted = S.decodeUnknownSync(SignalSchema(TaskCompletedPayload))(signal)
    expect(decoded).toEqual({ ...signal, timestamp: new Date(signal.timestamp) })
    expect(await Effect.runPromise(TaskCompleted.decode(payload))).toEqual(payload)
    expect(TaskCompleted(payload)).toEqual({ name: "task:completed", payload })
  })

  it("state: a Ref is read and updated", async () => {
    const program = Effect.gen(function* () {
      const state: WorkflowState<number> = yield* Ref.make(1)
      yield* updateState(state, (count) => count + 1)
      return yield* getState(state)
    })
    expect(await Effect.runPromise(program)).toBe(2)
  })

  it("handler: the last task that is completed completes the workflow", async () => {
    const emitted = (taskId: string, states: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const state = yield* Ref.make<MyState>({
          tasks: states.map((status, at) => ({ id: `${at}`, status })),
          done: false,
        })
        const payload = { taskId, outcome: "success", summary: "" } as const
        return yield* taskCompletedHandler({ id: "1", name: "task:completed", payload, timestamp: "" }, state)
      })
    expect(await Effect.runPromise(emitted("0", ["open", "open"]))).toEqual([{ name: "task:next", payload: {} }])
    expect(await Effect.runPromise(emitted("0", ["open"]))).toEqual([{ name: "workflow:complete", payload: {} }])
  })

  it("agent and harness: the answer of a model becomes signals", async () => {
    const program = Effect.gen(function* () {
      const harness = yield* HarnessService
      const signal: Signal = { id: "1", name: "task:next", payload: {}, timestamp: "" }
      const note = { name: "noter", emits: ["noted"] }
      const emitted: ReadonlyArray<Emitted> = yield* makeAgentService(harness).run("hi", signal, note)
      return { emitted, parsed: yield* parseAgentResponse(yield* harness.complete("hi"), note) }
    })
    const { emitted, parsed } = await Effect.runPromise(Effect.provide(program, ClaudeHarnessLive))
    expect(parsed).toEqual([{ name: "noted", payload: { text: "Answer to hi" } }])
    expect(emitted).toMatchObject([{ name: "noted", payload: { text: expect.stringMatching(/^Answer to hi/) } }])
  })

  it("adapter: a renderer for the signal's name writes a line, or nothing", async () => {
    const shown: Array<string> = []
    const adapter = terminalAdapter({ renderers: myRenderers, output: { write: (text) => shown.push(text) } })
    const signal = (name: string): Signal => ({
      id: "1",
      name,
      payload: { taskId: "7", outcome: "failure" },
      timestamp: "",
    })
    const layer = Layer.succeed(AdapterService, adapter)
    const program = Effect.flatMap(AdapterService, ({ process }) =>
      Effect.forEach(["task:completed", "task:next", "other"], (name) => process(signal(name))),
    )
    await Effect.runPromise(Effect.provide(program, layer))
    expect(shown).toEqual(["7: failure\n"])
  })

  it("runtime loop and layer composition: a program of the runtime, with layers for everything that it needs", async () => {
    const program = Effect.gen(function* () {
      const runtime = yield* createRuntime(myConfig)
      return yield* runtime.run
    })
    const state = await Effect.runPromise(program.pipe(Effect.provide(AppLive)))
    expect(state.done).toBe(true)
    expect(lines.filter((line) => line.includes(": success"))).toEqual(["a: success\n", "b: success\n", "c: success\n"])
  })

  it("runtime loop: a runtime has its state, a queue for signals, and its run", async () => {
    const program = Effect.gen(function* () {
      const runtime: WorkflowRuntime<MyState> = yield* createRuntime(myConfig)
      const run: Effect.Effect<MyState, AllErrors, HarnessService | AdapterService> = runtime.run
      // All tasks except one are completed from outside.
      for (const taskId of ["a", "b"]) {
        yield* Queue.offer(runtime.signals, TaskCompleted({ taskId, outcome: "success", summary: "" }))
      }
      const last = yield* run
      return { last, state: yield* getState(runtime.state), log: yield* runtime.log }
    })
    const { last, state, log } = await Effect.runPromise(Effect.provide(program, AppLive))
    expect(state).toBe(last)
    expect(log.slice(0, 3).map(({ name }) => name)).toEqual(["workflow:start", "task:completed", "task:completed"])
    expect(log.filter(({ name }) => name === "agent:activated").at(0)?.payload).toMatchObject({ agent: "planner" })
  })

  it("recording and replay: a replay of the recording ends in the same state without a harness", async () => {
    const program = Effect.gen(function* () {
      const state = yield* withRecording(yield* createRuntime(myConfig), "run-1")
      const { signals } = yield* (yield* RecordingStore).load("run-1")
      const sent = worker.prompts.length
      const replayed = yield* replay(myConfig, "run-1")
      const mockHarness = yield* Layer.build(ReplayHarness(yield* (yield* RecordingStore).load("run-1")))
      const [prompt = ""] = worker.prompts.slice(-1)
      expect(yield* Context.get(mockHarness, HarnessService).complete(prompt)).toContain('"taskId":"c"')
      return { state, signals, replayed, sent: worker.prompts.length - sent }
    })
    const { state, signals, replayed, sent } = await Effect.runPromise(Effect.scoped(Effect.provide(program, AppLive)))
    expect(replayed).toEqual(state)
    expect(signals.length).toBeGreaterThan(10)
    expect(sent).toBe(0)
  })

  it("errors: each has its tag and names its origin", () => {
    const errors: ReadonlyArray<AllErrors> = [
      new WorkflowError({ message: "a" }),
      new HandlerError({ signal: "task:next", message: "b" }),
      new AgentError({ agent: "planner", message: "c" }),
      new HarnessError({ message: "d", cause: new Error("e") }),
    ]
    expect(errors.map(({ _tag }) => _tag)).toEqual(["WorkflowError", "HandlerError", "AgentError", "HarnessError"])
    const failing: Handler<MyState, TaskCompletedPayload, HandlerError> = (signal) =>
      Effect.fail(new HandlerError({ signal: signal.name, message: "It failed." }))
    expect(typeof failing).toBe("function")
  })

  it("layers: the harness of the package is one as well", async () => {
    const built = await Effect.runPromiseExit(
      Effect.scoped(Layer.build(ClaudeHarness({ model: "sonnet", apiKey: "k" }))),
    )
    expect(Exit.isSuccess(built) && Context.get(built.value, HarnessService).complete).toBeTypeOf("function")
  })
})
