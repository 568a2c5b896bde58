// Compares the tools' inputs and structured results of src/schemas/sdk with the official types, tool by tool and both
// ways. Nothing runs here: `tsc -p test` is the test. A tool that differs shows as an error at its name. That the tables
// name every official tool, or give the reason why not, is asserted in test/schemas/sdk/tools/tool-schemas.test.ts.
//
// Exceptions:
//  - AskUserQuestion (input and output) and ProposeSkills (input): the official types count list items by tuples
//    (`[a] | [a, b] | …`), the Schemas by length checks, which no type shows. What they allow, ours decode; what ours
//    emit is compared with the lists uncounted.
//  - Bounds: inputs carry maximum lengths and counts, and some minimum lengths, which no type shows either.
import type * as official from "@anthropic-ai/claude-agent-sdk/sdk-tools"
import type * as workspaceIn from "../../src/schemas/sdk/tools/tool-inputs.ts"
import type * as agentIn from "../../src/schemas/sdk/tools/tool-inputs-agents.ts"
import type * as remoteIn from "../../src/schemas/sdk/tools/tool-inputs-remote.ts"
import type * as scheduleIn from "../../src/schemas/sdk/tools/tool-inputs-schedules.ts"
import type * as workspaceOut from "../../src/schemas/sdk/tools/tool-outputs.ts"
import type * as agentOut from "../../src/schemas/sdk/tools/tool-outputs-agents.ts"
import type * as remoteOut from "../../src/schemas/sdk/tools/tool-outputs-remote.ts"
import type * as scheduleOut from "../../src/schemas/sdk/tools/tool-outputs-schedules.ts"
import type { Check, Fits, Plain, Same } from "./compare.ts"

/** The same with every list uncounted: a tuple becomes a list of what it may hold. */
type Uncounted<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Uncounted<Item>>
    : T extends object
      ? { readonly [K in keyof T]: Uncounted<T[K]> }
      : T

/** What they allow, ours decode; ours emit what they allow but for the counts. */
type SameUncounted<Ours, Theirs> =
  Fits<Plain<Theirs>, Plain<Ours>> extends true
    ? Same<Ours, Uncounted<Theirs>>
    : { readonly theyAllow: Theirs; readonly weDecode: Ours }

export type EveryInput = Check<{
  FileRead: Same<workspaceIn.FileReadInput, official.FileReadInput>
  FileWrite: Same<workspaceIn.FileWriteInput, official.FileWriteInput>
  FileEdit: Same<workspaceIn.FileEditInput, official.FileEditInput>
  NotebookEdit: Same<workspaceIn.NotebookEditInput, official.NotebookEditInput>
  Glob: Same<workspaceIn.GlobInput, official.GlobInput>
  Grep: Same<workspaceIn.GrepInput, official.GrepInput>
  Bash: Same<workspaceIn.BashInput, official.BashInput>
  TodoWrite: Same<workspaceIn.TodoWriteInput, official.TodoWriteInput>
  Agent: Same<agentIn.AgentInput, official.AgentInput>
  EnterPlanMode: Same<agentIn.EnterPlanModeInput, official.EnterPlanModeInput>
  ExitPlanMode: Same<agentIn.ExitPlanModeInput, official.ExitPlanModeInput>
  AskUserQuestion: SameUncounted<agentIn.AskUserQuestionInput, official.AskUserQuestionInput>
  TaskStop: Same<agentIn.TaskStopInput, official.TaskStopInput>
  TaskCreate: Same<agentIn.TaskCreateInput, official.TaskCreateInput>
  TaskGet: Same<agentIn.TaskGetInput, official.TaskGetInput>
  TaskUpdate: Same<agentIn.TaskUpdateInput, official.TaskUpdateInput>
  TaskList: Same<agentIn.TaskListInput, official.TaskListInput>
  Workflow: Same<agentIn.WorkflowInput, official.WorkflowInput>
  ProposeGoal: Same<agentIn.ProposeGoalInput, official.ProposeGoalInput>
  WebFetch: Same<remoteIn.WebFetchInput, official.WebFetchInput>
  WebSearch: Same<remoteIn.WebSearchInput, official.WebSearchInput>
  ListMcpResources: Same<remoteIn.ListMcpResourcesInput, official.ListMcpResourcesInput>
  ReadMcpResource: Same<remoteIn.ReadMcpResourceInput, official.ReadMcpResourceInput>
  ReadMcpResourceDir: Same<remoteIn.ReadMcpResourceDirInput, official.ReadMcpResourceDirInput>
  RefreshMcpTools: Same<remoteIn.RefreshMcpToolsInput, official.RefreshMcpToolsInput>
  Mcp: Same<remoteIn.McpInput, official.McpInput>
  CronCreate: Same<scheduleIn.CronCreateInput, official.CronCreateInput>
  CronDelete: Same<scheduleIn.CronDeleteInput, official.CronDeleteInput>
  CronList: Same<scheduleIn.CronListInput, official.CronListInput>
  ScheduleWakeup: Same<scheduleIn.ScheduleWakeupInput, official.ScheduleWakeupInput>
  Monitor: Same<scheduleIn.MonitorInput, official.MonitorInput>
  PushNotification: Same<scheduleIn.PushNotificationInput, official.PushNotificationInput>
  ReadNotifications: Same<scheduleIn.ReadNotificationsInput, official.ReadNotificationsInput>
  ReportFindings: Same<scheduleIn.ReportFindingsInput, official.ReportFindingsInput>
  ProposeSkills: SameUncounted<scheduleIn.ProposeSkillsInput, official.ProposeSkillsInput>
}>

