// Receives a prompt that joins the conversation; returns the events with which the model gets the files that it mentions,
// as if it had read them.
// Invariant: no file is read that lies outside the session's directories or that a deny rule keeps from Read; what the model
// has seen whole is not sent again; all of it is bounded, and what can't be shown is left out.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { MentionedFile } from "../../schemas/log/project-events.ts"
import { readFile } from "../../tools/files/read.ts"
import { ToolError } from "../../tools/tool.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { loadNestedOf } from "./load-instructions.ts"
import { type Mention, mentionsIn } from "./mentions.ts"
import { ProjectReader } from "./project-reader.ts"

const MAX_FILES = 20
/** Bytes of a file that is looked at, and characters of JSON of all that is shown. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_TOTAL = 8 * 1024 * 1024
const MAX_NAMES = 1000

type Prompt = Turn["prompt"]
type Loading = Effect.Effect<ReadonlyArray<NewEvent>, never, Hooks | TurnContext>

const NOTHING: Loading = Effect.succeed([])

export const loadMentions = (turn: Turn, prompt: Prompt): Loading => {
  const text = textOf(prompt)
  // A prompt of Perch's own, and one inside an agent, mentions nothing.
  if (!text.includes("@") || turn.origin !== undefined || turn.agent !== undefined) return NOTHING
  const files = filesOf(turn, mentionsIn(text))
  if (files.length === 0) return NOTHING
  const event: NewEvent = { name: EventNames.filesMentioned, payload: { files }, turn: turn.id }
  const paths = files.flatMap(({ tool, path }) => (tool === "Read" ? [path] : []))
  return Effect.map(loadNestedOf(turn, paths), (nested) => [event, ...nested])
}

const textOf = (prompt: Prompt): string =>
  typeof prompt === "string"
    ? prompt
    : prompt.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n")

const filesOf = (turn: Turn, mentions: ReadonlyArray<Mention>): ReadonlyArray<MentionedFile> => {
  const { cwd, root, policy, workspace } = turn
  const reader = new ProjectReader(workspace, root, policy)
  const files: Array<MentionedFile> = []
  let total = 0
  for (const mention of mentions) {
    if (files.length >= MAX_FILES) break
    const file = attempt(() => shown(turn, reader, normalizePath(mention.path, cwd), mention))
    if (file === null || files.some(({ path, input }) => path === file.path && input === file.input)) continue
    total += JSON.stringify(file.content).length
    if (total > MAX_TOTAL) break
    files.push(file)
  }
  return files
}

/** Null for what can't be read. */
const attempt = (read: () => MentionedFile | null): MentionedFile | null => {
  try {
    return read()
  } catch (error) {
    if (error instanceof ToolError || error instanceof WorkspaceError) return null
    throw error
  }
}

const shown = (
  { memory, workspace }: Turn,
  reader: ProjectReader,
  path: string,
  { lines }: Mention,
): MentionedFile | null => {
  if (!workspace.exists(path) || !reader.mayRead(path)) return null
  if (workspace.isDirectory(path)) {
    const names = reader.list(path).map(({ name }) => name)
    const left = names.length > MAX_NAMES ? `\n… and ${names.length - MAX_NAMES} more` : ""
    const input = { command: `ls ${path}`, description: `Lists files in ${path}` }
    return { path, tool: "Bash", input, content: names.slice(0, MAX_NAMES).join("\n") + left }
  }
  if (workspace.stat(path).size > MAX_FILE_BYTES) return null
  if (lines === undefined && memory.knownFiles.isShown(workspace, path)) return null
  const range = lines === undefined ? {} : { offset: lines.first, limit: Math.max(lines.last - lines.first + 1, 1) }
  const input = { file_path: path, ...range }
  const { content, output } = readFile(workspace.readBytes(path), input, path)
  return { path, tool: "Read", input, content, output }
}
