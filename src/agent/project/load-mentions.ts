// Receives a prompt that joins the conversation; returns the events that send the model the files which it mentions, as if
// the model had read them.
// Invariant: no file is read that is outside the session's directories or that a rule denies to Read; a file that the model
// has seen completely is not sent again; everything is bounded, and what can't be shown is left out.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { MentionedFile, PromptMention } from "../../schemas/log/project-events.ts"
import { readFile } from "../../tools/files/read.ts"
import { ToolError } from "../../tools/tool.ts"
import { hasNul } from "../../workspace/file-text.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { loadNestedOf } from "./load-instructions.ts"
import { type Mention, mentionsIn } from "./mentions.ts"
import { knownMentions } from "../messages/prompt-mentions.ts"
import { shortened } from "../../schemas/shortened.ts"
import { ProjectReader } from "./project-reader.ts"

const MAX_FILES = 20
/** The largest file that is shown, in bytes, and the most characters of JSON that are shown in total. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_TOTAL = 8 * 1024 * 1024
const MAX_NAMES = 1000

/** The most characters that are shown of a resource. */
const MAX_RESOURCE = 200_000

type Prompt = Turn["prompt"]

/** `uuid` is the prompt's; by default the turn's id. */
export const loadMentions = Effect.fnUntraced(function* (
  turn: Turn,
  prompt: Prompt,
  uuid = turn.id,
): Effect.fn.Return<ReadonlyArray<NewEvent>, never, Hooks | TurnContext> {
  const text = textOf(prompt)
  // Mentions count only in users' prompts, not in Perch's own or an agent's.
  if (!text.includes("@") || (turn.origin?.kind ?? "human") !== "human" || turn.agent !== undefined) return []
  const reader = new ProjectReader(turn.workspace, turn.root, turn.policy)
  const known = knownMentions({ turn, mayRead: (path) => reader.mayRead(path) }, text)
  const resources = new Map<PromptMention, MentionedFile | null>()
  for (const mention of known) if (mention.kind === "resource") resources.set(mention, yield* read(turn, mention))
  const mentions = known.filter((mention) => resources.get(mention) !== null)
  const written = mentionsIn(text)
  const missing = missingOf(turn, reader, written)
  if (mentions.length === 0) return yield* loadNestedOf(turn, missing)
  const shownResources = [...resources.values()].filter((file) => file !== null)
  const files = [...filesOf(turn, reader, written), ...shownResources].slice(0, MAX_FILES)
  const mentioned: NewEvent = { name: EventNames.promptMentioned, payload: { prompt: uuid, mentions }, turn: turn.id }
  const paths = files.flatMap(({ tool, path }) => (tool === "Read" ? [path] : []))
  const nested = yield* loadNestedOf(turn, [...paths, ...missing])
  if (files.length === 0) return [mentioned, ...nested]
  return [{ name: EventNames.filesMentioned, payload: { files }, turn: turn.id }, mentioned, ...nested]
})

/** A resource in the form that the model gets; null when its server does not return it. */
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

/** Mentioned paths without a file. As the official SDK: the instructions of their folders are loaded nevertheless. */
const missingOf = (turn: Turn, reader: ProjectReader, mentions: ReadonlyArray<Mention>): ReadonlyArray<string> => {
  const missing = mentions.map((mention) =>
    attempt(() => {
      const path = normalizePath(mention.path, turn.cwd)
      return turn.workspace.exists(path) || !reader.mayRead(path) ? null : path
    }),
  )
  return missing.filter((path) => path !== null).slice(0, MAX_FILES)
}

/** The result of `read`, or null if the file can't be read. */
const attempt = <A>(read: () => A | null): A | null => {
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
  const bytes = workspace.readBytes(path)
  const { content, output } = readFile(bytes, input, path)
  if (typeof content === "string" && hasNul(bytes)) return null
  return { path, tool: "Read", input, content, output }
}
