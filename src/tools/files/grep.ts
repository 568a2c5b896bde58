// Grep: receives a regular expression; returns paths, lines or counts.
// Invariant: the text is at most 50,000 characters, and ends with a note when something was left out.
import * as Effect from "effect/Effect"
import { GrepInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { GrepOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { GlobError } from "../../workspace/search/glob-pattern.ts"
import { GrepError, type GrepFile, grepFiles, type GrepQuery } from "../../workspace/search/grep.ts"
import { listedName } from "../../workspace/shown-name.ts"
import { isFile, isHidden, onWorkspace, shownPath } from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { makeTool, READS } from "../make-tool.ts"
import { grepContent } from "../output-content.ts"
import { searchRoot, withoutBlanks } from "./search-root.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"

export const DEFAULT_LIMIT = 250
const MAX_CHARACTERS = 50_000
const MAX_CONTEXT = 1000

/** Splits `*.ts, !*.test.ts` at spaces and commas outside of braces. */
const splitGlobs = (text: string | undefined): Array<string> => {
  if (text === undefined) return []
  let depth = 0
  let current = ""
  const out: Array<string> = []
  for (const character of text) {
    if (character === "{") depth += 1
    if (character === "}") depth -= 1
    if (depth <= 0 && (character === "," || character === " ")) {
      out.push(current)
      current = ""
    } else current += character
  }
  return [...out, current].filter((glob) => glob !== "")
}

const plural = (count: number, word: string, words = `${word}s`): string => `${count} ${count === 1 ? word : words}`

interface Lines {
  /** Whether context was asked for: then groups of lines have "--" in between. */
  readonly grouped: boolean
  /** Whether each line begins with its file. As in the official SDK, not if the search is for one file. */
  readonly named: boolean
}

/** Every line of `content` mode, in order. */
const contentLines = (
  files: ReadonlyArray<GrepFile>,
  input: GrepInput,
  cwd: string,
  { grouped, named }: Lines,
): Array<string> => {
  const out: Array<string> = []
  for (const file of files) {
    const name = named ? listedName(shownPath(file.path, cwd)) : ""
    let last: number | null = null
    for (const line of file.lines) {
      if (grouped && out.length > 0 && (last === null || line.number > last + 1)) out.push("--")
      const mark = line.match ? ":" : "-"
      const start = `${named ? `${name}${mark}` : ""}${input["-n"] === false ? "" : `${line.number}${mark}`}`
      out.push(`${start}${line.text}`)
      last = line.number
    }
  }
  return out
}

/** The requested page of entries, cut to MAX_CHARACTERS. */
const pageOf = (entries: ReadonlyArray<string>, input: GrepInput) => {
  const offset = input.offset ?? 0
  const limit = input.head_limit === 0 ? Number.MAX_SAFE_INTEGER : (input.head_limit ?? DEFAULT_LIMIT)
  const wanted = entries.slice(offset, Math.min(entries.length, offset + limit))
  let characters = 0
  const fits = wanted.findIndex((entry) => (characters += entry.length + 1) > MAX_CHARACTERS)
  const shown = fits === -1 ? wanted : wanted.slice(0, Math.max(fits, 1))
  const left = entries.length - offset - shown.length
  return {
    shown,
    /** The text for an empty page: `found` when there are no entries, or a note about the offset. */
    nothing: (found: string): string =>
      entries.length === 0
        ? found
        : `There is nothing at offset ${offset}: ${plural(entries.length, "entry", "entries")} in all.`,
    applied: {
      ...(left > 0 ? { appliedLimit: shown.length } : {}),
      ...(offset > 0 ? { appliedOffset: offset } : {}),
    },
    note: left > 0 ? `\n\n(${left} more. Continue with offset ${offset + shown.length}.)` : "",
  }
}

const inContent = (files: ReadonlyArray<GrepFile>, input: GrepInput, cwd: string, form: Lines): ToolOutcome => {
  const lines = contentLines(files, input, cwd, form)
  const page = pageOf(lines, input)
  const content = page.shown.join("\n")
  const output: GrepOutput = {
    mode: "content",
    numFiles: 0,
    filenames: [],
    content,
    numLines: page.shown.length,
    totalLines: lines.length,
    ...page.applied,
  }
  return { content: page.shown.length === 0 ? page.nothing("No matches found") : content + page.note, output }
}

const inCounts = (files: ReadonlyArray<GrepFile>, input: GrepInput, cwd: string): ToolOutcome => {
  const page = pageOf(
    files.map((file) => `${listedName(shownPath(file.path, cwd))}:${file.matches}`),
    input,
  )
  const matches = files.reduce((sum, file) => sum + file.matches, 0)
  const content = page.shown.join("\n")
  const output: GrepOutput = {
    mode: "count",
    numFiles: files.length,
    filenames: [],
    content,
    numMatches: matches,
    ...page.applied,
  }
  const summary = `Found ${plural(matches, "total occurrence")} across ${plural(files.length, "file")}.`
  const shown = page.shown.length === 0 ? page.nothing("No matches found") : `${content}${page.note}`
  return { content: files.length === 0 ? shown : `${shown}\n\n${summary}`, output }
}

const inFiles = (files: ReadonlyArray<GrepFile>, input: GrepInput, cwd: string): ToolOutcome => {
  const sorted = files.toSorted((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : 1))
  const page = pageOf(
    sorted.map((file) => shownPath(file.path, cwd)),
    input,
  )
  const output: GrepOutput = {
    mode: "files_with_matches",
    filenames: page.shown,
    numFiles: page.shown.length,
    totalFiles: files.length,
    ...page.applied,
  }
  if (page.shown.length === 0) return { content: page.nothing("No files found"), output }
  return {
    content: `Found ${plural(files.length, "file")}\n${page.shown.map(listedName).join("\n")}${page.note}`,
    output,
  }
}

const queryOf = (input: GrepInput, path: string, hidden: GrepQuery["hidden"]): GrepQuery => {
  // As in the official SDK, `context` and -C replace -B and -A.
  const around = input.context ?? input["-C"]
  return {
    pattern: input.pattern,
    path,
    hidden,
    globs: splitGlobs(input.glob),
    ...(input.type === undefined ? {} : { type: input.type }),
    ignoreCase: input["-i"] === true,
    multiline: input.multiline === true,
    onlyMatching: input["-o"] === true && input.output_mode === "content",
    before: Math.min(around ?? input["-B"] ?? 0, MAX_CONTEXT),
    after: Math.min(around ?? input["-A"] ?? 0, MAX_CONTEXT),
  }
}

/** Throws a ToolError for a negative or fractional number of context lines. As the official SDK: only in content mode. */
const checkContext = (input: GrepInput): void => {
  const names = ["-A", "-B", "-C", "context"] as const
  const wrong = names.find((name) => !Number.isInteger(input[name] ?? 0) || (input[name] ?? 0) < 0)
  if (wrong === undefined || input.output_mode !== "content") return
  const message = `${wrong} must be a whole number of 0 or more. Got ${input[wrong]}.`
  throw new ToolError({ reason: "invalid_arguments", message })
}

const search = (query: GrepQuery, wanted: boolean, context: ToolContext): Array<GrepFile> => {
  try {
    return grepFiles(context.workspace, query, wanted)
  } catch (error) {
    if (error instanceof GrepError || error instanceof GlobError) {
      throw new ToolError({ reason: "invalid_arguments", message: `The search failed: ${error.message}.` })
    }
    throw error
  }
}

const tool = makeTool(GrepInput, {
  name: "Grep",
  description:
    "Searches file contents with a regular expression (RE2 syntax). Shows the paths of matching files, or lines " +
    "(`output_mode` content) or counts (`output_mode` count). Narrow it with `path`, `glob` or `type`. Binary files " +
    "are left out.",
  ...READS,
  paths: (input, cwd) => [touchedPath(input.path ?? cwd, cwd)],
  validate: (input) => {
    const wrong = (["head_limit", "offset"] as const).find((name) => (input[name] ?? 0) < 0)
    if (wrong === undefined) return Effect.void
    const message = `${wrong} must be a whole number of 0 or more. Got ${input[wrong]}.`
    return Effect.fail(new ToolError({ reason: "invalid_arguments", message }))
  },
  run: (input, context) =>
    onWorkspace(context, () => {
      checkContext(input)
      const root = searchRoot(input.path, context)
      const mode = input.output_mode ?? "files_with_matches"
      const query = queryOf(input, root ?? context.cwd, isHidden(context))
      const files = root === null ? [] : search(query, mode === "content", context)
      if (mode === "content") {
        const named = root !== null && !isFile(context.workspace, root)
        return inContent(files, input, context.cwd, { grouped: query.before + query.after > 0, named })
      }
      return mode === "count" ? inCounts(files, input, context.cwd) : inFiles(files, input, context.cwd)
    }),
  contentOf: grepContent,
})

export const grepTool = withoutBlanks(tool, ["path", "glob", "type"])
