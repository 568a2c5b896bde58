// TaskCreate: receives a new item for the session's task list, which is added at the commit unless a TaskCreated hook blocks it.
// Invariant: ids count up from 1 and none is used twice, not even that of a task that a hook blocked.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TaskChanged, TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { TaskCreateInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskCreateOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"
import { errorOutcome, ToolError } from "../tool.ts"

/** A session has at most this many tasks. */
export const MAX_TASKS = 500

/** The most characters of a subject that is derived from a description. */
const MAX_SUBJECT = 2000

const { metadata, ...shown } = TaskCreateInput.fields

export const tasksChanged = (payload: TaskChanged): NewEvent => ({ name: EventNames.taskChanged, payload })

const tool = makeTool<TaskCreateInput>(Schema.Struct(shown), {
  name: "TaskCreate",
  description:
    "Adds one task to the session's task list, with status pending. Use it for work with several steps, and TaskUpdate as " +
    "the work progresses.",
  userParameters: Schema.Struct({ metadata }),
  readOnly: () => false,
  ...INTERNAL,
  idempotent: false,
  ignoresUnknown: true,
  run: (input, context) =>
    Effect.suspend(() => {
      if (context.tasks.read().length >= MAX_TASKS) {
        const message = `The task list is full: it can contain at most ${MAX_TASKS} tasks. Delete some completed ones.`
        return Effect.fail(new ToolError({ reason: "invalid_arguments", message }))
      }
      const id = String(context.tasks.last() + 1)
      const task: TaskItem = { id, ...input, status: "pending", blocks: [], blockedBy: [] }
      const { subject, description } = input
      const output: TaskCreateOutput = { task: { id, subject, description } }
      return Effect.succeed({
        content: asText(output),
        output,
        facts: [tasksChanged({ tasks: [task] })],
        guard: {
          event: "TaskCreated" as const,
          facts: { task_id: id, task_subject: subject, task_description: description },
          refused: (reason: string) => {
            const text = `A TaskCreated hook rejected the task:\n${reason}`
            const facts = [tasksChanged({ tasks: [], deleted: [id] })]
            return { ...errorOutcome(text), facts }
          },
        },
      })
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(TaskCreateOutput)

const asText = ({ task: { id, subject } }: TaskCreateOutput): string => `Task #${id} was added: ${subject}`

/** As in the official SDK, a missing subject is the first line of the description, a missing description the subject. */
const completed = (input: unknown): unknown => {
  if (!isPlainObject(input)) return input
  const { subject, description } = input
  if (subject === undefined && typeof description === "string") {
    return { subject: description.split("\n", 1)[0]?.slice(0, MAX_SUBJECT), ...input }
  }
  return description === undefined && typeof subject === "string" ? { ...input, description: subject } : input
}

export const taskCreateTool: typeof tool = { ...tool, decode: (input) => tool.decode(completed(input)) }
