// The permissions of opencode: receives a tool's name and the input of a call; returns the permission by which rules refer to
// it, and the text that their patterns are matched against.
// Invariant: every tool has exactly one permission, and every name that opencode has for the tool maps to it.
import { ownValue } from "../../own-value.ts"
import { canonicalToolName, isToolName, toolOfPartName } from "./tool-names.ts"

/** The tools that change files, under all names that they have had here and in opencode. */
const EDITS: ReadonlySet<string> = new Set([
  "edit",
  "write",
  "patch",
  "apply_patch",
  "multiedit",
  "multi_edit",
  "notebookedit",
])

const OWN_NAMES: Readonly<Record<string, string>> = { agent: "task", ls: "list", askuserquestion: "question" }

/** The permission of a tool: `Write` → `edit`, `Agent` → `task`, `Bash` → `bash`; tools of MCP servers keep their whole name. */
export const permissionOf = (toolName: string): string => {
  if (toolName.startsWith("mcp__")) return toolName
  const name = canonicalToolName(isToolName(toolName) ? toolName : toolOfPartName(toolName)).toLowerCase()
  if (EDITS.has(name)) return "edit"
  return ownValue(OWN_NAMES, name) ?? name
}

const FIELDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  edit: ["file_path", "notebook_path"],
  read: ["file_path"],
  bash: ["command"],
  glob: ["path", "pattern"],
  grep: ["path", "pattern"],
  list: ["path"],
  webfetch: ["url"],
  websearch: ["query"],
  task: ["subagent_type"],
  skill: ["skill"],
}

/** The text for patterns to match: a file's path, a command, the path or pattern of a search, an address, a name, else `*`. */
export const patternOf = (toolName: string, input: Readonly<Record<string, unknown>>): string => {
  for (const field of ownValue(FIELDS, permissionOf(toolName)) ?? []) {
    const value = input[field]
    if (typeof value === "string" && value !== "") return value
  }
  return "*"
}
