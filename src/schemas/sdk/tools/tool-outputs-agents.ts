// The structured results of the tools that control work: subagents, plans, questions, tasks, workflows and goals.
import * as Schema from "effect/Schema"
import { TaskStatus, TextRecord } from "./tool-fields.ts"
import { Question } from "./tool-inputs-agents.ts"

const Text = Schema.String
const opt = Schema.optionalKey

/** The usage of a subagent, as the API reported it. */
const AgentUsage = Schema.Struct({
  input_tokens: Schema.Finite,
  output_tokens: Schema.Finite,
  cache_creation_input_tokens: Schema.NullOr(Schema.Finite),
  cache_read_input_tokens: Schema.NullOr(Schema.Finite),
  server_tool_use: Schema.NullOr(
    Schema.Struct({ web_search_requests: Schema.Finite, web_fetch_requests: Schema.Finite }),
  ),
  service_tier: Schema.NullOr(Text),
  cache_creation: Schema.NullOr(
    Schema.Struct({ ephemeral_1h_input_tokens: Schema.Finite, ephemeral_5m_input_tokens: Schema.Finite }),
  ),
  inference_geo: opt(Schema.NullOr(Text)),
  speed: opt(Schema.NullOr(Text)),
  iterations: opt(Schema.Unknown),
  output_tokens_details: opt(Schema.NullOr(Schema.Struct({ thinking_tokens: opt(Schema.NullOr(Schema.Finite)) }))),
  fallback_credit: opt(Schema.Unknown),
})

const ToolStats = Schema.Struct({
  readCount: Schema.Finite,
  searchCount: Schema.Finite,
  bashCount: Schema.Finite,
  editFileCount: Schema.Finite,
  linesAdded: Schema.Finite,
  linesRemoved: Schema.Finite,
  otherToolCount: Schema.Finite,
  frameCount: opt(Schema.Finite),
})

export const AgentOutput = Schema.Union([
  Schema.Struct({
    agentId: Text,
    agentType: opt(Text),
    content: Schema.Array(
      Schema.Struct({
        type: Schema.Literal("text"),
        text: Text,
        citations: opt(Schema.NullOr(Schema.Array(Schema.Unknown))),
      }),
    ),
    resolvedModel: opt(Text),
    modelsUsed: opt(Schema.Array(Text)),
    totalToolUseCount: Schema.Finite,
    totalDurationMs: Schema.Finite,
    totalTokens: Schema.Finite,
    usage: AgentUsage,
    toolsUsed: opt(Schema.Array(Text)),
    toolStats: opt(ToolStats),
    status: Schema.Literal("completed"),
    prompt: Text,
    worktreePath: opt(Text),
    worktreeBranch: opt(Text),
  }),
  Schema.Struct({
    status: Schema.Literal("async_launched"),
    isAsync: opt(Schema.Literal(true)),
    agentId: Text,
    description: Text,
    resolvedModel: opt(Text),
    modelsUsed: opt(Schema.Array(Text)),
    prompt: Text,
    outputFile: Text,
    canReadOutputFile: opt(Schema.Boolean),
  }),
  Schema.Struct({
    status: Schema.Literal("remote_launched"),
    taskId: Text,
    sessionUrl: Text,
    description: Text,
    prompt: Text,
    outputFile: Text,
  }),
])
export type AgentOutput = typeof AgentOutput.Type

export const ExitPlanModeOutput = Schema.Struct({
  plan: Schema.NullOr(Text),
  isAgent: Schema.Boolean,
  filePath: opt(Text),
  hasTaskTool: opt(Schema.Boolean),
  planWasEdited: opt(Schema.Boolean),
  awaitingLeaderApproval: opt(Schema.Boolean),
  requestId: opt(Text),
})
export type ExitPlanModeOutput = typeof ExitPlanModeOutput.Type

export const EnterPlanModeOutput = Schema.Struct({ message: Text })
export type EnterPlanModeOutput = typeof EnterPlanModeOutput.Type

export const AskUserQuestionOutput = Schema.Struct({
  questions: Schema.Array(Question),
  answers: TextRecord,
  response: opt(Text),
  annotations: opt(
    Schema.Record(
      Schema.String,
      Schema.Struct({
        preview: opt(Text),
        notes: opt(Text),
        unanswered: opt(Schema.Literals(["skipped", "replied_in_chat", "dismissed"])),
      }),
    ),
  ),
  afkTimeoutMs: opt(Schema.Finite),
})
export type AskUserQuestionOutput = typeof AskUserQuestionOutput.Type

export const TaskStopOutput = Schema.Struct({
  message: Text,
  task_id: Text,
  task_type: Text,
  command: opt(Text),
})
export type TaskStopOutput = typeof TaskStopOutput.Type

export const TaskOutputOutput = Schema.Struct({
  retrieval_status: Schema.Literals(["success", "timeout", "not_ready"]),
  task: Schema.Struct({
    task_id: Text,
    task_type: Text,
    status: Schema.Literals(["running", "completed", "failed", "stopped"]),
    description: Text,
    output: Text,
  }),
})
export type TaskOutputOutput = typeof TaskOutputOutput.Type

export const TaskCreateOutput = Schema.Struct({
  task: Schema.Struct({ id: Text, subject: Text, description: opt(Text) }),
})
export type TaskCreateOutput = typeof TaskCreateOutput.Type

export const TaskGetOutput = Schema.Struct({
  task: Schema.NullOr(
    Schema.Struct({
      id: Text,
      subject: Text,
      description: Text,
      status: TaskStatus,
      blocks: Schema.Array(Text),
      blockedBy: Schema.Array(Text),
    }),
  ),
})
export type TaskGetOutput = typeof TaskGetOutput.Type

export const TaskUpdateOutput = Schema.Struct({
  success: Schema.Boolean,
  taskId: Text,
  updatedFields: Schema.Array(Text),
  error: opt(Text),
  statusChange: opt(Schema.Struct({ from: Text, to: Text })),
})
export type TaskUpdateOutput = typeof TaskUpdateOutput.Type

export const TaskListOutput = Schema.Struct({
  tasks: Schema.Array(
    Schema.Struct({ id: Text, subject: Text, status: TaskStatus, owner: opt(Text), blockedBy: Schema.Array(Text) }),
  ),
})
export type TaskListOutput = typeof TaskListOutput.Type

export const WorkflowOutput = Schema.Struct({
  status: Schema.Literals(["async_launched", "remote_launched"]),
  taskId: Text,
  taskType: opt(Schema.Literals(["local_workflow", "remote_agent"])),
  workflowName: opt(Text),
  runId: opt(Text),
  summary: opt(Text),
  transcriptDir: opt(Text),
  scriptPath: opt(Text),
  sessionUrl: opt(Text),
  warning: opt(Text),
  error: opt(Text),
})
export type WorkflowOutput = typeof WorkflowOutput.Type

export const ProposeGoalOutput = Schema.Struct({ condition: Text, askUser: Schema.Boolean })
export type ProposeGoalOutput = typeof ProposeGoalOutput.Type
