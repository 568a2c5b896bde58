// Receives a turn whose conversation is being compacted, and the messages that it continues with; returns what the model is sent
// again after the summary: the files that it used last, the skills that it follows, and the tasks that still run.
// Invariant: everything is bounded, and a file that is denied to the model, or that a preserved message shows, is left out.
import type { ConversationReminded } from "../../schemas/log/conversation-events.ts"
import type { MentionedFile } from "../../schemas/log/project-events.ts"
import {
  CHARACTERS_PER_TOKEN,
  estimateMessages,
  estimateTokens,
  tokensOfLength,
} from "../../model/catalogue/estimate.ts"
import type { BackgroundTask } from "../../tools/bash/background-port.ts"
import { readFile } from "../../tools/files/read.ts"
import { ToolError } from "../../tools/tool.ts"
import { hasNul } from "../../workspace/file-text.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { currentModelOf } from "../fallback.ts"
import type { Turn } from "../ports.ts"
import { ProjectReader } from "../project/project-reader.ts"
import { skillVariables, usableSkill } from "../project/skill-access.ts"
import { skillText } from "../project/skill-text.ts"
import { hashOf } from "../transcript/project-memory.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { compactionThreshold } from "./window.ts"

/** As in the official SDK: this many files, and this many tokens of each file and of each skill. */
const MAX_FILES = 5
const MAX_TOKENS = 5_000
/** The most tokens of all files, and of all skills. */
const MAX_TOTAL = 25_000
/** Files and skills each take at most this share of the tokens at which the conversation is compacted again. */
const SHARE = 1 / 6
/** The most bytes that MAX_TOKENS can have. */
const MAX_BYTES = MAX_TOKENS * 16

/** `messages` are the summary and the preserved messages. */
export const carriedContext = (turn: Turn, messages: ReadonlyArray<ApiMessage>): ConversationReminded => {
  const threshold = compactionThreshold(turn.options, currentModelOf(turn)) ?? Number.POSITIVE_INFINITY
  const used = estimateMessages(messages)
  const room = Math.min(MAX_TOTAL, threshold * SHARE, Math.max(0, threshold - used) / 2)
  const { files, texts } = filesAgain(turn, messages, room)
  const tasks = turn.agent === undefined ? (turn.background?.running() ?? []) : []
  const skills = skillsAgain(turn, room)
  const wholeSkills = skills.flatMap(({ name, hash }) => (hash === undefined ? [] : [{ name, hash }]))
  return {
    files,
    texts: [...texts, ...skills.map(({ text }) => text), ...tasks.map(taskText)],
    ...(wholeSkills.length === 0 ? {} : { skills: wholeSkills }),
  }
}

/** The files, the last one first, as they are now; `texts` name those that are too long. */
const filesAgain = (turn: Turn, messages: ReadonlyArray<ApiMessage>, room: number): ConversationReminded => {
  const { memory, workspace, root, policy } = turn
  const reader = new ProjectReader(workspace, root, policy)
  const visible = pathsIn(messages, memory.cwd)
  for (const path of memory.project.instructions.keys()) visible.add(path)
  const files: Array<MentionedFile> = []
  const texts: Array<string> = []
  let left = room
  for (const path of [...memory.knownFiles].toReversed()) {
    if (files.length + texts.length >= MAX_FILES) break
    if (visible.has(path) || !reader.mayRead(path)) continue
    const file = shown(turn, path)
    if (file === null) continue
    const tokens = file === "long" ? Number.POSITIVE_INFINITY : estimateTokens(file.content)
    if (file === "long" || tokens > Math.min(left, MAX_TOKENS)) {
      texts.push(`The file ${path} was read or changed before, but is too long to be shown again.`)
      continue
    }
    left -= tokens
    files.push(file)
  }
  return { files, texts }
}

/** Null when there is no text to show. */
const shown = ({ workspace }: Turn, path: string): MentionedFile | "long" | null => {
  try {
    if (!workspace.exists(path) || workspace.isDirectory(path)) return null
    if (workspace.stat(path).size > MAX_BYTES) return "long"
    const bytes = workspace.readBytes(path)
    const input = { file_path: path }
    const { content, output } = readFile(bytes, input, path)
    return typeof content !== "string" || hasNul(bytes) ? null : { path, tool: "Read", input, content, output }
  } catch (error) {
    if (error instanceof ToolError || error instanceof WorkspaceError) return null
    throw error
  }
}

/** The paths of the files in the messages' calls. */
const pathsIn = (messages: ReadonlyArray<ApiMessage>, cwd: string): Set<string> => {
  const inputs = messages.flatMap(({ content }) => content.flatMap(({ input }) => (isInput(input) ? [input] : [])))
  return new Set(inputs.map(({ file_path: path }) => touchedPath(path, cwd)))
}

const isInput = (input: unknown): input is { readonly file_path: string } =>
  typeof input === "object" && input !== null && typeof Reflect.get(input, "file_path") === "string"

/** A skill that the model is sent again; `hash` is that of its text, if it is sent as a whole. */
interface SkillAgain {
  readonly name: string
  readonly text: string
  readonly hash?: string
}

/** The skills that the conversation has used, the last one first, as they are now. */
const skillsAgain = (turn: Turn, room: number): ReadonlyArray<SkillAgain> => {
  let left = room
  return turn.memory.project.followed.toReversed().flatMap(({ name, args }) => {
    const skill = usableSkill(turn, name)
    const text = skill === undefined ? undefined : skillText(skill, args, skillVariables(turn, skill))
    if (typeof text !== "string") return []
    const most = Math.floor(Math.min(left, MAX_TOKENS)) * CHARACTERS_PER_TOKEN
    if (most < MIN_CHARACTERS) return []
    const rest = text.length > most ? "\n[The rest was left out. Call the skill again if you need it.]" : ""
    left -= tokensOfLength(Math.min(text.length, most))
    return [
      {
        name,
        text: `The skill ${name} was loaded before. Its instructions still apply to the work it was loaded for:\n\n${text.slice(0, most)}${rest}`,
        ...(rest === "" ? { hash: hashOf(text) } : {}),
      },
    ]
  })
}

/** Less of a skill than this is of no use. */
const MIN_CHARACTERS = 1_000

const taskText = ({ task_id: id, description, command, output_file: output, agent }: BackgroundTask): string =>
  agent === undefined
    ? `The command ${id} (${JSON.stringify(description)}) still runs in the background: ${command}\nDo not start it again. A message will report its end; its output until then is in ${output}.`
    : `The agent ${id} (${agent}, ${JSON.stringify(description)}) still works in the background. Do not start another one for the same work. A message will contain its report.`
