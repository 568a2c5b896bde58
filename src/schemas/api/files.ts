// The bodies of the HTTP API about a session's files: paths, limits, checkpoints, differences.
// Invariant: every text and number that a client sends has a bound.
import * as Schema from "effect/Schema"

/** The folder or file that is listed, with or without slashes around it. Empty for the whole workspace. */
export const ListedPath = Schema.String.check(
  Schema.isMaxLength(4096),
  // oxlint-disable-next-line no-control-regex -- NUL is the one that is left out
  Schema.isPattern(/^(?!\.{1,2}(?:\/|$))(?:[^/\u0000]|\/(?!\.{1,2}(?:\/|$)))*$/, {
    message: "Expected a path without `.` and `..`, and without a NUL character",
  }),
)

export const FileInfo = Schema.Struct({
  path: Schema.String,
  type: Schema.Literals(["file", "directory", "symlink"]),
  size: Schema.Int,
  modified_at: Schema.String,
  /** Permission bits, 0 to 511 (0o777). */
  mode: Schema.Int,
  /** SHA-256 of a file's content, in hexadecimal; only for files. */
  sha256: Schema.optionalKey(Schema.String),
  /** The target of a symlink, as it was given; only for symlinks. */
  target: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "File" })
export type FileInfo = typeof FileInfo.Type

/** The limits of a workspace: nodes (files, folders, links), bytes, and bytes of one file. */
export const FileLimits = Schema.Struct({
  files: Schema.Int,
  bytes: Schema.Int,
  file_bytes: Schema.Int,
}).annotate({ identifier: "FileLimits" })
export type FileLimits = typeof FileLimits.Type

/** The use of a workspace: nodes, and the bytes of its files. */
export const FilesUsed = Schema.Struct({ files: Schema.Int, bytes: Schema.Int }).annotate({ identifier: "FilesUsed" })
export type FilesUsed = typeof FilesUsed.Type

/** The field that responses have when the request has `at`. */
export const FilesAt = Schema.optionalKey(
  Schema.Int.annotate({
    description:
      "With `at`: the event after which the files are known to have been in this state. Between turns it is `at`; within a turn the last snapshot before it, or the turn's start.",
  }),
)

/** The uuid of a user message, or the id of a checkpoint that a fork begins with. */
export const CheckpointId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))

/** `POST /v1/sessions/{id}/rewind` */
export const Rewind = Schema.Struct({
  user_message_id: CheckpointId,
  dry_run: Schema.optionalKey(Schema.Boolean),
}).annotate({ identifier: "Rewind" })
export type Rewind = typeof Rewind.Type

/** The result of the SDK's `rewindFiles`; `error` says why a rewind is impossible. */
export const RewindReport = Schema.Struct({
  canRewind: Schema.Boolean,
  error: Schema.optionalKey(Schema.String),
  filesChanged: Schema.optionalKey(Schema.Array(Schema.String)),
  insertions: Schema.optionalKey(Schema.Int),
  deletions: Schema.optionalKey(Schema.Int),
  skippedLinks: Schema.optionalKey(Schema.Int),
}).annotate({ identifier: "RewindReport" })
export type RewindReport = typeof RewindReport.Type

export const ImportReport = Schema.Struct({
  files: Schema.Int,
  directories: Schema.Int,
  links: Schema.Int,
  bytes: Schema.Int,
}).annotate({ identifier: "ImportReport" })

/** A file that differs. `before` and `after` are empty when there is no file or no text. */
export const FileDiff = Schema.Struct({
  file: Schema.String,
  status: Schema.Literals(["added", "deleted", "modified"]),
  before: Schema.String,
  after: Schema.String,
  additions: Schema.Int,
  deletions: Schema.Int,
  /** True when the file is no text: `before` and `after` are then empty. */
  binary: Schema.optionalKey(Schema.Literal(true)),
  /** True when `before`, `after` or the file's part of the unified text is cut. */
  truncated: Schema.optionalKey(Schema.Literal(true)),
}).annotate({ identifier: "FileDiff" })
export type FileDiff = typeof FileDiff.Type

export const Diff = Schema.Struct({
  /** Null when there is no checkpoint yet. */
  from: Schema.NullOr(Schema.String),
  /** Null means the current files. */
  to: Schema.NullOr(Schema.String),
  files: Schema.Array(FileDiff),
  unified: Schema.String,
  additions: Schema.Int,
  deletions: Schema.Int,
  truncated: Schema.Boolean,
  files_at: FilesAt,
}).annotate({ identifier: "Diff" })
export type Diff = typeof Diff.Type
