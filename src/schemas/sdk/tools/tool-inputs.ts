// The inputs of the workspace tools, under the SDK's own names.
// Invariant: every schema is a plain object whose JSON Schema accepts exactly what its codec accepts.
import * as Schema from "effect/Schema"
import { optional, described } from "./tool-fields.ts"

const Path = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096))
/** May be empty: that is the working directory, whose path hooks get instead. */
const ReadPath = Schema.String.check(Schema.isMaxLength(4096))
const Text = Schema.String.check(Schema.isMaxLength(33_554_432))
const Pattern = Schema.String.check(Schema.isMaxLength(4096))
const Glob = Schema.String.check(Schema.isMaxLength(1024))
/** `Count` and `Paging`: the tool checks the bounds itself, because a schema is applied before hooks can see or change the input. */
const Count = Schema.Finite
const Paging = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 }))
const FromZero = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))
const FromOne = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))

export const FileReadInput = Schema.Struct({
  file_path: described(ReadPath, "Path of the file, absolute or relative to the working directory."),
  offset: optional(FromZero, "First line to read, counted from 1; 0 shows the same lines, numbered from 0."),
  limit: optional(FromOne, "How many lines to read."),
  pages: optional(
    Schema.String.check(Schema.isMaxLength(100)),
    "Pages of a PDF file, as `3` or `1-5`, at most 20: only for a range that covers the whole file.",
  ),
  allow_large: optional(Schema.Boolean, "Read up to the hard limit instead of the usual one."),
})
export type FileReadInput = typeof FileReadInput.Type

export const FileWriteInput = Schema.Struct({
  file_path: described(Path, "Path of the file, absolute or relative to the working directory."),
  content: described(Text, "The whole new content of the file."),
})
export type FileWriteInput = typeof FileWriteInput.Type

export const FileEditInput = Schema.Struct({
  file_path: described(Path, "Path of the file, absolute or relative to the working directory."),
  old_string: described(
    Text,
    "The text to replace, exactly as it is in the file; empty to fill a file that is empty or does not exist.",
  ),
  new_string: described(Text, "The text to put in its place; it must differ."),
  replace_all: optional(Schema.Boolean, "Replace every occurrence instead of the only one (default false)."),
})
export type FileEditInput = typeof FileEditInput.Type

export const NotebookEditInput = Schema.Struct({
  notebook_path: described(Path, "Path of the notebook, absolute or relative to the working directory."),
  cell_id: optional(
    Schema.String.check(Schema.isMaxLength(200)),
    "Id of the cell to change, or to insert after (first when absent); `cell-N` is the cell at position N, from 0.",
  ),
  new_source: described(Text, "The cell's new content."),
  cell_type: optional(
    Schema.Literals(["code", "markdown"]),
    "The kind of cell; the old one when absent, but an insert needs it.",
  ),
  edit_mode: optional(
    Schema.Literals(["replace", "insert", "delete"]),
    "What to do: `replace` (default), `insert` or `delete`.",
  ),
})
export type NotebookEditInput = typeof NotebookEditInput.Type

export const GlobInput = Schema.Struct({
  pattern: described(Glob, "The glob, such as `**/*.ts` or `src/{a,b}/*.json`."),
  path: optional(Path, "Directory to search in; the working directory when absent."),
})
export type GlobInput = typeof GlobInput.Type

export const GrepInput = Schema.Struct({
  pattern: described(Pattern, "The regular expression (RE2 syntax: no backreferences, no look-around)."),
  path: optional(Path, "File or directory to search in; the working directory when absent."),
  glob: optional(Glob, "Search only files that match this glob, such as `*.{ts,tsx}` or `!*.test.ts`."),
  output_mode: optional(
    Schema.Literals(["content", "files_with_matches", "count"]),
    "`content` shows lines, `files_with_matches` (default) shows paths, `count` shows matches per file.",
  ),
  "-B": optional(Count, "Lines to show before each match (content only)."),
  "-A": optional(Count, "Lines to show after each match (content only)."),
  "-C": optional(Count, "Lines to show before and after each match (content only)."),
  context: optional(Count, "The same as -C."),
  "-n": optional(Schema.Boolean, "Show line numbers (content only; default true)."),
  "-i": optional(Schema.Boolean, "Ignore case."),
  "-o": optional(Schema.Boolean, "Show only the matched parts, one per line (content only)."),
  type: optional(
    Schema.String.check(Schema.isMaxLength(50)),
    "Search only files of this type: js, py, rust, go, md and more",
  ),
  head_limit: optional(Paging, "Show at most this many lines or entries (default 250; 0 for all)."),
  offset: optional(Paging, "Skip this many lines or entries first."),
  multiline: optional(Schema.Boolean, "Let matches span lines and `.` match a newline."),
})
export type GrepInput = typeof GrepInput.Type

export const ListInput = Schema.Struct({
  path: described(Path, "The directory to list."),
  ignore: optional(Schema.Array(Glob).check(Schema.isMaxLength(100)), "Globs of entries to leave out."),
})
export type ListInput = typeof ListInput.Type

export const BashInput = Schema.Struct({
  command: described(Schema.String.check(Schema.isMaxLength(1_000_000)), "The command to run."),
  timeout: optional(
    Schema.Finite,
    "Milliseconds until the command moves to the background, or is stopped if it can't: at most 600000 (default 120000).",
  ),
  description: optional(Schema.String.check(Schema.isMaxLength(2000)), "What the command does, in a few words."),
  run_in_background: optional(
    Schema.Boolean,
    "Run in the background; you are notified of the end (the default timeout is then 600000).",
  ),
  dangerouslyDisableSandbox: optional(Schema.Boolean, "Has no effect: the shell has nothing outside its sandbox."),
})
export type BashInput = typeof BashInput.Type

export const TodoItem = Schema.Struct({
  content: described(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2000)), "What is to be done."),
  status: Schema.Literals(["pending", "in_progress", "completed"]),
  activeForm: described(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2000)),
    "The same in the present continuous, shown while it is being done.",
  ),
})
export type TodoItem = typeof TodoItem.Type

export const TodoWriteInput = Schema.Struct({
  todos: described(
    Schema.Array(TodoItem).check(Schema.isMaxLength(500)),
    "The whole new list; it replaces the old one.",
  ),
})
export type TodoWriteInput = typeof TodoWriteInput.Type
