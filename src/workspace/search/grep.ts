// Receives a search; returns the files and lines that match, in path order.
// Invariant: time is linear in the bytes searched (RE2), binary files are skipped, output never exceeds its limits.
import { RE2JS, RE2JSException } from "re2js"
import { beginsWithNul, utf8Of } from "../file-text.ts"
import { fileTypeTest } from "./file-types.ts"
import { checkGlob, compileGlobs } from "./glob-pattern.ts"
import type { TreeNode } from "../tree/node-store.ts"
import { nameOf } from "../paths.ts"
import type { Workspace } from "../workspace.ts"

export interface GrepQuery {
  readonly pattern: string
  /** A file or directory, absolute. */
  readonly path: string
  readonly globs: ReadonlyArray<string>
  /** True for files that are left out. */
  readonly hidden?: ((path: string) => boolean) | undefined
  readonly type?: string
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly onlyMatching: boolean
  readonly before: number
  readonly after: number
}

/** A line to show; `match` is false for context. */
export interface GrepLine {
  readonly number: number
  readonly text: string
  readonly match: boolean
}

export interface GrepFile {
  readonly path: string
  readonly mtime: number
  /** Matching lines, or matches when `multiline` or `onlyMatching`. */
  readonly matches: number
  /** Empty unless lines were asked for; a gap in the numbers separates groups. */
  readonly lines: ReadonlyArray<GrepLine>
}

/** A pattern, type or glob that can't be used; `message` has the reason. */
export class GrepError extends Error {
  override readonly name = "GrepError"
}

const MAX_PATTERN = 4096
/** The most characters of a line that is shown. */
const MAX_LINE = 500
/** The most lines that one search collects, whatever the size of the page. */
const MAX_LINES = 100_000
/** The most multi-line matches in one file: the search for each may read the rest of the file. */
const MAX_SPANNING_MATCHES = 10_000
const SKIPPED_DIRECTORIES = /(?:^|\/)\.(?:git|svn|hg|bzr|jj|sl)\//

/** A newline in a pattern, literal or escaped. */
const LINE_END = /\n|(?<!\\)(?:\\\\)*\\n/
const NEGATED_CLASS = /\[\^(?:\\.|[^\]\\])+\]/gs

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

