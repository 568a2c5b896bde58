// The marks of todo states, which all lists of todos use.
import type { Todo } from "../../client/api/session-shapes.ts"

export const TODO_MARKS: Readonly<Record<Todo["status"], string>> = {
  completed: "☑",
  in_progress: "◐",
  pending: "☐",
}
