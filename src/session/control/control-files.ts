// Receives a client's request about a file of the workspace; returns its content, paths that complete a mention, or whether
// the file is unchanged since it was read.
// Invariant: it only reads, within limits; a path that a deny rule keeps from Read is neither read nor suggested here.
import type { Policy } from "../../permissions/policy.ts"
import { mayApply } from "../../permissions/rules.ts"
import type { ControlAnswers } from "../../schemas/sdk/control/control-responses.ts"
import { compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Workspace } from "../../workspace/workspace.ts"

/** Bytes of a file that are sent: when the client sets no limit, and at most. */
const DEFAULT_BYTES = 1_000_000
const MAX_BYTES = 4_000_000
const MAX_SUGGESTIONS = 50
const MAX_QUERY = 1000
/** Maximum number of directories that are suggested because of the paths below them. */
const MAX_DIRECTORIES = 5000

/** What the requests are answered from. */
export interface FilesOf {
  readonly workspace: Workspace
  readonly cwd: string
  readonly policy: Policy
}

type ReadFileAnswer = (typeof ControlAnswers.read_file)["Type"]

/** The answer to `read_file`, or why there is none. */
export const readFileAnswer = (
  files: FilesOf,
  request: { readonly path: string; readonly max_bytes?: number; readonly encoding?: "utf-8" | "base64" },
): ReadFileAnswer | { readonly error: string } => {
  const { workspace, cwd } = files
  const limit = Math.min(Math.trunc(request.max_bytes ?? DEFAULT_BYTES), MAX_BYTES)
  if (!(limit >= 0)) return { error: "read_file.max_bytes: can't be below 0" }
  try {
    const absPath = normalizePath(request.path, cwd)
    const real = workspace.realpath(absPath)
    if (denialOf(files)(workspace.names(absPath) ?? [absPath, real]))
      return { error: `A deny rule keeps ${absPath} from being read.` }
    const bytes = workspace.readBytes(real)
    const part = bytes.subarray(0, limit)
    const truncated = part.length < bytes.length ? { truncated: true } : {}
    if (request.encoding === "base64") {
      return { contents: view(part).toString("base64"), absPath, ...truncated, encoding: "base64" }
    }
    const contents = decoder.decode(part)
    // Where bytes were replaced, the text does not encode to the bytes that were read.
    const lossy = !view(part).equals(Buffer.from(contents))
    return { contents, absPath, ...truncated, lossy }
  } catch (error) {
    if (error instanceof WorkspaceError) return { error: error.message }
    throw error
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Whether a deny rule matches any of the paths; each rule's glob is compiled once. */
const denialOf = ({ policy, cwd, workspace }: FilesOf): ((paths: ReadonlyArray<string>) => boolean) => {
  const compiled = new Map<string, ((path: string) => boolean) | null>()
  const matchesGlob = (glob: string, path: string): boolean | null => {
    const known = compiled.get(glob)
    const matches = known === undefined ? compile(glob) : known
    if (known === undefined) compiled.set(glob, matches)
    return matches === null ? null : matches(path.slice(1))
  }
  const realPath = (path: string) => workspace.names(path)?.at(-1) ?? path
  return (paths) =>
    policy.rules.deny.some((rule) => mayApply(rule, { toolName: "Read", paths, cwd, matchesGlob, realPath }))
}

const compile = (glob: string): ((path: string) => boolean) | null => {
  try {
    return compileGlob(glob)
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}

/** A path to complete an `@` mention with; directories end with a slash. */
export interface FileSuggestion {
  readonly id: string
  readonly displayText: string
}

/** The answer to `file_suggestions`: at most 50 paths below the working directory, the likeliest first. */
export const fileSuggestions = (
  files: FilesOf,
  query: string,
): { readonly suggestions: ReadonlyArray<FileSuggestion> } => {
  const { workspace, cwd } = files
  const base = cwd === "/" ? "/" : `${cwd}/`
  const wanted = wantedPath(query, base)
  const paths = new Set<string>()
  let directories = 0
  for (const [path, node] of workspace.nodes.below(cwd)) {
    const relative = path.slice(base.length)
    for (let slash = relative.indexOf("/"); slash !== -1 && directories < MAX_DIRECTORIES;) {
      const above = relative.slice(0, slash + 1)
      if (!paths.has(above)) directories += 1
      paths.add(above)
      slash = relative.indexOf("/", slash + 1)
    }
    paths.add(node.type === "directory" ? `${relative}/` : relative)
  }
  const ranked: Array<{ readonly path: string; readonly rank: number }> = []
  for (const path of paths) {
    const rank = GIT.test(path) ? null : rankOf(path.toLowerCase(), wanted)
    if (rank !== null) ranked.push({ path, rank })
  }
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
  const isDenied = denialOf(files)
  const suggestions = ranked
    .slice(0, 4 * MAX_SUGGESTIONS)
    .filter(({ path }) => {
      const absolute = base + path.replace(/\/$/, "")
      return !isDenied(workspace.names(absolute) ?? [absolute])
    })
    .slice(0, MAX_SUGGESTIONS)
    .map(({ path }) => ({ id: `file-${path}`, displayText: path }))
  return { suggestions }
}

const GIT = /(?:^|\/)\.git\//

/** What was typed so far, in lower case and relative to the working directory. */
const wantedPath = (query: string, base: string): string => {
  const typed = query.slice(0, MAX_QUERY)
  const inside = typed.startsWith(base) ? typed.slice(base.length) : typed
  return inside.replace(/^\.\//, "").toLowerCase()
}

/**
 * How well a path matches: 0 if its name starts with the query, 1 if the path does, 2 if the name contains it, 3 if the path
 * does, 4 if the path has its letters in this order; null for no match.
 */
const rankOf = (path: string, wanted: string): number | null => {
  if (wanted === "") return path.indexOf("/") === -1 || path.indexOf("/") === path.length - 1 ? 0 : null
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1)
  if (name.startsWith(wanted)) return 0
  if (path.startsWith(wanted)) return 1
  if (name.includes(wanted)) return 2
  if (path.includes(wanted)) return 3
  let at = 0
  for (const character of wanted) {
    at = path.indexOf(character, at) + 1
    if (at === 0) return null
  }
  return 4
}

/** Whether a `seed_read_state` is still true: the file exists and has not changed since it was read at `mtime` (milliseconds). */
export const isAsRead = (
  { workspace, cwd }: Pick<FilesOf, "workspace" | "cwd">,
  request: { readonly path: string; readonly mtime: number },
): boolean => {
  try {
    const { type, mtime } = workspace.stat(normalizePath(request.path, cwd))
    return type === "file" && Math.floor(mtime) <= request.mtime
  } catch (error) {
    if (error instanceof WorkspaceError) return false
    throw error
  }
}
