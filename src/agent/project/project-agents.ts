// Receives a project's files; returns the subagents that they define: `.claude/agents/**/*.md`.
// Invariant: a file grants an agent no permission that its session lacks: modes that skip questions are ignored.
import { type AgentDefinition, isAgentName } from "../../schemas/sdk/options/agents.ts"
import { type Frontmatter, namesIn, readFrontmatter, rulesIn, textIn } from "../../workspace/frontmatter.ts"
import { effortIn } from "../commands/command-file.ts"
import type { ProjectReader } from "./project-reader.ts"

export interface ProjectAgents {
  readonly agents: Readonly<Record<string, AgentDefinition>>
  /** What is invalid or has no effect, a sentence each. */
  readonly notices: ReadonlyArray<string>
}

const MAX_AGENTS = 50

/** The modes that a file may set: none of them allows a call that would be asked about. */
const MODES: ReadonlySet<string> = new Set(["default", "plan", "dontAsk"])

const NOT_HONOURED = ["mcpServers", "memory", "hooks", "isolation", "initialPrompt"] as const

/** Reads the agents of `.claude/agents`. When two files have the same name, the first one counts. */
export const readProjectAgents = (reader: ProjectReader): ProjectAgents => {
  const folder = reader.at(".claude/agents")
  const files = reader.markdownBelow(folder)
  const agents = new Map<string, AgentDefinition>()
  const notices: Array<string> = []
  for (const file of files.slice(0, MAX_AGENTS)) {
    const read = reader.read(`${folder}/${file}`)
    if (read === null) continue
    const front = readFrontmatter(read.text)
    const name = textIn(front.fields["name"]) ?? ""
    const at = `.claude/agents/${file}`
    // As in the official SDK: a file without a name defines nothing, and a colon separates the name of a plugin.
    const wrong =
      !isAgentName(name) || name.includes(":")
        ? "has no name, or one that is too long, or has a colon or a character that can't be shown"
        : agents.has(name)
          ? `defines ${name}, which another file defines too`
          : textIn(front.fields["description"]) === undefined
            ? "has no description"
            : undefined
    if (wrong !== undefined) notices.push(`${at} ${wrong}, and is left out.`)
    else {
      agents.set(name, definitionOf(front))
      notices.push(...noticesOf(at, front))
    }
  }
  if (files.length > MAX_AGENTS)
    notices.push(`.claude/agents has more than ${MAX_AGENTS} files; the others are left out.`)
  return { agents: Object.fromEntries(agents), notices }
}

const definitionOf = ({ fields, body }: Frontmatter): AgentDefinition => {
  const tools = rulesIn(fields["tools"])
  const disallowedTools = rulesIn(fields["disallowedTools"])
  const skills = namesIn(fields["skills"])
  const model = textIn(fields["model"])
  const effort = effortIn(fields["effort"])
  const mode = textIn(fields["permissionMode"])
  const maxTurns = Number(textIn(fields["maxTurns"]))
  return {
    description: textIn(fields["description"]) ?? "",
    prompt: body.trim(),
    // As in the official SDK, a field without a value means no tools.
    ...(tools === undefined ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    // The set contains only modes.
    ...(mode !== undefined && MODES.has(mode) ? { permissionMode: mode as "default" | "plan" | "dontAsk" } : {}),
    ...(Number.isInteger(maxTurns) && maxTurns > 0 ? { maxTurns } : {}),
    ...(skills === undefined || skills.length === 0 ? {} : { skills }),
    ...(fields["background"] === true ? { background: true } : {}),
  }
}

const noticesOf = (at: string, { fields, issues }: Frontmatter): ReadonlyArray<string> => {
  const mode = textIn(fields["permissionMode"])
  return [
    ...issues.map((issue) => `${at} ${issue}.`),
    ...(mode === undefined || MODES.has(mode)
      ? []
      : [`${at} asks for the permission mode ${mode}: a file can't set this mode, so the session's mode applies.`]),
    ...NOT_HONOURED.flatMap((field) =>
      fields[field] === undefined ? [] : [`${at} has the field \`${field}\`, which is not supported.`],
    ),
  ]
}
