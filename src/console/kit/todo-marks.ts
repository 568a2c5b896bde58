// The mark of a todo's state, the same wherever todos are listed.
import type { Todo } from "../../client/api/session-shapes.ts"

export const TODO_MARKS: Readonly<Record<Todo["status"], string>> = {
  completed: "☑",
  in_progress: "◐",
  pending: "☐",
}
