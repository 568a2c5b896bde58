// Receives the call and result of a task tool from another session; returns their change of this session's task list.
// Invariant: tasks in the imported conversation are on the list, and a call that can't be decoded changes nothing.
import * as Schema from "effect/Schema"
import type { TaskChanged, TaskItem } from "../../schemas/log/event-payloads.ts"
import { TaskCreateInput, TaskUpdateInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { MAX_TASKS } from "../../tools/tasks/task-create.ts"
import { updatedTasks } from "../../tools/tasks/task-update.ts"
import type { ToolUse } from "./transcript.ts"

const Created = Schema.Struct({
  task: Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^[1-9]\d{0,8}$/)) }),
})
const Updated = Schema.Struct({ success: Schema.Literal(true) })

const readCreate = Schema.decodeUnknownOption(TaskCreateInput)
const readUpdate = Schema.decodeUnknownOption(TaskUpdateInput)
const isCreated = Schema.is(Created)
const isUpdated = Schema.is(Updated)

export const importedTasks = (
  { name, input }: Pick<ToolUse, "name" | "input">,
  result: unknown,
  all: ReadonlyArray<TaskItem>,
): TaskChanged | null => {
  if (name === "TaskCreate" && isCreated(result) && all.length < MAX_TASKS) {
    const read = readCreate(input)
    if (read._tag === "None") return null
    return { tasks: [{ id: result.task.id, ...read.value, status: "pending", blocks: [], blockedBy: [] }] }
  }
  if (name !== "TaskUpdate" || !isUpdated(result)) return null
  const read = readUpdate(input)
  return read._tag === "None" ? null : updatedTasks(all, read.value)
}
