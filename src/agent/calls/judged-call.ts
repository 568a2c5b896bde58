// Receives a call; returns what the permission engine judges it by: its paths, its command, the real path of its file.
// Invariant: every path comes with all its names through links of the workspace, so that no link hides a file from a rule.
import type { JudgedCall } from "../../permissions/decide.ts"
import { analyzeShell } from "../../shell/syntax/analysis.ts"
import { withNames } from "../../shell/syntax/links.ts"
import type { ToolContext } from "../../tools/tool.ts"
import { compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { namesOf } from "../../workspace/touched-path.ts"
import type { Turn } from "../ports.ts"
import { agentNamed } from "../subagents/definition.ts"
import type { Call } from "./call.ts"

type Place = Pick<ToolContext, "cwd" | "root" | "planning" | "workspace" | "skills">

/** A call in the form that the permission engine takes. */
export const judgedCall = (
  { tool, input }: Pick<Call, "tool" | "input">,
  { cwd, root, planning, workspace, skills }: Place,
  { agents, subagents }: Pick<Turn, "agents" | "subagents">,
): JudgedCall => {
  const subject = tool.subject?.(input)
  // An agent has several spellings; rules refer to its name.
  const named = tool.byAgent === true && subject !== undefined ? agentNamed(agents, subject)?.name : undefined
  const continues = tool.byAgent === true && isPlainObject(input) ? continuedBy(input, subagents) : undefined
  const readsServer = tool.readsServer?.(input)
  const command = isPlainObject(input) ? input["command"] : undefined
  const paths = tool.paths(input, cwd, root).flatMap((path) => namesOf(workspace, path))
  return {
    toolName: tool.name,
    paths,
    // Rules and modes refer to the session's own directory, whatever the conversation's current directory is.
    cwd: root,
    matchesGlob,
    realPath: (path: string) => namesOf(workspace, path).at(-1) ?? path,
    isDirectory: (path: string) => workspace.isDirectory(path),
    // As the official SDK: a server's hint that a tool only reads grants no permission, but plan mode uses it.
    readOnly: tool.readOnly(input) || (tool.mcpServer !== undefined && tool.concurrent?.(input) === true),
    edits: tool.edits(input),
    internal:
      tool.internal === true || tool.needsNoPermission?.(input, skills === undefined ? {} : { skills }) === true,
    asksAlways: tool.question !== undefined,
    ownPlan: paths.length > 0 && paths.every((path) => path === planning.file),
    ...spellingOf(tool.name, input),
    ...(tool.mcpServer === undefined ? {} : { mcpServer: tool.mcpServer.name }),
    ...(readsServer === undefined ? {} : { readsServer }),
    ...(continues === undefined ? {} : { continues }),
    ...(subject === undefined ? {} : { subject: continues ?? named ?? subject }),
    ...(tool.name === "Bash" && typeof command === "string"
      ? { command, shell: withNames(analyzeShell(command, cwd, root), workspace) }
      : {}),
  }
}

/** The type of the agent that a call of Agent or SendMessage continues. */
const continuedBy = (
  { resume, to = resume }: Readonly<Record<string, unknown>>,
  subagents: Turn["subagents"],
): string | undefined =>
  typeof to === "string" ? (subagents.named(to)?.started ?? subagents.endedOf(to))?.agent_type : undefined

const PATHS = ["file_path", "notebook_path", "path"] as const

/** The paths as the call spells them, and the search pattern of Glob and Grep. */
const spellingOf = (toolName: string, input: unknown): Pick<JudgedCall, "spelled" | "search"> => {
  const fields: Readonly<Record<string, unknown>> = isPlainObject(input) ? input : {}
  const spelled = PATHS.map((name) => fields[name]).filter(isPath)
  const { pattern } = fields
  const searches = (toolName === "Glob" || toolName === "Grep") && typeof pattern === "string"
  return {
    ...(spelled.length === 0 ? {} : { spelled }),
    ...(searches ? { search: pattern } : {}),
  }
}

const isPath = (value: unknown): value is string => typeof value === "string" && value !== ""

export const matchesGlob = (glob: string, path: string): boolean | null => {
  try {
    return compileGlob(glob)(path.slice(1))
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}

/** The one path that a call names; undefined for a script, and for a call that names none or several. */
export const pathOf = ({ tool, input }: Pick<Call, "tool" | "input">, { cwd, root }: Turn): string | undefined => {
  const paths = tool.name === "Bash" ? [] : tool.paths(input, cwd, root)
  return paths.length === 1 ? paths[0] : undefined
}

/** The real path of a call's file, when it differs from the path that the call names. */
export const movedTo = (call: Pick<Call, "tool" | "input">, turn: Turn): string | undefined => {
  const path = pathOf(call, turn)
  const place = path === undefined ? undefined : namesOf(turn.workspace, path).at(-1)
  return place === path ? undefined : place
}
