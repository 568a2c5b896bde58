// TaskStop: receives the id of a background task, which is stopped with the transaction of the call's result.
// Invariant: the changes of a stopped command are discarded, and a task that does not run can't be stopped.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TaskStopInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskStopOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { taskType } from "./background-port.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"
import { ToolError } from "../tool.ts"

const idOf = ({ task_id, shell_id }: TaskStopInput): string | undefined => task_id ?? shell_id

const notRunning = (id: string) =>
  Effect.fail(new ToolError({ reason: "not_found", message: `No background task with the ID ${id} is running` }))

export const taskStopTool = makeTool(TaskStopInput, {
  name: "TaskStop",
  description:
    "Stops a command or an agent that runs in the background, by the ID that Bash or Agent returned. Nothing that a stopped command changed is " +
    "kept.",
  readOnly: () => false,
  concurrent: () => true,
  ...INTERNAL,
  destructive: true,
  idempotent: false,
  validate: (input, { background }) => {
    const id = idOf(input)
    if (id === undefined)
      return Effect.fail(new ToolError({ reason: "invalid_arguments", message: "The parameter task_id is missing" }))
    return background?.running().some(({ task_id }) => task_id === id) === true ? Effect.void : notRunning(id)
  },
  run: (input, { background }) =>
    Effect.suspend(() => {
      const id = idOf(input) ?? ""
      const task = background?.running().find(({ task_id }) => task_id === id)
      const stopped = background?.stop(id)
      // The task may have ended while the user was asked about this call.
      if (task === undefined || stopped === undefined) return notRunning(id)
      const { agent, description } = task
      const command = agent === undefined ? task.command : description
      const output: TaskStopOutput = {
        message: `The task ${id} was stopped (${command})`,
        task_id: id,
        task_type: taskType(agent !== undefined),
        command,
      }
      return Effect.succeed({ content: JSON.stringify(output), output, ...stopped })
    }),
  contentOf: (output) => (isOutput(output) ? JSON.stringify(output) : null),
})

const isOutput = Schema.is(TaskStopOutput)
