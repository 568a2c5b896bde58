// The names a tool goes by: receives a name as a model, a rule or an older client writes it; returns the one name that
// the log, hooks and rules use.
// Invariant: an alias leads to a name that is no alias, and a name that is not in the table is its own.

/**
 * Old and short names. The official SDK takes the first nine wherever it takes a tool's name; `ls` and `find` are
 * those of older agents whose prompts still use them.
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
  ["ls", "LS"],
  ["find", "Glob"],
])

/** The name that a tool has in the log. */
export const canonicalToolName = (name: string): string => TOOL_ALIASES.get(name) ?? name