export type EveryOutput = Check<{
  FileRead: Same<workspaceOut.FileReadOutput, official.FileReadOutput>
  FileWrite: Same<workspaceOut.FileWriteOutput, official.FileWriteOutput>
  FileEdit: Same<workspaceOut.FileEditOutput, official.FileEditOutput>
  NotebookEdit: Same<workspaceOut.NotebookEditOutput, official.NotebookEditOutput>
  Glob: Same<workspaceOut.GlobOutput, official.GlobOutput>
  Grep: Same<workspaceOut.GrepOutput, official.GrepOutput>
  Bash: Same<workspaceOut.BashOutput, official.BashOutput>
  TodoWrite: Same<workspaceOut.TodoWriteOutput, official.TodoWriteOutput>
  Agent: Same<agentOut.AgentOutput, official.AgentOutput>
  EnterPlanMode: Same<agentOut.EnterPlanModeOutput, official.EnterPlanModeOutput>
  ExitPlanMode: Same<agentOut.ExitPlanModeOutput, official.ExitPlanModeOutput>
  AskUserQuestion: SameUncounted<agentOut.AskUserQuestionOutput, official.AskUserQuestionOutput>
  TaskStop: Same<agentOut.TaskStopOutput, official.TaskStopOutput>
  TaskCreate: Same<agentOut.TaskCreateOutput, official.TaskCreateOutput>
  TaskGet: Same<agentOut.TaskGetOutput, official.TaskGetOutput>
  TaskUpdate: Same<agentOut.TaskUpdateOutput, official.TaskUpdateOutput>
  TaskList: Same<agentOut.TaskListOutput, official.TaskListOutput>
  Workflow: Same<agentOut.WorkflowOutput, official.WorkflowOutput>
  ProposeGoal: Same<agentOut.ProposeGoalOutput, official.ProposeGoalOutput>
  WebFetch: Same<remoteOut.WebFetchOutput, official.WebFetchOutput>
  WebSearch: Same<remoteOut.WebSearchOutput, official.WebSearchOutput>
  ListMcpResources: Same<remoteOut.ListMcpResourcesOutput, official.ListMcpResourcesOutput>
  ReadMcpResource: Same<remoteOut.ReadMcpResourceOutput, official.ReadMcpResourceOutput>
  ReadMcpResourceDir: Same<remoteOut.ReadMcpResourceDirOutput, official.ReadMcpResourceDirOutput>
  RefreshMcpTools: Same<remoteOut.RefreshMcpToolsOutput, official.RefreshMcpToolsOutput>
  Mcp: Same<remoteOut.McpOutput, official.McpOutput>
  CronCreate: Same<scheduleOut.CronCreateOutput, official.CronCreateOutput>
  CronDelete: Same<scheduleOut.CronDeleteOutput, official.CronDeleteOutput>
  CronList: Same<scheduleOut.CronListOutput, official.CronListOutput>
  ScheduleWakeup: Same<scheduleOut.ScheduleWakeupOutput, official.ScheduleWakeupOutput>
  Monitor: Same<scheduleOut.MonitorOutput, official.MonitorOutput>
  PushNotification: Same<scheduleOut.PushNotificationOutput, official.PushNotificationOutput>
  ReadNotifications: Same<scheduleOut.ReadNotificationsOutput, official.ReadNotificationsOutput>
  ReportFindings: Same<scheduleOut.ReportFindingsOutput, official.ReportFindingsOutput>
  ProposeSkills: Same<scheduleOut.ProposeSkillsOutput, official.ProposeSkillsOutput>
}>
