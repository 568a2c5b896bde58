// Receives the part of a tool call; returns the head of its card: the tool, its subject, and how the call ended.
// Invariant: pure; an unknown tool is shown with its own name and the first input field that identifies the call.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import { ownValue } from "../../../schemas/own-value.ts"
import { toolOfPartName } from "../../../schemas/sdk/tools/tool-names.ts"
import { counted } from "../../kit/format.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { withoutEscapes } from "../../kit/text/without-escapes.ts"
import type { Part } from "../../store/frames.ts"

export type CallStatus = "pending" | "running" | "completed" | "background" | "error" | "denied" | "interrupted"

export interface ToolView {
  /** The tool's name for people: `Bash`, `github: search`. */
  readonly label: string
  /** The subject of the call, on one line. */
  readonly title: string
  readonly status: CallStatus
  readonly icon: string
  readonly statusText: string
}

const LABELS: Readonly<Record<string, string>> = {
  bash: "Bash",
  read: "Read",
  write: "Write",
  edit: "Edit",
  notebookedit: "Edit notebook",
  glob: "Find files",
  grep: "Search",
  list: "List",
  task: "Agent",
  todowrite: "Todos",
  webfetch: "Fetch",
  websearch: "Web search",
  web_search: "Web search",
  web_fetch: "Fetch",
  askuserquestion: "Question",
  enterplanmode: "Plan mode",
  exitplanmode: "Plan",
  skill: "Skill",
  taskoutput: "Background output",
  taskstop: "Stop background task",
  taskcreate: "New task",
  taskget: "Task",
  tasklist: "Tasks",
  taskupdate: "Update task",
  sendmessage: "Message to agent",
  structuredoutput: "Structured output",
  toolsearch: "Find tools",
}

const STATUS: Readonly<Record<CallStatus, readonly [icon: string, text: string]>> = {
  pending: ["◌", "pending"],
  running: ["◐", "running"],
  completed: ["✓", "done"],
  background: ["↗", "started in the background"],
  error: ["✕", "failed"],
  denied: ["⊘", "denied"],
  interrupted: ["■", "interrupted"],
}

/** How a task that the call has started in the background has ended, by its status. */
const ENDS: Readonly<Record<string, readonly [icon: string, text: string]>> = {
  completed: ["✓", "done in the background"],
  failed: ["✕", "failed in the background"],
}

/** The name of a tool in parts: lower case for Perch's own tools, unchanged for others. */
export const toolOfName = (name: string): string => {
  if (name === "Agent") return "task"
  if (name === "LS") return "list"
  const small = name.toLowerCase()
  return ownValue(LABELS, small) === undefined ? name : small
}

/** The label of a tool; `mcp__github__search` becomes `github: search`. */
export const toolLabel = (tool: string): string => {
  const known = ownValue(LABELS, tool)
  if (known !== undefined) return known
  const [prefix, server, ...name] = tool.split("__")
  return prefix === "mcp" && server !== undefined && name.length > 0
    ? `${server}: ${name.join("__")}`
    : toolOfPartName(tool)
}

/** Input fields that identify a call, the most specific first. */
const TITLES = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "url",
  "query",
  "subject",
  "description",
  "path",
  "skill",
  "prompt",
  "task_id",
  "taskId",
  "to",
  "uri",
  "name",
]
const MAX_TITLE = 200

const callTitle = ({ tool, state }: Part): string => {
  const input = state?.input ?? {}
  const ofState = title(tool ?? "", input)
  if (ofState !== "") return ofState
  if (state?.status === "pending" && state.raw !== undefined) return title(tool ?? "", partialFields(state.raw))
  return state?.title === undefined || state.title === tool ? "" : oneLine(state.title)
}

const title = (tool: string, input: Readonly<Record<string, unknown>>): string => {
  const { todos, questions, description, pattern, path } = input
  if (tool === "task" && typeof description === "string") return oneLine(description)
  if (Array.isArray(todos)) return counted(todos.length, "item")
  // A question may have any form: the field is read as unknown.
  if (Array.isArray(questions))
    return oneLine(String((questions[0] as { question?: unknown } | undefined)?.question ?? ""))
  if (typeof pattern === "string" && typeof path === "string") return oneLine(`${pattern} in ${path}`)
  const found = TITLES.map((name) => input[name]).find((value) => typeof value === "string" && value !== "")
  return typeof found === "string" ? oneLine(found) : ""
}

const oneLine = (text: string): string => {
  const all = visibleText(text).trim()
  const line = all.split("\n")[0] ?? ""
  return line.length > MAX_TITLE || line.length < all.length ? `${line.slice(0, MAX_TITLE)} …` : line
}

const FIELD = /"([a-z_]+)"\s*:\s*"((?:[^"\\]|\\.)*)("?)/g

/** The string fields of an input whose JSON is incomplete: `{"file_path": "/a", "content": "li`. */
export const partialFields = (raw: string): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {}
  for (const [, name, value] of raw.matchAll(FIELD)) {
    if (name !== undefined && value !== undefined) fields[name] = unescaped(value)
  }
  return fields
}

const unescaped = (value: string): string => {
  try {
    return String(JSON.parse(`"${value}"`))
  } catch {
    return value
  }
}

const INTERRUPTED = "Tool execution was interrupted"
const callStatus = ({ state }: Part): CallStatus => {
  if (state === undefined) return "pending"
  const { status, error, metadata = {} } = state
  if (status === "completed" && isInBackground(metadata["tool_use_result"])) return "background"
  if (status !== "error") return status
  if (metadata["permission_decision"] !== undefined) return "denied"
  return error === INTERRUPTED || metadata["non_execution_kind"] !== undefined ? "interrupted" : "error"
}

/** Whether the call has ended, and what it has started has not: a command or an agent in the background. */
const isInBackground = (result: unknown): boolean =>
  isPlainObject(result) && (result["status"] === "async_launched" || typeof result["backgroundTaskId"] === "string")

/** `taskEnd` is the status with which its background task has ended. */
export const toolView = (part: Part, taskEnd?: string): ToolView => {
  const status = callStatus(part)
  const isEnded = status === "background" && taskEnd !== undefined
  const [icon, statusText] = isEnded ? (ENDS[taskEnd] ?? ["■", "stopped in the background"]) : STATUS[status]
  return { label: toolLabel(part.tool ?? "Tool"), title: callTitle(part), status, icon, statusText }
}

/** The end of the output so far of a running call; empty if there is none. */
export const printedOutput = ({ state }: Part): string => {
  const output = state?.status === "running" ? state.metadata?.["output"] : undefined
  return typeof output === "string" ? withoutEscapes(output) : ""
}

/** The last line of that output. */
export const printedLine = (part: Part): string => printedOutput(part).trimEnd().split("\n").at(-1)?.trim() ?? ""

/** The duration in milliseconds; null until the call has ended, and if its times are unknown. */
export const callDuration = ({ state }: Part): number | null => {
  const { start, end } = state?.time ?? {}
  return start === undefined || end === undefined ? null : end - start
}
