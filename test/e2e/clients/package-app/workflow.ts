// A program that uses only `perch/signals` and effect: runs a workflow with layers in memory, records it into a file, replays
// both, and prints what it found as JSON.
import {
  AdapterService,
  type AllErrors,
  createRuntime,
  createWorkflow,
  defineHandler,
  defineSignal,
  HarnessService,
  isObserved,
  OfflineHarness,
  RecordingStore,
  replay,
  type Signal,
  terminalAdapter,
  terminalAdapterLayer,
  updateState,
  withRecording,
  type WorkflowState,
} from "perch/signals"
import { Effect, Layer, Schema, Stream } from "effect"

interface Tasks {
  readonly open: ReadonlyArray<string>
  readonly done: ReadonlyArray<string>
}

const Completed = defineSignal("task:completed", { taskId: Schema.String, at: Schema.Date })
const tasks = createWorkflow({
  name: "tasks",
  initialState: { open: ["a", "b"], done: [] } as Tasks,
  handlers: [
    defineHandler(Completed, ({ payload }, state: WorkflowState<Tasks>) =>
      Effect.as(
        updateState(state, ({ open, done }) => ({
          open: open.slice(1),
          done: [...done, `${payload.taskId} ${payload.at.getUTCFullYear()}`],
        })),
        [{ name: "task:next", payload: {} }],
      ),
    ),
  ],
  agents: [
    {
      name: "worker",
      activatesOn: ["workflow:start", "task:next"],
      prompt: ({ open }) => `Do ${open[0]}.`,
      emits: [Completed],
    },
  ],
  until: ({ open }) => open.length === 0,
})

let requests = 0
const answer = (prompt: string) => {
  requests += 1
  const taskId = prompt.charAt("Do ".length)
  return JSON.stringify({ signals: [{ name: Completed.name, payload: { taskId, at: "2026-01-01T00:00:00.000Z" } }] })
}
const harness = {
  complete: (prompt: string) => Effect.sync(() => answer(prompt)),
  stream: (prompt: string) => Stream.suspend(() => Stream.fromIterable(answer(prompt).match(/.{1,9}/g) ?? [])),
}
const lines: Array<string> = []
const output = { write: (text: string) => lines.push(text) }
const renderers = { "task:completed": ({ payload }: Signal<{ readonly taskId: string }>) => payload.taskId }

const memory = Layer.mergeAll(
  Layer.succeed(HarnessService, harness),
  terminalAdapterLayer({ renderers, output }),
  RecordingStore.layerMemory,
)
const program: Effect.Effect<
  { readonly state: Tasks; readonly replayed: Tasks },
  AllErrors,
  HarnessService | AdapterService | RecordingStore
> = Effect.gen(function* () {
  const state = yield* withRecording(yield* createRuntime(tasks), "run-1")
  return { state, replayed: yield* replay(tasks, "run-1") }
})
const inMemory = await Effect.runPromise(Effect.provide(program, memory))

const live = await tasks.run({
  harness,
  adapters: [terminalAdapter({ renderers, output })],
  record: "recordings/x.json",
})
const asked = requests
const replayed = await replay("recordings/x.json", { workflow: tasks, adapters: [] })
const changed = createWorkflow({ name: "tasks", initialState: tasks.initialState, handlers: [], until: () => false })
const refused: unknown = await replay("recordings/x.json", { workflow: changed }).catch((error: unknown) => error)
const greeter = createWorkflow({
  name: "greeting",
  initialState: "",
  handlers: [
    defineHandler({
      signals: ["greeted"],
      handle: ({ payload }, state: WorkflowState<string>) =>
        Effect.as(
          updateState(state, () => JSON.stringify(payload)),
          [],
        ),
    }),
  ],
  agents: [{ name: "greeter", activatesOn: ["workflow:start"], prompt: () => "Greet.", emits: ["greeted"] }],
  until: (state) => state !== "",
})
const offline = await greeter.run({ harness: OfflineHarness() })

console.log(
  JSON.stringify({
    inMemory,
    state: live.state,
    requests: [asked, requests],
    same: JSON.stringify(replayed) === JSON.stringify(live),
    signals: live.signals.filter(({ name }) => !isObserved(name)).map(({ name }) => name),
    shown: lines.filter((line) => /^[ab]\n$/.test(line)),
    refused: refused instanceof Error ? refused.name : refused,
    offline: offline.signals.at(-1)?.payload,
  }),
)
