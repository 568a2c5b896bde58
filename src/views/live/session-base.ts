// The facts that views know about a session, except its turns: its title, options and settings, its todos and its open asks.
// Invariant: a pure fold of the log. An event that changes none of it returns the same object.
import { changedOptions } from "../../schemas/rpc/option-changes.ts"
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import type { TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { TodoEntry } from "../../schemas/api/api.ts"
import type { ViewEvent } from "./live-view.ts"

/** The session directly after the event `seq`; 0 before the first event. */
export interface SessionBase {
  readonly seq: number
  readonly title: string | null
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly metadata: Readonly<Record<string, string>>
  /** The session's own options, secrets masked. */
  readonly options: Readonly<Record<string, unknown>>
  /** The model of the last turn that began, like its permission mode and tools below. */
  readonly model?: string
  readonly permissionMode?: string
  readonly tools?: ReadonlyArray<string>
  readonly todos: ReadonlyArray<TodoEntry>
  /** The open asks. */
  readonly asks: ReadonlyArray<AskOpened>
}

export const EMPTY_BASE: SessionBase = {
  seq: 0,
  title: null,
  cwd: "/",
  created_at: 0,
  metadata: {},
  options: {},
  todos: [],
  asks: [],
}

/** Names of the events that the fold reads: for the session itself, for its todos, and for its asks. */
export const SESSION_NAMES = [EventNames.sessionCreated, EventNames.sessionForked, EventNames.sessionChanged] as const
export const TODO_NAMES = [
  EventNames.taskChanged,
  EventNames.toolCalled,
  EventNames.conversationRestarted,
  "sdk:user",
] as const
/** Whether the event still counts when the head has moved away from it: only todos are reverted with the conversation. */
export const isKept = (name: string): boolean => !(TODO_NAMES as ReadonlyArray<string>).includes(name)

export const ASK_NAMES = [EventNames.askOpened, EventNames.askSettled] as const

/** The todos before a sequence of TodoWrite calls; `oldTodos` is from the first call's output. Unchanged if it is no array. */
export const todosBefore = (todos: ReadonlyArray<TodoEntry>, oldTodos: unknown): ReadonlyArray<TodoEntry> =>
  Array.isArray(oldTodos) ? withTodos(todos, oldTodos as ReadonlyArray<Todo>) : todos // TodoWrite's own output

export const foldBase = (base: SessionBase, event: ViewEvent): SessionBase => {
  const changed = changeOf(base, event)
  return changed === null ? base : { ...base, ...changed, seq: event.seq ?? base.seq }
}

const changeOf = (base: SessionBase, event: ViewEvent): Partial<SessionBase> | null => {
  switch (event.name) {
    case "session:created": {
      const { title, cwd, metadata, options } = event.payload
      return { title, cwd, metadata, options, created_at: event.at }
    }
    case "session:forked": {
      const { title = base.title, metadata = base.metadata, options = base.options } = event.payload
      return { title, metadata, options, created_at: event.at }
    }
    case "session:changed": {
      const { title, metadata, options, reopened } = event.payload
      return {
        ...(title === undefined ? {} : { title }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(options === undefined
          ? {}
          : { options: reopened === true ? options : changedOptions(base.options, options) }),
      }
    }
    case "sdk:system/init": {
      const { model, permissionMode, tools } = event.payload
      return event.parent === null ? { model, permissionMode, tools } : null
    }
    case "conversation:restarted":
      return event.payload.cause === "clear" ? { todos: [] } : null
    case "tool:called":
      return event.payload.tool_name === "TodoWrite" ? listed(base, event.payload.output) : null
    case "sdk:user":
      return event.parent === null ? listed(base, event.payload.tool_use_result) : null
    case "ask:opened":
      return { asks: [...base.asks, event.payload] }
    case "ask:settled":
      return { asks: base.asks.filter(({ request_id: id }) => id !== event.payload.request_id) }
    case "task:changed":
      return { todos: withTasks(base.todos, event.payload.tasks, event.payload.deleted ?? []) }
    default:
      return null
  }
}

const isTodo = ({ id }: TodoEntry): boolean => id.startsWith("todo-")

/** An item of TodoWrite's list. */
interface Todo {
  readonly content: string
  readonly status: TodoEntry["status"]
  readonly activeForm: string
}

/** The change by an output of TodoWrite, which replaces the tool's list; null for any other output. */
const listed = (base: SessionBase, output: unknown): Partial<SessionBase> | null => {
  if (typeof output !== "object" || output === null || !("newTodos" in output) || !Array.isArray(output.newTodos))
    return null
  return { todos: withTodos(base.todos, output.newTodos as ReadonlyArray<Todo>) } // TodoWrite's own output
}

/** Replaces TodoWrite's list; the tasks follow it. */
const withTodos = (entries: ReadonlyArray<TodoEntry>, todos: ReadonlyArray<Todo>): ReadonlyArray<TodoEntry> => [
  ...todos.map(todoEntry),
  ...entries.filter((one) => !isTodo(one)),
]

const withTasks = (
  entries: ReadonlyArray<TodoEntry>,
  tasks: ReadonlyArray<TaskItem>,
  deleted: ReadonlyArray<string>,
): ReadonlyArray<TodoEntry> => {
  const byId = new Map(entries.map((one) => [one.id, one]))
  for (const task of tasks) byId.set(`task-${task.id}`, taskEntry(task))
  for (const id of deleted) byId.delete(`task-${id}`)
  return [...byId.values()]
}

/** The entry of an item of TodoWrite's list. As tasks, it has no priority of its own. */
export const todoEntry = ({ content, status, activeForm }: Todo, index: number): TodoEntry => ({
  id: `todo-${index}`,
  content,
  status,
  priority: "medium",
  activeForm,
})

export const taskEntry = ({ id, subject, status, activeForm = subject }: TaskItem): TodoEntry => ({
  id: `task-${id}`,
  content: subject,
  status,
  priority: "medium",
  activeForm,
})
