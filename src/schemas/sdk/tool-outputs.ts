// The structured result of each built-in tool, as the SDK's `tool_use_result` carries it.
import { Schema } from "effect"
import { TodoItem } from "./tool-inputs.ts"

export const PatchHunk = Schema.Struct({
  oldStart: Schema.Int,
  oldLines: Schema.Int,
  newStart: Schema.Int,
  newLines: Schema.Int,
  lines: Schema.Array(Schema.String),
})
export type PatchHunk = typeof PatchHunk.Type

export const ImageType = Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"])
export type ImageType = typeof ImageType.Type

export const FileReadOutput = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("text"),
    file: Schema.Struct({
      filePath: Schema.String,
      content: Schema.String,
      numLines: Schema.Int,
      startLine: Schema.Int,
      totalLines: Schema.Int,
      /** True when a limit of Read's own, not the caller's, ended the content. */
      truncatedByTokenCap: Schema.optionalKey(Schema.Boolean),
    }),
  }),
  Schema.Struct({
    type: Schema.Literal("image"),
    file: Schema.Struct({ base64: Schema.String, type: ImageType, originalSize: Schema.Int }),
  }),
])
export type FileReadOutput = typeof FileReadOutput.Type

export const FileWriteOutput = Schema.Struct({
  type: Schema.Literals(["create", "update"]),
  filePath: Schema.String,
  content: Schema.String,
  structuredPatch: Schema.Array(PatchHunk),
  originalFile: Schema.NullOr(Schema.String),
  userModified: Schema.Boolean,
})
export type FileWriteOutput = typeof FileWriteOutput.Type

export const FileEditOutput = Schema.Struct({
  filePath: Schema.String,
  oldString: Schema.String,
  newString: Schema.String,
  originalFile: Schema.NullOr(Schema.String),
  structuredPatch: Schema.Array(PatchHunk),
  userModified: Schema.Boolean,
  replaceAll: Schema.Boolean,
})
export type FileEditOutput = typeof FileEditOutput.Type

export const GlobOutput = Schema.Struct({
  durationMs: Schema.Finite,
  numFiles: Schema.Int,
  filenames: Schema.Array(Schema.String),
  truncated: Schema.Boolean,
  totalMatches: Schema.Int,
  countIsComplete: Schema.Boolean,
})
export type GlobOutput = typeof GlobOutput.Type

export const GrepOutput = Schema.Struct({
  mode: Schema.Literals(["content", "files_with_matches", "count"]),
  numFiles: Schema.Int,
  filenames: Schema.Array(Schema.String),
  content: Schema.optionalKey(Schema.String),
  numLines: Schema.optionalKey(Schema.Int),
  numMatches: Schema.optionalKey(Schema.Int),
  totalFiles: Schema.optionalKey(Schema.Int),
  totalLines: Schema.optionalKey(Schema.Int),
  appliedLimit: Schema.optionalKey(Schema.Int),
  appliedOffset: Schema.optionalKey(Schema.Int),
})
export type GrepOutput = typeof GrepOutput.Type

/** LS is Perch's own: the SDK has no such tool. */
export const ListOutput = Schema.Struct({
  path: Schema.String,
  entries: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      type: Schema.Literals(["file", "directory", "symlink"]),
      size: Schema.Int,
    }),
  ),
  truncated: Schema.Boolean,
})
export type ListOutput = typeof ListOutput.Type

export const BashOutput = Schema.Struct({
  stdout: Schema.String,
  stderr: Schema.String,
  interrupted: Schema.Boolean,
  isImage: Schema.Boolean,
  noOutputExpected: Schema.Boolean,
})
export type BashOutput = typeof BashOutput.Type

export const TodoWriteOutput = Schema.Struct({
  oldTodos: Schema.Array(TodoItem),
  newTodos: Schema.Array(TodoItem),
})
export type TodoWriteOutput = typeof TodoWriteOutput.Type
