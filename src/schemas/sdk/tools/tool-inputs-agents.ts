// The inputs of the tools that control work: subagents, plans, questions, tasks, workflows and goals.
import * as Schema from "effect/Schema"
import { PermissionMode } from "../options/permissions.ts"
import { AnyRecord } from "../open.ts"
import { Effort } from "../options/options.ts"
import { Id, Line, list, optional, Page, described, TaskStatus, text, TextRecord } from "./tool-fields.ts"

export const AgentInput = Schema.Struct({
  description: described(Line, "The task in three to five words."),
  prompt: described(Page, "What the agent should do; it knows nothing else of this conversation."),
  subagent_type: optional(Id, "The kind of agent; a general one when absent."),
  model: optional(
    Schema.Literals(["sonnet", "opus", "haiku", "fable"]),
    "The model to use instead of the agent's own.",
  ),
  effort: optional(Effort, "How hard to think."),
  run_in_background: optional(Schema.Boolean, "False waits for the agent's answer."),
  name: optional(Id, "A name to address the agent by while it runs."),
  team_name: optional(Line, "Has no effect."),
  mode: optional(PermissionMode, "Has no effect."),
  isolation: optional(Schema.Literals(["worktree", "remote"]), "Not supported here: leave it out."),
})
export type AgentInput = typeof AgentInput.Type

/** The shape is open, because the SDK allows further fields. */
export const ExitPlanModeInput = Schema.StructWithRest(
  Schema.Struct({
    allowedPrompts: optional(
      list(Schema.Struct({ tool: Schema.Literal("Bash"), prompt: Line }), 100),
      "What the plan's commands need permission for, in words.",
    ),
  }),
  [AnyRecord],
)
export type ExitPlanModeInput = typeof ExitPlanModeInput.Type

export const EnterPlanModeInput = Schema.Struct({})
export type EnterPlanModeInput = typeof EnterPlanModeInput.Type

const QuestionOption = Schema.Struct({
  label: described(Line, "The answer in a few words."),
  description: described(Line, "What choosing it means."),
  preview: optional(Page, "Something to look at before choosing."),
})
export type QuestionOption = typeof QuestionOption.Type

export const Question = Schema.Struct({
  question: described(Line, "The whole question."),
  header: described(Line, "A word or two to name it."),
  options: Schema.Array(QuestionOption).check(Schema.isMinLength(2), Schema.isMaxLength(4)),
  multiSelect: described(Schema.Boolean, "Whether more than one option may be chosen."),
})
export type Question = typeof Question.Type

export const AskUserQuestionInput = Schema.Struct({
  questions: described(
    Schema.Array(Question).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
    "One to four questions.",
  ),
  answers: optional(TextRecord, "The answers by question, filled in by the user."),
  annotations: optional(
    Schema.Record(Schema.String, Schema.Struct({ preview: Schema.optionalKey(Page), notes: Schema.optionalKey(Page) })),
    "What the user added to the answers, by question.",
  ),
  metadata: optional(Schema.Struct({ source: Schema.optionalKey(Line) }), "The source of the questions."),
})
export type AskUserQuestionInput = typeof AskUserQuestionInput.Type

export const TaskStopInput = Schema.Struct({
  task_id: optional(Id, "The background task to stop."),
  shell_id: optional(Id, "The older name of task_id."),
})
export type TaskStopInput = typeof TaskStopInput.Type

/** TaskOutput is no longer a tool of the SDK, but older prompts still call it, also as BashOutput. */
export const TaskOutputInput = Schema.Struct({
  task_id: optional(Id, "The background task to check."),
  bash_id: optional(Id, "The older name of task_id."),
  block: optional(Schema.Boolean, "Wait for the task's end (default true)."),
  timeout: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 })),
    "Milliseconds to wait at most (default 30000).",
  ),
})
export type TaskOutputInput = typeof TaskOutputInput.Type

export const TaskCreateInput = Schema.Struct({
  subject: described(Line, "The task in a line."),
  description: described(Page, "What is to be done."),
  activeForm: optional(Line, "The subject in the present continuous, shown while it is being done."),
  metadata: optional(AnyRecord, "Any further data of the task."),
})
export type TaskCreateInput = typeof TaskCreateInput.Type

export const TaskGetInput = Schema.Struct({ taskId: described(text(200), "The task to read.") })
export type TaskGetInput = typeof TaskGetInput.Type

export const TaskUpdateInput = Schema.Struct({
  taskId: described(text(200), "The task to change."),
  subject: optional(Line, "The new subject."),
  description: optional(Page, "The new description."),
  activeForm: optional(Line, "The new present continuous."),
  status: optional(
    Schema.Union([TaskStatus, Schema.Literal("deleted")]),
    "The new status; `deleted` removes the task from the list.",
  ),
  addBlocks: optional(list(Id, 100), "Tasks that can't start before this one is done."),
  addBlockedBy: optional(list(Id, 100), "Tasks that must be done before this one."),
  owner: optional(Line, "Who does it."),
  metadata: optional(AnyRecord, "Keys to set; null removes a key."),
})
export type TaskUpdateInput = typeof TaskUpdateInput.Type

export const TaskListInput = Schema.Struct({})
export type TaskListInput = typeof TaskListInput.Type

export const WorkflowInput = Schema.Struct({
  script: optional(Page, "The workflow's code."),
  name: optional(Line, "A known workflow to run."),
  description: optional(Line, "What it is for."),
  title: optional(Line, "What to show."),
  args: optional(AnyRecord, "The workflow's arguments."),
  scriptPath: optional(Line, "A file of the workspace that contains the code."),
  resumeFromRunId: optional(Id, "A run to continue."),
})
export type WorkflowInput = typeof WorkflowInput.Type

/** The input of SetGoal, which was formerly called ProposeGoal. */
export const ProposeGoalInput = Schema.Struct({
  condition: described(Page, "What must be true when the work is done."),
  ask_user: optional(Schema.Boolean, "Ask the user before the goal is set."),
})
export type ProposeGoalInput = typeof ProposeGoalInput.Type
