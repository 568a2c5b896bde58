// TaskList: returns the session's tasks, one per line, each with the blockers that are not completed.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TaskListInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskListOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"

export const taskListTool = makeTool(TaskListInput, {
  name: "TaskList",
  description:
    "Lists the tasks of the session's task list: number, status, subject, owner, and the open tasks that block each.",
  readOnly: () => true,
  ...INTERNAL,
  run: (_, { tasks }) =>
    Effect.sync(() => {
      const all = tasks.read()
      const done = new Set(all.filter(({ status }) => status === "completed").map(({ id }) => id))
      const listed = all.map(({ id, subject, status, owner, blockedBy }) => ({
        id,
        subject,
        status,
        ...(owner === undefined ? {} : { owner }),
        blockedBy: blockedBy.filter((blocker) => !done.has(blocker)),
      }))
      const output: TaskListOutput = { tasks: listed }
      return { content: asText(output), output }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(TaskListOutput)

const asText = ({ tasks }: TaskListOutput): string =>
  tasks.length === 0 ? "There are no tasks" : tasks.map(line).join("\n")

const line = ({ id, subject, status, owner, blockedBy }: TaskListOutput["tasks"][number]): string => {
  const by = blockedBy.map((blocker) => `#${blocker}`).join(", ")
  return `#${id} [${status}] ${subject}${owner === undefined ? "" : ` (${owner})`}${by === "" ? "" : ` [blocked by ${by}]`}`
}
