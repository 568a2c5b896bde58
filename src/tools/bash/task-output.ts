// TaskOutput: receives the id of a background task; returns its status and output, once it has ended or the wait is over.
// Invariant: it only reads. The output is only available after the end of the task, and truncated like that of any command.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TaskOutputInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskOutputOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"
import { taskType } from "./background-port.ts"
import { cutOutput } from "../../shell/overflow.ts"
import { type ToolContext, ToolError } from "../tool.ts"

/** How long a call without `timeout` waits, in milliseconds. */
export const DEFAULT_WAIT_MS = 30_000

const idOf = ({ task_id, bash_id }: TaskOutputInput): string | undefined => task_id ?? bash_id

export const taskOutputTool = makeTool(TaskOutputInput, {
  name: "TaskOutput",
  description:
    "Shows the status of a background command or agent and, once it has ended, its output or report. It waits for the end, up to " +
    "`timeout`; with `block` false it returns immediately. You are notified of the end without calling it.",
  readOnly: () => true,
  ...INTERNAL,
  validate: (input, context) => {
    const id = idOf(input)
    if (id === undefined)
      return Effect.fail(new ToolError({ reason: "invalid_arguments", message: "The parameter task_id is missing" }))
    return stateOf(id, context) === null ? noTask(id) : Effect.void
  },
  run: (input, context) => {
    const id = idOf(input) ?? ""
    const { block = true, timeout = DEFAULT_WAIT_MS } = input
    const waited = block
      ? Effect.promise(async (signal) => {
          await context.background?.wait(id, timeout, AbortSignal.any([signal, context.signal]))
        })
      : Effect.void
    return Effect.andThen(
      waited,
      Effect.suspend(() => {
        const task = stateOf(id, context)
        if (task === null) return noTask(id)
        const retrieval_status = task.status !== "running" ? "success" : block ? "timeout" : "not_ready"
        const output: TaskOutputOutput = { retrieval_status, task }
        return Effect.succeed({ content: asText(output), output })
      }),
    )
  },
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(TaskOutputOutput)

const noTask = (id: string) =>
  Effect.fail(new ToolError({ reason: "not_found", message: `There is no background task with the ID ${id}` }))

const stateOf = (id: string, { background, workspace }: ToolContext): TaskOutputOutput["task"] | null => {
  const running = background?.running().find(({ task_id }) => task_id === id)
  if (running !== undefined) {
    const task_type = taskType(running.agent !== undefined)
    return { task_id: id, task_type, status: "running", description: running.description, output: "" }
  }
  const ended = background?.ended(id)
  if (ended === undefined) return null
  const { status, summary, description = summary, outputFile, isAgent = false } = ended
  const output = cutOutput(workspace.readOwn(outputFile) ?? "")
  return { task_id: id, task_type: taskType(isAgent), status, description, output }
}

const asText = ({ retrieval_status, task }: TaskOutputOutput): string =>
  [
    `<retrieval_status>${retrieval_status}</retrieval_status>`,
    `<task_id>${task.task_id}</task_id>`,
    `<task_type>${task.task_type}</task_type>`,
    `<status>${task.status}</status>`,
    ...(task.output === "" ? [] : [`<output>\n${task.output}\n</output>`]),
  ].join("\n")
