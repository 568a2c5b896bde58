// The names of tools: receives a name as a model, a rule or an older client writes it; returns the canonical name that
// the log, hooks and rules use.
// Invariant: an alias maps to a name that is no alias, and a name that is not in the table is canonical.

/**
 * Old and short names, with the canonical name. The official SDK accepts the first nine wherever it accepts a tool's name; the
 * others are those of older agents whose prompts still use them.
 */
export const TOOL_ALIASES: ReadonlyMap<string, string> = new Map([
  ["Task", "Agent"],
  ["KillShell", "TaskStop"],
  ["KillBash", "TaskStop"],
  ["ListPeers", "ListAgents"],
  ["Brief", "SendUserMessage"],
  ["ListMcpResources", "ListMcpResourcesTool"],
  ["ReadMcpResource", "ReadMcpResourceTool"],
  ["ReadMcpResourceDir", "ReadMcpResourceDirTool"],
  ["ProposeGoal", "SetGoal"],
  ["BashOutput", "TaskOutput"],
  ["BashOutputTool", "TaskOutput"],
  ["AgentOutputTool", "TaskOutput"],
  ["ls", "LS"],
  ["find", "Glob"],
])

/** As in the official SDK: `system/init` and `permission_denials` name the Agent tool by its older name. */
export const reportedToolName = (name: string): string => (name === "Agent" ? "Task" : name)

/** The SDK's own tools, and LS, which is Perch's. */
const TOOL_NAMES: ReadonlyArray<string> = (
  "Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode " +
  "ExitWorktree Glob Grep LS ListAgents ListMcpResourcesTool Monitor NotebookEdit PushNotification Read " +
  "ReadMcpResourceDirTool ReadMcpResourceTool RefreshMcpTools ReportFindings ScheduleWakeup SendMessage SendUserFile " +
  "SendUserMessage SetGoal Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch " +
  "WebSearch Workflow Write"
).split(" ")

const NAMES: ReadonlySet<string> = new Set([...TOOL_NAMES, ...TOOL_ALIASES.keys()])

/** True for the names and aliases of the SDK's tools and LS, whether or not this version has the tool. */
export const isToolName = (name: string): boolean => NAMES.has(name)

const byPartName = new Map(TOOL_NAMES.map((name) => [name.toLowerCase(), name]))

/** The name of a tool that parts clients know in lower case (`task`, `list`); other names are returned unchanged. */
export const toolOfPartName = (name: string): string => {
  if (name === "task") return "Agent"
  return name === "list" ? "LS" : (byPartName.get(name) ?? name)
}

/** The canonical name of a tool, as in the log. */
export const canonicalToolName = (name: string): string => TOOL_ALIASES.get(name) ?? name
