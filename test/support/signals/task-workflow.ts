// A workflow over a list of tasks: an agent works on one after the other.
import { Effect, Schema } from "effect"
import { getState, updateState, type WorkflowState } from "../../../src/signals/state.ts"
import { createWorkflow } from "../../../src/signals/create-workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import { defineSignal } from "../../../src/signals/signal.ts"

export const TaskCompleted = defineSignal("task:completed", {
  taskId: Schema.String,
  outcome: Schema.Literals(["success", "failure", "partial"]),
  summary: Schema.String,
})

export interface TaskState {
  readonly tasks: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

export const initialTasks: TaskState = {
  tasks: [
    { id: "a", status: "open" },
    { id: "b", status: "open" },
  ],
}

const next = (state: TaskState) =>
  state.tasks.every(({ status }) => status === "success")
    ? [{ name: "workflow:complete", payload: {} }]
    : [{ name: "task:next", payload: {} }]

export const onStart = defineHandler({
  signals: ["workflow:start"],
  handle: (_, state: WorkflowState<TaskState>) => Effect.map(getState(state), next),
})

export const onCompleted = defineHandler(
  TaskCompleted,
  Effect.fnUntraced(function* (signal, state: WorkflowState<TaskState>) {
    yield* updateState(state, ({ tasks }) => ({
      tasks: tasks.map((task) =>
        task.id === signal.payload.taskId ? { ...task, status: signal.payload.outcome } : task,
      ),
    }))
    return next(yield* getState(state))
  }),
)

export const taskWorkflow = createWorkflow({
  name: "tasks",
  initialState: initialTasks,
  handlers: [onStart, onCompleted],
  agents: {
    worker: {
      name: "worker",
      activatesOn: ["task:next"],
      prompt: (state: TaskState) => `Do task ${state.tasks.find(({ status }) => status !== "success")?.id}.`,
      emits: [TaskCompleted],
    },
  },
  until: ({ tasks }) => tasks.every(({ status }) => status === "success"),
})

/** The answer of a worker that succeeds at the task of its prompt. */
export const workerAnswer = (prompt: string): string => {
  const taskId = /Do task (\w+)/.exec(prompt)?.[1]
  return JSON.stringify({
    signals: [{ name: "task:completed", payload: { taskId, outcome: "success", summary: "Done." } }],
  })
}
