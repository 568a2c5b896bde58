// Messages about the progress of long work: running tools, subagents and background tasks.
// Invariant: names and values are the official SDK's; fields that it does not declare are kept.
import * as Schema from "effect/Schema"
import { SDKMcpResourceLink, stamped } from "./message-values.ts"
import { open } from "../open.ts"

/** A tool call is still running. Never stored. */
export const SDKToolProgressMessage = open({
  type: Schema.Literal("tool_progress"),
  tool_use_id: Schema.String,
  tool_name: Schema.String,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  elapsed_time_seconds: Schema.Finite,
  task_id: Schema.optionalKey(Schema.String),
  heartbeat: Schema.optionalKey(Schema.Boolean),
  subagent_type: Schema.optionalKey(Schema.String),
  subagent_retry: Schema.optionalKey(
    open({
      agent_id: Schema.String,
      attempt: Schema.Finite,
      max_retries: Schema.Finite,
      retry_delay_ms: Schema.Finite,
      error_status: Schema.NullOr(Schema.Finite),
      error_category: Schema.String,
    }),
  ),
  ...stamped,
})
export type SDKToolProgressMessage = typeof SDKToolProgressMessage.Type

/** A short label for several tool calls. */
export const SDKToolUseSummaryMessage = open({
  type: Schema.Literal("tool_use_summary"),
  summary: Schema.String,
  preceding_tool_use_ids: Schema.Array(Schema.String),
  ...stamped,
})
export type SDKToolUseSummaryMessage = typeof SDKToolUseSummaryMessage.Type

/** A task began: a subagent, a workflow, a shell. */
export const SDKTaskStartedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_started"),
  task_id: Schema.String,
  run_id: Schema.optionalKey(Schema.String),
  tool_use_id: Schema.optionalKey(Schema.String),
  description: Schema.String,
  subagent_type: Schema.optionalKey(Schema.String),
  is_backgrounded: Schema.optionalKey(Schema.Boolean),
  spawn_depth: Schema.optionalKey(Schema.Finite),
  parent_task_id: Schema.optionalKey(Schema.String),
  task_type: Schema.optionalKey(Schema.String),
  workflow_name: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.String),
  skip_transcript: Schema.optionalKey(Schema.Boolean),
  ambient: Schema.optionalKey(Schema.Boolean),
  ...stamped,
})
export type SDKTaskStartedMessage = typeof SDKTaskStartedMessage.Type

const TaskUsage = open({ total_tokens: Schema.Finite, tool_uses: Schema.Finite, duration_ms: Schema.Finite })

/** What a task has used so far. */
export const SDKTaskProgressMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_progress"),
  task_id: Schema.String,
  run_id: Schema.optionalKey(Schema.String),
  tool_use_id: Schema.optionalKey(Schema.String),
  description: Schema.String,
  subagent_type: Schema.optionalKey(Schema.String),
  usage: TaskUsage,
  last_tool_name: Schema.optionalKey(Schema.String),
  summary: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKTaskProgressMessage = typeof SDKTaskProgressMessage.Type

/** The changed fields of a task. */
export const SDKTaskUpdatedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_updated"),
  task_id: Schema.String,
  run_id: Schema.optionalKey(Schema.String),
  patch: open({
    status: Schema.optionalKey(Schema.Literals(["pending", "running", "completed", "failed", "killed", "paused"])),
    description: Schema.optionalKey(Schema.String),
    end_time: Schema.optionalKey(Schema.Finite),
    total_paused_ms: Schema.optionalKey(Schema.Finite),
    error: Schema.optionalKey(Schema.String),
    is_backgrounded: Schema.optionalKey(Schema.Boolean),
  }),
  ...stamped,
})
export type SDKTaskUpdatedMessage = typeof SDKTaskUpdatedMessage.Type

/** A task ended; the model is notified of it. */
export const SDKTaskNotificationMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_notification"),
  task_id: Schema.String,
  run_id: Schema.optionalKey(Schema.String),
  tool_use_id: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["completed", "failed", "stopped"]),
  reason: Schema.optionalKey(Schema.Literal("worker_restart")),
  output_file: Schema.String,
  summary: Schema.String,
  usage: Schema.optionalKey(TaskUsage),
  resource_links: Schema.optionalKey(Schema.Array(SDKMcpResourceLink)),
  skip_transcript: Schema.optionalKey(Schema.Boolean),
  ambient: Schema.optionalKey(Schema.Boolean),
  ...stamped,
})
export type SDKTaskNotificationMessage = typeof SDKTaskNotificationMessage.Type

/** The whole new list of running background tasks. */
export const SDKBackgroundTasksChangedMessage = open({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("background_tasks_changed"),
  tasks: Schema.Array(
    open({
      task_id: Schema.String,
      run_id: Schema.optionalKey(Schema.String),
      task_type: Schema.String,
      subagent_type: Schema.optionalKey(Schema.String),
      description: Schema.String,
      parent_task_id: Schema.optionalKey(Schema.String),
      ambient: Schema.optionalKey(Schema.Boolean),
    }),
  ),
  ...stamped,
})
export type SDKBackgroundTasksChangedMessage = typeof SDKBackgroundTasksChangedMessage.Type
