// The session's todos and tasks, as the agent last wrote them.
import type { Todo } from "../../../client/api/session-shapes.ts"
import { TODO_MARKS } from "../../kit/todo-marks.ts"
import type { SessionStore } from "../../store/session-store.ts"

const STATUS: Readonly<Record<Todo["status"], string>> = {
  pending: "pending",
  in_progress: "in progress",
  completed: "done",
}

export const TodosPanel = ({ store }: { readonly store: SessionStore }) => {
  const todos = store.todos.value
  if (todos === null)
    return store.error.value === null ? (
      <p class="loading" role="status">
        Loading…
      </p>
    ) : null
  if (todos.length === 0) return <p class="empty">The agent has no todos or tasks.</p>
  const done = todos.filter(({ status }) => status === "completed").length
  return (
    <div class="todos-panel" role="region" aria-label="Todos" tabIndex={0}>
      <p class="facts" role="status">
        {done} of {todos.length} done
      </p>
      <progress max={todos.length} value={done} aria-label="Todos that are done" />
      <ul>
        {todos.map(({ id, content, status, activeForm }) => (
          <li key={id} class={`todo ${status}`}>
            <span aria-hidden="true">{TODO_MARKS[status]}</span>
            <span class="todo-text">{status === "in_progress" ? activeForm || content : content}</span>
            <span class="badge">{STATUS[status]}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
