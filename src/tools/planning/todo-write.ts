// TodoWrite: receives the complete new list, which replaces the session's list at the commit.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TodoWriteInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { TodoWriteOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"

export const todoWriteTool = makeTool(TodoWriteInput, {
  name: "TodoWrite",
  description:
    "Replaces the session's todo list. Use it for work with several steps: keep one item in_progress, and mark an item " +
    "completed as soon as it is done.",
  readOnly: () => false,
  ...INTERNAL,
  run: (input, context) =>
    Effect.sync(() => {
      const output: TodoWriteOutput = { oldTodos: context.todos.read(), newTodos: input.todos }
      return { content: asText(output), output, commit: () => context.todos.write(input.todos) }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(TodoWriteOutput)

const asText = ({ newTodos }: TodoWriteOutput): string => {
  const open = newTodos.filter((todo) => todo.status !== "completed").length
  return `The todo list now has ${newTodos.length} item(s), ${open} of them open.`
}
