// The commands of a session's workspace: the Markdown files below `.claude/commands`.
// Invariants: a session without that folder pays for one look-up per turn; a file is parsed again only when its content has
// changed; a file that can't be used is named in the notices and does not affect the others.
import { commandOfFile } from "../../agent/commands/command-file.ts"
import type { Command } from "../../agent/commands/command.ts"
import { MAX_FILE_BYTES, type ProjectReader } from "../../agent/project/project-reader.ts"
import type { SessionCore } from "../core.ts"
import { projectReader } from "../project/project-files.ts"

const FOLDER = ".claude/commands"
const MAX_FILES = 200
const NONE: ReadonlyArray<Command> = []

interface Parsed {
  readonly hash: string
  readonly made: ReturnType<typeof commandOfFile>
}

interface Read {
  readonly files: ReadonlyMap<string, Parsed>
  readonly commands: ReadonlyArray<Command>
  readonly notices: ReadonlyArray<string>
  /** True when files are left out. */
  readonly hasMore: boolean
}

const lastRead = new WeakMap<SessionCore, Read>()

/** None when the options leave the project's files out. */
export const workspaceCommands = (core: SessionCore): ReadonlyArray<Command> => {
  const { runningOptions, workspace } = core
  const { settingSources } = runningOptions
  const reader = projectReader(core)
  const folder = reader.at(FOLDER)
  if (settingSources?.includes("project") === false || !workspace.isDirectory(folder)) {
    lastRead.delete(core)
    return NONE
  }
  const before = lastRead.get(core)
  const files = new Map<string, Parsed>()
  const paths = reader.markdownBelow(folder)
  for (const path of paths.slice(0, MAX_FILES)) {
    const hash = reader.hashOf(`${folder}/${path}`)
    if (hash === null) continue
    const known = before?.files.get(path)
    const parsed = known?.hash === hash ? known : parse(reader, folder, path)
    if (parsed !== null) files.set(path, parsed)
  }
  const hasMore = paths.length > MAX_FILES
  if (before?.hasMore === hasMore && isSame(before.files, files)) return before.commands
  const read = readOf(files, hasMore)
  lastRead.set(core, read)
  return read.commands
}

/** The problems of single files, and that files are left out. */
export const workspaceNotices = (core: SessionCore): ReadonlyArray<string> => lastRead.get(core)?.notices ?? []

/** Null for a file that may not be read. */
const parse = (reader: ProjectReader, folder: string, path: string): Parsed | null => {
  const file = reader.read(`${folder}/${path}`)
  if (file === null) return null
  const { hash, text, cut } = file
  return { hash, made: cut ? { issue: `has more than ${MAX_FILE_BYTES} bytes` } : commandOfFile(path, text) }
}

const isSame = (before: Read["files"], now: Read["files"]): boolean =>
  before.size === now.size && [...now].every(([path, parsed]) => before.get(path) === parsed)

const readOf = (files: Read["files"], hasMore: boolean): Read => {
  const commands: Array<Command> = []
  const notices: Array<string> = hasMore
    ? [`The folder ${FOLDER} has more than ${MAX_FILES} command files; the others are left out.`]
    : []
  for (const [path, { made }] of files) {
    if ("issue" in made) notices.push(`The command file ${FOLDER}/${path} ${made.issue}, so it is left out.`)
    else {
      commands.push(made)
      notices.push(...(made.notices ?? []).map((what) => `The command file ${FOLDER}/${path}: ${what}`))
    }
  }
  return { files, commands, notices, hasMore }
}
