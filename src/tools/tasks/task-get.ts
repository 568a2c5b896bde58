// TaskGet: receives the id of a task; returns the task, or null for an id that is not on the list.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TaskGetInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskGetOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"

export const NO_TASK = "There is no such task"

export const taskGetTool = makeTool(TaskGetInput, {
  name: "TaskGet",
  description:
    "Reads one task of the session's task list: its description, its status, the tasks that it blocks and those that block it.",
  readOnly: () => true,
  ...INTERNAL,
  run: ({ taskId }, { tasks }) =>
    Effect.sync(() => {
      const task = tasks.read().find(({ id }) => id === taskId)
      if (task === undefined) return { content: NO_TASK, output: { task: null } satisfies TaskGetOutput }
      const { id, subject, description, status, blocks, blockedBy } = task
      const output: TaskGetOutput = { task: { id, subject, description, status, blocks, blockedBy } }
      return { content: asText(output), output }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(TaskGetOutput)

const asText = ({ task }: TaskGetOutput): string => {
  if (task === null) return NO_TASK
  const { id, subject, description, status, blocks, blockedBy } = task
  return [
    `Task #${id}: ${subject}`,
    `Status: ${status}`,
    `Description: ${description}`,
    ...(blockedBy.length === 0 ? [] : [`Blocked by: ${numbers(blockedBy)}`]),
    ...(blocks.length === 0 ? [] : [`Blocks: ${numbers(blocks)}`]),
  ].join("\n")
}

const numbers = (ids: ReadonlyArray<string>): string => ids.map((id) => `#${id}`).join(", ")
