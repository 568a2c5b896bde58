// Every tool of the SDK that can exist on Workers, by its name: the Schemas of its input and its structured result.
// Invariant: the names are canonical (see tool-names.ts), and the types are the SDK's own (test/types compares them).
// Left out, because they need Anthropic's own products or a machine: SendFeedback, ClaudeDesign, Projects, RemoteTrigger,
// ShowOnboardingRolePicker, OfferChromeSetup, Artifact, EnterWorktree, ExitWorktree.
import { SendMessageInput, SendMessageOutput } from "./send-message-tool.ts"
import { SkillInput, SkillOutput } from "./skill-tool.ts"
import * as Schema from "effect/Schema"
import { ownValue } from "../../own-value.ts"
import * as agentIn from "./tool-inputs-agents.ts"
import * as scheduleIn from "./tool-inputs-schedules.ts"
import * as remoteIn from "./tool-inputs-remote.ts"
import * as workspaceIn from "./tool-inputs.ts"
import * as agentOut from "./tool-outputs-agents.ts"
import * as scheduleOut from "./tool-outputs-schedules.ts"
import * as remoteOut from "./tool-outputs-remote.ts"
import * as workspaceOut from "./tool-outputs.ts"

export interface ToolSchemas {
  readonly input: Schema.Codec<unknown, unknown>
  readonly output: Schema.Codec<unknown, unknown>
}

/** Tools of MCP servers (`mcp__server__tool`) share `mcp__*`. LS, Skill and TaskOutput are Perch's own. */
export const toolSchemas: Readonly<Record<string, ToolSchemas>> = {
  Read: { input: workspaceIn.FileReadInput, output: workspaceOut.FileReadOutput },
  Write: { input: workspaceIn.FileWriteInput, output: workspaceOut.FileWriteOutput },
  Edit: { input: workspaceIn.FileEditInput, output: workspaceOut.FileEditOutput },
  NotebookEdit: { input: workspaceIn.NotebookEditInput, output: workspaceOut.NotebookEditOutput },
  Glob: { input: workspaceIn.GlobInput, output: workspaceOut.GlobOutput },
  Grep: { input: workspaceIn.GrepInput, output: workspaceOut.GrepOutput },
  LS: { input: workspaceIn.ListInput, output: workspaceOut.ListOutput },
  Bash: { input: workspaceIn.BashInput, output: workspaceOut.BashOutput },
  TodoWrite: { input: workspaceIn.TodoWriteInput, output: workspaceOut.TodoWriteOutput },
  SendMessage: { input: SendMessageInput, output: SendMessageOutput },
  Skill: { input: SkillInput, output: SkillOutput },
  Agent: { input: agentIn.AgentInput, output: agentOut.AgentOutput },
  EnterPlanMode: { input: agentIn.EnterPlanModeInput, output: agentOut.EnterPlanModeOutput },
  ExitPlanMode: { input: agentIn.ExitPlanModeInput, output: agentOut.ExitPlanModeOutput },
  AskUserQuestion: { input: agentIn.AskUserQuestionInput, output: agentOut.AskUserQuestionOutput },
  TaskStop: { input: agentIn.TaskStopInput, output: agentOut.TaskStopOutput },
  TaskOutput: { input: agentIn.TaskOutputInput, output: agentOut.TaskOutputOutput },
  TaskCreate: { input: agentIn.TaskCreateInput, output: agentOut.TaskCreateOutput },
  TaskGet: { input: agentIn.TaskGetInput, output: agentOut.TaskGetOutput },
  TaskUpdate: { input: agentIn.TaskUpdateInput, output: agentOut.TaskUpdateOutput },
  TaskList: { input: agentIn.TaskListInput, output: agentOut.TaskListOutput },
  Workflow: { input: agentIn.WorkflowInput, output: agentOut.WorkflowOutput },
  SetGoal: { input: agentIn.ProposeGoalInput, output: agentOut.ProposeGoalOutput },
  WebFetch: { input: remoteIn.WebFetchInput, output: remoteOut.WebFetchOutput },
  WebSearch: { input: remoteIn.WebSearchInput, output: remoteOut.WebSearchOutput },
  ListMcpResourcesTool: { input: remoteIn.ListMcpResourcesInput, output: remoteOut.ListMcpResourcesOutput },
  ReadMcpResourceTool: { input: remoteIn.ReadMcpResourceInput, output: remoteOut.ReadMcpResourceOutput },
  ReadMcpResourceDirTool: { input: remoteIn.ReadMcpResourceDirInput, output: remoteOut.ReadMcpResourceDirOutput },
  RefreshMcpTools: { input: remoteIn.RefreshMcpToolsInput, output: remoteOut.RefreshMcpToolsOutput },
  "mcp__*": { input: remoteIn.McpInput, output: remoteOut.McpOutput },
  CronCreate: { input: scheduleIn.CronCreateInput, output: scheduleOut.CronCreateOutput },
  CronDelete: { input: scheduleIn.CronDeleteInput, output: scheduleOut.CronDeleteOutput },
  CronList: { input: scheduleIn.CronListInput, output: scheduleOut.CronListOutput },
  ScheduleWakeup: { input: scheduleIn.ScheduleWakeupInput, output: scheduleOut.ScheduleWakeupOutput },
  Monitor: { input: scheduleIn.MonitorInput, output: scheduleOut.MonitorOutput },
  PushNotification: { input: scheduleIn.PushNotificationInput, output: scheduleOut.PushNotificationOutput },
  ReadNotifications: { input: scheduleIn.ReadNotificationsInput, output: scheduleOut.ReadNotificationsOutput },
  ReportFindings: { input: scheduleIn.ReportFindingsInput, output: scheduleOut.ReportFindingsOutput },
  propose_skills: { input: scheduleIn.ProposeSkillsInput, output: scheduleOut.ProposeSkillsOutput },
}

/** JSON Schema (draft 2020-12) of a tool's `tool_use_result` when the call succeeds; that of a failed call is a text. */
export const outputSchemaOf = (tool: string): Readonly<Record<string, unknown>> | undefined => {
  const schemas = ownValue(toolSchemas, tool)
  return schemas === undefined ? undefined : Schema.toJsonSchemaDocument(schemas.output).schema
}
