// The API surface of the specification "Open Harness Effect Rewrite" (1.0, draft), compiled and run: a workflow over Claude, and
// a test that replays its recording. What is written otherwise here than in open-harness-samples.test.ts:
// - `@open-harness/core`, `…/harness-claude`, `…/adapter-terminal` and `…/testing` are `perch/signals`.
// - `createWorkflow` takes a `name`, and a handler's `state` a type: nothing else gives it where the handler is defined.
// - `run` takes `record`, a file for the recording.
// - `replay(file, { adapters })` takes the type of the recorded state as `replay<State>`. With `workflow` the handlers run again,
//   and the first signal that is another one ends the replay.
// - Agents were left out in the specification; here one completes the tasks.
import { Effect, Ref, Schema as S } from "effect"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  ClaudeHarness,
  createWorkflow,
  defineHandler,
  defineSignal,
  type RendererMap,
  replay,
  type Signal,
  terminalAdapter,
  type WorkflowState,
} from "../../../src/signals/entry.ts"
import { claudeProvider, type Provider } from "../../support/openai/harness-providers.ts"
import { answerOf } from "../../support/signals/scripted-harness.ts"
import { temporaryFolder } from "../../support/values/folder.ts"

// Define signals
const TaskCompleted = defineSignal("task:completed", {
  taskId: S.String,
  outcome: S.Literals(["success", "failure"]),
})

interface State {
  readonly tasks: ReadonlyArray<string>
  readonly done: boolean
}

// Define handlers
const handlers = {
  [TaskCompleted.name]: defineHandler(TaskCompleted, (signal, state: WorkflowState<State>) =>
    Effect.gen(function* () {
      yield* Ref.update(state, (s) => ({ tasks: [...s.tasks, signal.payload.taskId], done: s.tasks.length >= 2 }))
      return []
    }),
  ),
}

// Define workflow
const workflow = createWorkflow<State>({
  name: "three-tasks",
  initialState: { tasks: [], done: false },
  handlers,
  agents: {
    worker: {
      name: "worker",
      activatesOn: ["workflow:start", TaskCompleted],
      prompt: (state) => `[[script:three-tasks]] Do task ${state.tasks.length + 1}.`,
      emits: [TaskCompleted],
    },
  },
  until: (s) => s.done,
})

const myRenderers: RendererMap = {
  "task:completed": (signal: Signal<{ readonly taskId: string; readonly outcome: string }>) =>
    `${signal.payload.taskId}: ${signal.payload.outcome}`,
}

let claude: Provider
beforeAll(async () => {
  claude = await claudeProvider()
  const answers = ["1", "2", "3"].map((taskId) => ({
    name: TaskCompleted.name,
    payload: { taskId, outcome: "success" },
  }))
  claude.set("three-tasks", ...answers.map((answer) => ({ text: answerOf(answer) })))
})
afterAll(() => claude.close())

const happyPath = path.join(temporaryFolder(), "recordings/happy-path.json")

test("workflow completes successfully", async () => {
  // Run it
  const shown: Array<string> = []
  const live = await workflow.run({
    harness: ClaudeHarness({ model: "sonnet", ...claude.access }),
    adapters: [terminalAdapter({ renderers: myRenderers, output: { write: (text) => shown.push(text) } })],
    record: happyPath,
  })
  expect(live.state).toEqual({ tasks: ["1", "2", "3"], done: true })
  expect(shown).toContain("3: success\n")
  // As in the specification's loop, `until` is asked after the agents: the last signal activates the worker once more.
  expect(claude.requests("three-tasks")).toHaveLength(4)

  const result = await replay<State>(happyPath, {
    adapters: [], // No output needed in tests
  })
  expect(result.state.done).toBe(true)
  expect(result.state.tasks).toHaveLength(3)

  expect(await replay(happyPath, { workflow, adapters: [] })).toEqual(live)
  expect(claude.requests("three-tasks")).toHaveLength(4)
})