const compile = (query: GrepQuery): RE2JS => {
  if (query.pattern.length > MAX_PATTERN) throw new GrepError(`the pattern is longer than ${MAX_PATTERN} characters`)
  if (!query.multiline && LINE_END.test(query.pattern.replace(NEGATED_CLASS, "")))
    throw new GrepError("the pattern has a line end in it, which is only found with multiline set")
  const flags = RE2JS.MULTILINE | (query.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (query.multiline ? RE2JS.DOTALL : 0)
  try {
    return RE2JS.compile(query.pattern, flags)
  } catch (error) {
    if (error instanceof RE2JSException) throw new GrepError(`the pattern is not valid: ${error.message}`)
    throw error
  }
}

/** The files that the query covers. Throws WorkspaceError when its path does not exist. */
const candidates = (workspace: Workspace, query: GrepQuery): Array<readonly [string, TreeNode]> => {
  const ofType = query.type === undefined ? null : fileTypeTest(query.type)
  if (query.type !== undefined && ofType === null) throw new GrepError(`unknown file type: ${query.type}`)
  for (const glob of query.globs) checkGlob(glob)
  const included = compileGlobs(query.globs)
  const root = workspace.realpath(query.path)
  const single = workspace.nodes.get(root)
  const { hidden = () => false } = query
  if (single?.type === "file") return hidden(root) ? [] : [[root, single]]
  const skip = root === "/" ? 1 : root.length + 1
  return workspace.nodes.below(root).filter(([path, node]) => {
    if (node.type !== "file" || node.size === 0) return false
    const relative = path.slice(skip)
    return (
      !SKIPPED_DIRECTORIES.test(relative) &&
      (ofType === null || ofType(nameOf(path))) &&
      included(relative) &&
      !hidden(path)
    )
  })
}

/** The text's lines without their line ends; nothing after a final newline counts as a line. */
const toLines = (text: string): Array<string> => {
  const lines = text.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
}

/** The text of a line, or of each line that a match spans. As in the official SDK, long ones are left out. */
const fitting = (text: string, match = true): string => {
  if (text.length <= MAX_LINE) return text
  const leftOut = match ? "[A long matching line was left out]" : "[A long context line was left out]"
  return text
    .split("\n")
    .map((line) => (line.length > MAX_LINE ? leftOut : line))
    .join("\n")
}

/** Every match in a text, in order; empty ones only with `empty`. */
const spans = function* (
  pattern: RE2JS,
  text: string,
  empty = false,
): Generator<readonly [begin: number, end: number]> {
  const matcher = pattern.matcher(text)
  for (let from = 0; from <= text.length && matcher.find(from);) {
    const [begin, end] = [matcher.start(), matcher.end()]
    if (empty || end > begin) yield [begin, end]
    from = end > begin ? end : end + 1
  }
}

interface Hits {
  readonly matches: number
  /** The indexes of the matching lines, in order. */
  readonly lines: ReadonlyArray<number>
  /** The matched parts, when the query is `onlyMatching`. */
  readonly parts: ReadonlyArray<GrepLine>
}

/** Searches line by line: a match can't span lines, and the time stays linear whatever the pattern. */
const hitsByLine = (lines: ReadonlyArray<string>, pattern: RE2JS, onlyMatching: boolean): Hits => {
  const hits: Array<number> = []
  const parts: Array<GrepLine> = []
  let matches = 0
  for (const [index, line] of lines.entries()) {
    if (!pattern.test(line)) continue
    if (onlyMatching) {
      for (const [begin, end] of spans(pattern, line)) {
        parts.push({ number: index + 1, text: fitting(line.slice(begin, end)), match: true })
        if (parts.length >= MAX_LINES) break
      }
      matches = parts.length
    } else {
      hits.push(index)
      matches += 1
    }
    if (parts.length >= MAX_LINES) break
  }
  return { matches, lines: hits, parts }
}

/** Searches the whole text: a match may span lines, and every line that it touches is a hit. */
const hitsAcrossLines = (text: string, pattern: RE2JS, onlyMatching: boolean): Hits => {
  const hits = new Set<number>()
  const parts: Array<GrepLine> = []
  let matches = 0
  let line = 0
  let next = text.indexOf("\n")
  const advance = (offset: number): void => {
    while (next !== -1 && next < offset) {
      line += 1
      next = text.indexOf("\n", next + 1)
    }
  }
  const last = text.endsWith("\n") ? text.length - 1 : text.length
  let spansLines = false
  for (const [begin, end] of spans(pattern, text, !onlyMatching)) {
    advance(begin)
    if (begin === end && (hits.has(line) || begin > last)) continue
    matches += 1
    spansLines ||= next !== -1 && next < end
    if (onlyMatching) parts.push({ number: line + 1, text: fitting(text.slice(begin, end)), match: true })
    else {
      const first = line
      advance(end - 1)
      for (let touched = first; touched <= line; touched += 1) hits.add(touched)
    }
    if (matches >= MAX_SPANNING_MATCHES || hits.size >= MAX_LINES) break
  }
  // As ripgrep: lines are counted, unless a match has a line end in it.
  return { matches: spansLines || onlyMatching ? matches : hits.size, lines: Array.from(hits), parts }
}

/** The lines that match, with the context around them. */
const withContext = (lines: ReadonlyArray<string>, hits: ReadonlyArray<number>, query: GrepQuery): Array<GrepLine> => {
  const out: Array<GrepLine> = []
  const matching = new Set(hits)
  let shown = 0
  for (const hit of hits) {
    const end = Math.min(hit + query.after, lines.length - 1)
    for (let index = Math.max(hit - query.before, shown); index <= end; index += 1) {
      const match = matching.has(index)
      out.push({ number: index + 1, text: fitting(lines[index] ?? "", match), match })
      shown = index + 1
    }
    if (out.length >= MAX_LINES) break
  }
  return out
}

/** Searches file contents; with `wanted` the result has the lines themselves. Throws GrepError, GlobError or WorkspaceError. */
export const grepFiles = (workspace: Workspace, query: GrepQuery, wanted: boolean): Array<GrepFile> => {
  const pattern = compile(query)
  const out: Array<GrepFile> = []
  let lines = 0
  for (const [path, node] of candidates(workspace, query)) {
    const bytes = utf8Of(workspace.nodes.read(node))
    if (beginsWithNul(bytes)) continue
    const text = decoder.decode(bytes)
    if (!pattern.test(text)) continue
    const split = toLines(text)
    const hits = query.multiline
      ? hitsAcrossLines(text, pattern, query.onlyMatching)
      : hitsByLine(split, pattern, query.onlyMatching)
    if (hits.matches === 0) continue
    const shown = !wanted ? [] : query.onlyMatching ? hits.parts : withContext(split, hits.lines, query)
    out.push({ path, mtime: node.mtime, matches: hits.matches, lines: shown })
    lines += shown.length
    if (lines >= MAX_LINES) break
  }
  return out
}
