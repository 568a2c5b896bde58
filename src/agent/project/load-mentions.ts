// Receives a prompt that joins the conversation; returns the events with which the model gets the files that it mentions,
// as if it had read them.
// Invariant: no file is read that lies outside the session's directories or that a deny rule keeps from Read; what the model
// has seen whole is not sent again; all of it is bounded, and what can't be shown is left out.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { MentionedFile, PromptMention } from "../../schemas/log/project-events.ts"
import { readFile } from "../../tools/files/read.ts"
import { ToolError } from "../../tools/tool.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { loadNestedOf } from "./load-instructions.ts"
import { type Mention, mentionsIn } from "./mentions.ts"
import { knownMentions } from "../messages/prompt-mentions.ts"
import { shortened } from "../../schemas/shortened.ts"
import { ProjectReader } from "./project-reader.ts"

const MAX_FILES = 20
/** Bytes of a file that is looked at, and characters of JSON of all that is shown. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_TOTAL = 8 * 1024 * 1024
const MAX_NAMES = 1000

/** Characters of a resource that are shown. */
const MAX_RESOURCE = 200_000

type Prompt = Turn["prompt"]

/** `uuid` is the prompt's own; that of the turn when it is not given. */
export const loadMentions = Effect.fnUntraced(function* (
  turn: Turn,
  prompt: Prompt,
  uuid = turn.id,
): Effect.fn.Return<ReadonlyArray<NewEvent>, never, Hooks | TurnContext> {
  const text = textOf(prompt)
  // A prompt of Perch's own, and one inside an agent, mentions nothing.
  if (!text.includes("@") || turn.origin !== undefined || turn.agent !== undefined) return []
  const reader = new ProjectReader(turn.workspace, turn.root, turn.policy)
  const known = knownMentions({ turn, mayRead: (path) => reader.mayRead(path) }, text)
  const resources = new Map<PromptMention, MentionedFile | null>()
  for (const mention of known) if (mention.kind === "resource") resources.set(mention, yield* read(turn, mention))
  const mentions = known.filter((mention) => resources.get(mention) !== null)
  if (mentions.length === 0) return []
  const shownResources = [...resources.values()].filter((file) => file !== null)
  const files = [...filesOf(turn, reader, mentionsIn(text)), ...shownResources].slice(0, MAX_FILES)
  const mentioned: NewEvent = { name: EventNames.promptMentioned, payload: { prompt: uuid, mentions }, turn: turn.id }
  if (files.length === 0) return [mentioned]
  const paths = files.flatMap(({ tool, path }) => (tool === "Read" ? [path] : []))
  const nested = yield* loadNestedOf(turn, paths)
  return [{ name: EventNames.filesMentioned, payload: { files }, turn: turn.id }, mentioned, ...nested]
})

/** A resource as the model gets it; null when its server does not give it. */
const read = (
  { resources }: Turn,
  { server, uri }: Extract<PromptMention, { readonly kind: "resource" }>,
): Effect.Effect<MentionedFile | null> => {
  if (resources === undefined) return Effect.succeed(null)
  return resources.read(server, uri).pipe(
    Effect.map((parts): MentionedFile => {
      const contents = parts.map(({ text, ...about }) => ({ uri: about.uri, text: text ?? "(no text)" }))
      const content = shortened(JSON.stringify({ contents }), MAX_RESOURCE)
      return { path: uri, tool: "ReadMcpResourceTool", input: { server, uri }, content }
    }),
    Effect.catch(() => Effect.succeed(null)),
  )
}

const textOf = (prompt: Prompt): string =>
  typeof prompt === "string"
    ? prompt
    : prompt.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n")

const filesOf = (turn: Turn, reader: ProjectReader, mentions: ReadonlyArray<Mention>): ReadonlyArray<MentionedFile> => {
  const { cwd } = turn
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
