// A todo list as a call has written it.
const MARKS: Readonly<Record<string, readonly [mark: string, text: string]>> = {
  completed: ["☑", "done"],
  in_progress: ["◐", "in progress"],
  pending: ["☐", "open"],
}

interface Item {
  readonly content?: unknown
  readonly status?: unknown
}

export const TodoItems = ({ todos }: { readonly todos: unknown }) => {
  if (!Array.isArray(todos)) return null
  return (
    <ul class="todos">
      {(todos as ReadonlyArray<Item>).map((todo, index) => {
        const [mark, text] = MARKS[String(todo?.status)] ?? ["☐", "open"]
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
