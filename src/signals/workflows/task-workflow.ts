// An example of a workflow: an agent works through a list of tasks, one after another, and retries failed ones.
// Invariant: every task is attempted at most three times, so that the run ends.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { compileWorkflow } from "../workflow.ts"
import { defineHandler } from "../handler.ts"
import { defineSignal } from "../signal.ts"
import { getState, updateState, type WorkflowState } from "../state.ts"

const MAX_ATTEMPTS = 3

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2000))

/** The payload of `workflow:start`: the tasks in order. */
const TasksStart = defineSignal("workflow:start", {
  tasks: Schema.optionalKey(Schema.Array(Text).check(Schema.isMinLength(1), Schema.isMaxLength(20))),
})

const TaskNext = defineSignal("task:next", {})

const TaskCompleted = defineSignal("task:completed", {
  taskId: Schema.String,
  outcome: Schema.Literals(["success", "failure", "partial"]),
  summary: Schema.String,
})

const WorkflowComplete = defineSignal("workflow:complete", {
  succeeded: Schema.Int,
  failed: Schema.Int,
})

const Task = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  status: Schema.Literals(["pending", "running", "success", "failure", "partial"]),
  attempts: Schema.Int,
  summary: Schema.String,
})
type Task = typeof Task.Type

const TaskState = Schema.Struct({ tasks: Schema.Array(Task), done: Schema.Boolean })
type TaskState = typeof TaskState.Type

const DEFAULT_TASKS = ["Write a plan of two sentences.", "Carry the plan out.", "Say what was done."]

const isOpen = ({ status, attempts }: Task): boolean => status !== "success" && attempts < MAX_ATTEMPTS

const change = (state: TaskState, id: string | undefined, of: (task: Task) => Partial<Task>): TaskState => ({
  ...state,
  tasks: state.tasks.map((task) => (task.id === id ? { ...task, ...of(task) } : task)),
})

/** The signals to emit after a task: the next task, or the end. */
const follow = ({ tasks }: TaskState) => {
  // A signal from outside has completed another task in the meantime.
  if (tasks.some(({ status }) => status === "running")) return []
  if (tasks.some(isOpen)) return [TaskNext({})]
  const succeeded = tasks.filter(({ status }) => status === "success").length
  return [WorkflowComplete({ succeeded, failed: tasks.length - succeeded })]
}

const begin = defineHandler(
  TasksStart,
  Effect.fnUntraced(function* ({ payload }, state: WorkflowState<TaskState>) {
    const titles = payload.tasks ?? DEFAULT_TASKS
    const tasks = titles.map((title, at): Task => {
      return { id: `task-${at + 1}`, title, status: "pending", attempts: 0, summary: "" }
    })
    yield* updateState(state, (before) => ({ ...before, tasks }))
    return [TaskNext({})]
  }),
)

const next = defineHandler(
  TaskNext,
  Effect.fnUntraced(function* (_signal, state: WorkflowState<TaskState>) {
    yield* updateState(state, (before) => {
      const task = before.tasks.find(isOpen)
      return change(before, task?.id, ({ attempts }) => ({ status: "running", attempts: attempts + 1 }))
    })
    return []
  }),
)

const completed = defineHandler(
  TaskCompleted,
  Effect.fnUntraced(function* ({ payload }, state: WorkflowState<TaskState>) {
    const { taskId, outcome, summary } = payload
    yield* updateState(state, (before) => change(before, taskId, () => ({ status: outcome, summary })))
    return follow(yield* getState(state))
  }),
)

const complete = defineHandler(
  WorkflowComplete,
  Effect.fnUntraced(function* (_signal, state: WorkflowState<TaskState>) {
    yield* updateState(state, (before) => ({ ...before, done: true }))
    return []
  }),
)

const promptOf = ({ tasks }: TaskState): string => {
  const task = tasks.find(({ status }) => status === "running")
  const before = tasks.filter(({ summary }) => summary !== "").map(({ title, summary }) => `- ${title} ${summary}`)
  return [
    "You work through a list of tasks.",
    ...(before.length === 0 ? [] : [`What was reported before:\n${before.join("\n")}`]),
    "Perform this one now, then report the outcome.",
    `taskId: ${task?.id ?? ""}`,
    `Task: ${task?.title ?? ""}`,
    "Report it as the signal task:completed with the taskId above, the outcome (success, failure or partial) and a summary of one sentence.",
  ].join("\n\n")
}

export const taskWorkflow = compileWorkflow<TaskState>({
  name: "tasks",
  initialState: { tasks: [], done: false },
  stateSchema: TaskState,
  handlers: [begin, next, completed, complete],
  agents: [{ name: "worker", activatesOn: [TaskNext], emits: [TaskCompleted], prompt: promptOf }],
  until: ({ done }) => done,
})
