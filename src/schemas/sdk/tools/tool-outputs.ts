// The structured results of the workspace tools, as in the SDK's `tool_use_result`.
// Invariant: they accept everything that the SDK may send, so that a recorded session can be read back; Perch itself sends less.
import * as Schema from "effect/Schema"
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

/** A change as git would show it. */
const GitDiff = Schema.Struct({
  filename: Schema.String,
  status: Schema.Literals(["modified", "added"]),
  additions: Schema.Finite,
  deletions: Schema.Finite,
  changes: Schema.Finite,
  patch: Schema.String,
  repository: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
export type GitDiff = typeof GitDiff.Type

export const FileReadOutput = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("text"),
    file: Schema.Struct({
      filePath: Schema.String,
      content: Schema.String,
      numLines: Schema.Int,
      startLine: Schema.Int,
      totalLines: Schema.Int,
      /** True when Read's own limit, not the caller's, cut the content. */
      truncatedByTokenCap: Schema.optionalKey(Schema.Boolean),
    }),
    artifactRead: Schema.optionalKey(Schema.Struct({ slug: Schema.String, ver: Schema.String })),
  }),
  Schema.Struct({
    type: Schema.Literal("image"),
    file: Schema.Struct({
      base64: Schema.String,
      type: ImageType,
      originalSize: Schema.Int,
      dimensions: Schema.optionalKey(
        Schema.Struct({
          originalWidth: Schema.optionalKey(Schema.Finite),
          originalHeight: Schema.optionalKey(Schema.Finite),
          displayWidth: Schema.optionalKey(Schema.Finite),
          displayHeight: Schema.optionalKey(Schema.Finite),
        }),
      ),
    }),
  }),
  Schema.Struct({
    type: Schema.Literal("notebook"),
    file: Schema.Struct({ filePath: Schema.String, cells: Schema.Array(Schema.Unknown) }),
  }),
  Schema.Struct({
    type: Schema.Literal("pdf"),
    file: Schema.Struct({ filePath: Schema.String, base64: Schema.String, originalSize: Schema.Int }),
  }),
  Schema.Struct({
    type: Schema.Literal("parts"),
    file: Schema.Struct({
      filePath: Schema.String,
      originalSize: Schema.Int,
      count: Schema.Int,
      outputDir: Schema.String,
    }),
    firstPage: Schema.optionalKey(Schema.Int),
    pages: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({ base64: Schema.String, mediaType: ImageType, error: Schema.optionalKey(Schema.String) }),
      ),
    ),
  }),
])
export type FileReadOutput = typeof FileReadOutput.Type

export const FileWriteOutput = Schema.Struct({
  type: Schema.Literals(["create", "update"]),
  filePath: Schema.String,
  content: Schema.String,
  structuredPatch: Schema.Array(PatchHunk),
  originalFile: Schema.NullOr(Schema.String),
  gitDiff: Schema.optionalKey(GitDiff),
  userModified: Schema.optionalKey(Schema.Boolean),
  staged: Schema.optionalKey(Schema.Boolean),
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
  gitDiff: Schema.optionalKey(GitDiff),
  staged: Schema.optionalKey(Schema.Boolean),
})
export type FileEditOutput = typeof FileEditOutput.Type

export const GlobOutput = Schema.Struct({
  durationMs: Schema.Finite,
  numFiles: Schema.Int,
  filenames: Schema.Array(Schema.String),
  truncated: Schema.Boolean,
  totalMatches: Schema.optionalKey(Schema.Int),
  countIsComplete: Schema.optionalKey(Schema.Boolean),
  timedOut: Schema.optionalKey(Schema.Boolean),
})
export type GlobOutput = typeof GlobOutput.Type

export const GrepOutput = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literals(["content", "files_with_matches", "count"])),
  numFiles: Schema.Int,
  filenames: Schema.Array(Schema.String),
  content: Schema.optionalKey(Schema.String),
  numLines: Schema.optionalKey(Schema.Int),
  numMatches: Schema.optionalKey(Schema.Int),
  totalFiles: Schema.optionalKey(Schema.Int),
  totalLines: Schema.optionalKey(Schema.Int),
  appliedLimit: Schema.optionalKey(Schema.Int),
  appliedOffset: Schema.optionalKey(Schema.Int),
  timedOut: Schema.optionalKey(Schema.Boolean),
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

const GitOperation = Schema.Struct({
  commit: Schema.optionalKey(
    Schema.Struct({
      sha: Schema.String,
      kind: Schema.Literals(["committed", "amended", "cherry-picked"]),
      branch: Schema.optionalKey(Schema.String),
    }),
  ),
  push: Schema.optionalKey(Schema.Struct({ branch: Schema.String })),
  branch: Schema.optionalKey(Schema.Struct({ ref: Schema.String, action: Schema.Literals(["merged", "rebased"]) })),
  pr: Schema.optionalKey(
    Schema.Struct({
      number: Schema.Finite,
      url: Schema.optionalKey(Schema.String),
      action: Schema.Literals([
        "created",
        "edited",
        "merged",
        "commented",
        "closed",
        "reopened",
        "ready",
        "draft",
        "auto-merge-enabled",
        "auto-merge-disabled",
      ]),
    }),
  ),
})

export const BashOutput = Schema.Struct({
  stdout: Schema.String,
  stderr: Schema.String,
  rawOutputPath: Schema.optionalKey(Schema.String),
  interrupted: Schema.Boolean,
  isImage: Schema.optionalKey(Schema.Boolean),
  backgroundTaskId: Schema.optionalKey(Schema.String),
  backgroundedByUser: Schema.optionalKey(Schema.Boolean),
  timedOutAfterMs: Schema.optionalKey(Schema.Finite),
  backgroundCwdHint: Schema.optionalKey(Schema.String),
  backgroundEndsWithFinalResponse: Schema.optionalKey(Schema.Literal(true)),
  backgroundWakesOwner: Schema.optionalKey(Schema.Literal(true)),
  dangerouslyDisableSandbox: Schema.optionalKey(Schema.Boolean),
  returnCodeInterpretation: Schema.optionalKey(Schema.String),
  noOutputExpected: Schema.optionalKey(Schema.Boolean),
  structuredContent: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  persistedOutputPath: Schema.optionalKey(Schema.String),
  persistedOutputSize: Schema.optionalKey(Schema.Finite),
  staleReadFileStateHint: Schema.optionalKey(Schema.String),
  ghRateLimitHint: Schema.optionalKey(Schema.String),
  gitOperation: Schema.optionalKey(GitOperation),
})
export type BashOutput = typeof BashOutput.Type

export const TodoWriteOutput = Schema.Struct({
  oldTodos: Schema.Array(TodoItem),
  newTodos: Schema.Array(TodoItem),
})
export type TodoWriteOutput = typeof TodoWriteOutput.Type

export const NotebookEditOutput = Schema.Struct({
  new_source: Schema.String,
  old_source: Schema.optionalKey(Schema.String),
  cell_id: Schema.optionalKey(Schema.String),
  cell_type: Schema.Literals(["code", "markdown"]),
  language: Schema.String,
  edit_mode: Schema.String,
  error: Schema.optionalKey(Schema.String),
  notebook_path: Schema.String,
  original_file: Schema.String,
  updated_file: Schema.String,
})
export type NotebookEditOutput = typeof NotebookEditOutput.Type
