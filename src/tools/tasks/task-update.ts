// TaskUpdate: receives changes of one task, applied at the commit unless a TaskCompleted hook blocks its completion.
// Invariant: a task that blocks another one is in the other's `blockedBy`, and a deleted task is in no task's links.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TaskChanged, TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { TaskUpdateInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { TaskUpdateOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"
import { tasksChanged } from "./task-create.ts"
import { NO_TASK } from "./task-get.ts"
import type { ToolOutcome } from "../tool.ts"

const { metadata, ...shown } = TaskUpdateInput.fields

export const taskUpdateTool = makeTool<TaskUpdateInput>(Schema.Struct(shown), {
  name: "TaskUpdate",
  description:
    "Changes one task of the session's task list. Set in_progress when you start it and completed as soon as it is really " +
    "done; `deleted` removes it from the list permanently.",
  userParameters: Schema.Struct({ metadata }),
  readOnly: () => false,
  ...INTERNAL,
  run: (input, { tasks }) =>
    Effect.sync(() => {
      const all = tasks.read()
      const task = all.find(({ id }) => id === input.taskId)
      if (task === undefined) return refusal(input.taskId, NO_TASK)
      return input.status === "deleted" ? deletion(task, all) : change(task, all, input)
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

/** The tasks that an update changes; null when it changes nothing. */
export const updatedTasks = (all: ReadonlyArray<TaskItem>, input: TaskUpdateInput): TaskChanged | null => {
  const task = all.find(({ id }) => id === input.taskId)
  if (task === undefined) return null
  const { facts = [] } = input.status === "deleted" ? deletion(task, all) : change(task, all, input)
  return facts.find((fact) => fact.name === EventNames.taskChanged)?.payload ?? null
}

const refusal = (taskId: string, error: string): ToolOutcome => {
  const output: TaskUpdateOutput = { success: false, taskId, updatedFields: [], error }
  return { content: asText(output), output }
}

const isOutput = Schema.is(TaskUpdateOutput)

const asText = ({ taskId, updatedFields, error }: TaskUpdateOutput): string => {
  if (error !== undefined) return error
  return updatedFields.length === 0
    ? `Task #${taskId} was not changed`
    : `Changed in task #${taskId}: ${updatedFields.join(", ")}`
}

const done = (
  task: TaskItem,
  updatedFields: ReadonlyArray<string>,
  to: string | undefined,
  changed: TaskChanged,
): ToolOutcome => {
  const statusChange = to === undefined || to === task.status ? {} : { statusChange: { from: task.status, to } }
  const output: TaskUpdateOutput = { success: true, taskId: task.id, updatedFields, ...statusChange }
  const content = asText(output)
  return updatedFields.length === 0 ? { content, output } : { content, output, facts: [tasksChanged(changed)] }
}

const deletion = (task: TaskItem, all: ReadonlyArray<TaskItem>): ToolOutcome => {
  const without = (ids: ReadonlyArray<string>) => ids.filter((id) => id !== task.id)
  const others = all
    .filter(({ id, blocks, blockedBy }) => id !== task.id && (blocks.includes(task.id) || blockedBy.includes(task.id)))
    .map((other) => ({ ...other, blocks: without(other.blocks), blockedBy: without(other.blockedBy) }))
  return done(task, ["deleted"], "deleted", { tasks: others, deleted: [task.id] })
}

const TEXTS = ["subject", "description", "activeForm", "owner"] as const

const change = (task: TaskItem, all: ReadonlyArray<TaskItem>, input: TaskUpdateInput): ToolOutcome => {
  const texts = TEXTS.filter((name) => input[name] !== undefined && input[name] !== task[name])
  const status = input.status === "deleted" ? undefined : input.status
  const isNewStatus = status !== undefined && status !== task.status
  const updatedFields = [
    ...texts,
    ...(input.metadata === undefined ? [] : ["metadata"]),
    ...(isNewStatus ? ["status"] : []),
    ...(added(task.blocks, input.addBlocks).length === 0 ? [] : ["blocks"]),
    ...(added(task.blockedBy, input.addBlockedBy).length === 0 ? [] : ["blockedBy"]),
  ]
  const own: TaskItem = {
    ...task,
    ...Object.fromEntries(texts.map((name) => [name, input[name]])),
    ...(status === undefined ? {} : { status }),
    ...(input.metadata === undefined ? {} : { metadata: merged(task.metadata, input.metadata) }),
  }
  const outcome = done(task, updatedFields, status, { tasks: linked(own, all, input) })
  if (!isNewStatus || status !== "completed") return outcome
  return {
    ...outcome,
    guard: {
      event: "TaskCompleted",
      facts: { task_id: task.id, task_subject: own.subject, task_description: own.description },
      refused: (reason) => refusal(task.id, `A TaskCompleted hook rejected the completion of the task:\n${reason}`),
    },
  }
}

const added = (known: ReadonlyArray<string>, more: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  more.filter((id) => !known.includes(id))

/** Merges changes into metadata; a null value removes its key. */
const merged = (before: TaskItem["metadata"], change: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null))

/** Returns the task with its new links and the tasks at their other ends; unknown ids are ignored. */
const linked = (task: TaskItem, all: ReadonlyArray<TaskItem>, input: TaskUpdateInput): ReadonlyArray<TaskItem> => {
  const now = new Map(all.map((one) => [one.id, one.id === task.id ? task : one]))
  const changed = new Set([task.id])
  const link = (blocker: string, blocked: string) => {
    const [from, to] = [now.get(blocker), now.get(blocked)]
    if (from === undefined || to === undefined || from.blocks.includes(blocked)) return
    now.set(blocker, { ...from, blocks: [...from.blocks, blocked] })
    const end = now.get(blocked) ?? to
    now.set(blocked, { ...end, blockedBy: [...end.blockedBy, blocker] })
    changed.add(blocker).add(blocked)
  }
  for (const id of input.addBlocks ?? []) link(task.id, id)
  for (const id of input.addBlockedBy ?? []) link(id, task.id)
  return [...changed].flatMap((id) => now.get(id) ?? [])
}
