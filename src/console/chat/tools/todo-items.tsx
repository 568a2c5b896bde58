// The todo list in the input of a call.
import { ownValue } from "../../../schemas/own-value.ts"
import { TODO_MARKS } from "../../kit/todo-marks.ts"

const STATES: Readonly<Record<string, readonly [mark: string, text: string]>> = {
  completed: [TODO_MARKS.completed, "done"],
  in_progress: [TODO_MARKS.in_progress, "in progress"],
}
/** Shown for an unknown state, which a model may write. */
const OPEN = [TODO_MARKS.pending, "open"] as const

interface Item {
  readonly content?: unknown
  readonly status?: unknown
}

export const TodoItems = ({ todos }: { readonly todos: unknown }) => {
  if (!Array.isArray(todos)) return null
  return (
    <ul class="todos">
      {/* A model wrote the items: each may be anything, so its fields are unknown. */}
      {(todos as ReadonlyArray<Item>).map((todo, index) => {
        const [mark, text] = ownValue(STATES, String(todo?.status)) ?? OPEN
        return (
          <li key={index} class={String(todo?.status)}>
            <span role="img" aria-label={text}>
              {mark}
            </span>{" "}
            {String(todo?.content ?? "")}
          </li>
        )
      })}
    </ul>
  )
}
