// Receives a background task that starts or ends; returns the messages for clients, and the text for the model.
import { runningTasksMessage, type Stamp, systemMessage, taskKind } from "../../agent/messages/sdk-messages.ts"
import { shortened } from "../../schemas/shortened.ts"
import type { TurnOrigin } from "../../schemas/log/event-payloads.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type {
  BackgroundChange,
  BackgroundEnd,
  BackgroundPort,
  BackgroundReport,
  BackgroundTask,
} from "../../tools/bash/background-port.ts"

/** How a task ended. `lost`: its process died. `unsaved`: its changes could not be stored. */
export type TaskEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "timed_out" | "stopped" | "lost" | "unsaved" }

const MAX_DESCRIPTION = 200

export const taskDescription = (text: string): string => shortened(text, MAX_DESCRIPTION)

/** The run of a subagent as a task; `folder` is where outputs are saved. */
export const agentTask = (
  { agentId, runId, toolUseId, description, type, parent }: Parameters<BackgroundPort["beginAgent"]>[0],
  folder: string,
  now: number,
): BackgroundTask => ({
  task_id: agentId,
  run_id: runId,
  tool_use_id: toolUseId,
  description: taskDescription(description),
  command: "",
  output_file: `${folder}/${agentId}.output`,
  started_at: now,
  agent: type,
  ...(parent === undefined ? {} : { parent_task_id: parent }),
})

/** The tasks without one. As the official SDK: the agent that started another is listed as its parent until it ends. */
export const listedTasks = (
  tasks: ReadonlyArray<BackgroundTask>,
  without: string,
  subagents: { readonly runningOf: (agent: string) => unknown },
): ReadonlyArray<BackgroundTask> =>
  tasks.flatMap((task) => {
    const { parent_task_id: parent, ...rest } = task
    if (task.task_id === without) return []
    const keeps = task.agent === undefined || (parent !== without && subagents.runningOf(parent ?? "") !== undefined)
    return [keeps ? task : rest]
  })

/** A new stamp for each message. */
type Stamps = () => Stamp

/** As in the official SDK: when an agent ends while an agent that it started still runs, clients get the list again. */
export const parentEnded = (
  stamps: Stamps,
  id: string,
  running: ReadonlyArray<BackgroundTask>,
  listed: ReadonlyArray<BackgroundTask>,
): BackgroundChange => {
  const isParent = running.some(({ agent, parent_task_id: parent }) => agent !== undefined && parent === id)
  return { facts: isParent ? [runningTasksMessage(stamps(), listed)] : [], commit: () => undefined }
}

/** The messages of a task's start; `running` has it already. `isShown`: clients were shown the task when it was in the foreground. */
export const startedFacts = (
  stamps: Stamps,
  task: BackgroundTask,
  running: ReadonlyArray<BackgroundTask>,
  isShown: boolean,
): ReadonlyArray<NewEvent> => {
  const { task_id, run_id, tool_use_id, description } = task
  return [
    runningTasksMessage(stamps(), running),
    isShown
      ? systemMessage(stamps(), "task_updated", { task_id, run_id, patch: { is_backgrounded: true } })
      : systemMessage(stamps(), "task_started", {
          task_id,
          run_id,
          tool_use_id,
          description,
          is_backgrounded: true,
          ...taskKind(task),
          ...(task.parent_task_id === undefined ? {} : { owned_by_subagent: true }),
        }),
  ]
}

/** The messages of a task's end; `running` no longer has it. */
export const endedFacts = (
  stamps: Stamps,
  task: BackgroundTask,
  end: TaskEnd,
  running: ReadonlyArray<BackgroundTask>,
): ReadonlyArray<NewEvent> => {
  const { task_id, run_id, tool_use_id, output_file } = task
  const updated = stamps()
  const { patched, notified } = statusOf(end)
  return [
    systemMessage(updated, "task_updated", { task_id, run_id, patch: { status: patched, end_time: updated.at } }),
    systemMessage(stamps(), "task_notification", {
      task_id,
      run_id,
      tool_use_id,
      status: notified,
      ...(end.kind === "lost" ? { reason: "worker_restart" } : {}),
      output_file,
      summary: summaryOf(task, end),
    }),
    runningTasksMessage(stamps(), running),
  ]
}

const statusOf = (end: TaskEnd) => {
  if (end.kind === "timed_out" || end.kind === "stopped") return { patched: "killed", notified: "stopped" } as const
  const status = end.kind === "exited" && end.exitCode === 0 ? ("completed" as const) : ("failed" as const)
  return { patched: status, notified: status }
}

const summaryOf = ({ description }: BackgroundTask, end: TaskEnd): string => {
  const named = `Background command "${description}"`
  switch (end.kind) {
    case "exited":
      return end.exitCode === 0 ? `${named} succeeded (exit code 0)` : `${named} failed with exit code ${end.exitCode}`
    case "timed_out":
      return `${named} was stopped at its time limit`
    case "stopped":
      return description
    case "lost":
      return `${named} was lost when the server restarted; its changes were discarded`
    case "unsaved":
      return `${named} ended, but its changes could not be stored`
  }
}

/** The prompt in which the model, and UserPromptSubmit hooks, get the end of a task. */
export const notificationText = (task: BackgroundTask, end: TaskEnd): string =>
  [
    "<task-notification>",
    `<task-id>${task.task_id}</task-id>`,
    `<tool-use-id>${task.tool_use_id}</tool-use-id>`,
    `<output-file>${task.output_file}</output-file>`,
    `<status>${statusOf(end).patched}</status>`,
    `<summary>${summaryOf(task, end)}</summary>`,
    ...noteOf(end),
    "</task-notification>",
  ].join("\n")

/** The origin of the turn in which the model gets the end of a task. */
export const originOf = (task: BackgroundTask): TurnOrigin => ({
  kind: "task-notification",
  producer: "session-task",
  runId: task.run_id,
})

/** The same for a subagent that was stopped; `cause` names who stopped it. */
export const stoppedText = (task: BackgroundTask, cause: string): string =>
  agentText(task, "killed", `was stopped ${cause}`)

/** The same for a subagent, with its report. */
export const reportText = (task: BackgroundTask, { status, report }: BackgroundReport): string =>
  agentText(task, status === "limited" ? "completed" : status, AGENT_ENDS[status], `<result>${report}</result>`)

const agentText = (
  { task_id, tool_use_id, output_file, description }: BackgroundTask,
  status: string,
  ending: string,
  ...result: ReadonlyArray<string>
): string =>
  [
    "<task-notification>",
    `<task-id>${task_id}</task-id>`,
    `<tool-use-id>${tool_use_id}</tool-use-id>`,
    `<output-file>${output_file}</output-file>`,
    `<status>${status}</status>`,
    `<summary>The agent "${description}" ${ending}</summary>`,
    ...result,
    "</task-notification>",
  ].join("\n")

const AGENT_ENDS: Readonly<Record<BackgroundReport["status"], string>> = {
  completed: "has finished",
  limited: "reached its maximum number of requests and did not finish; its report is partial",
  failed: "failed",
  stopped: "was stopped",
}

const noteOf = ({ kind }: TaskEnd): ReadonlyArray<string> => {
  if (kind === "timed_out")
    return ["<note>If it is still needed, start it again with a longer `timeout`, or in smaller parts.</note>"]
  return kind === "lost" || kind === "unsaved" ? ["<note>If it is still needed, start it again.</note>"] : []
}

export const endOf = ({ exitCode, timedOut }: BackgroundEnd): TaskEnd =>
  timedOut ? { kind: "timed_out" } : { kind: "exited", exitCode }
