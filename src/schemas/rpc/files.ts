// The shapes of RPC calls between the Worker and a session's Durable Object about the workspace.

/** The header of a file from the past: the seq of the event after which the file is known to have been like this. */
export const FILES_AT_HEADER = "perch-files-at"

/** The header with the `FileInfo`, as JSON, of a file that was read or written. */
export const FILE_INFO_HEADER = "x-perch-file-info"

export interface FileInfo {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly size: number
  readonly modified_at: string
  /** Permission bits, 0 to 0o777. */
  readonly mode: number
  /** SHA-256 of a file's content, in hexadecimal; only for files. */
  readonly sha256?: string
  /** The target of a symlink, as it was given; only for symlinks. */
  readonly target?: string
}

export interface FilesPage {
  readonly files: ReadonlyArray<FileInfo>
  readonly next_cursor: string | null
  /** The limits of the whole workspace, and its use. */
  readonly limits: { readonly files: number; readonly bytes: number; readonly file_bytes: number }
  readonly used: { readonly files: number; readonly bytes: number }
  /** With `at`: the event after which the files are known to have been so. */
  readonly files_at?: number
}

export interface RewindArgs {
  readonly user_message_id: string
  readonly dry_run?: boolean
}

/** The result of the SDK's `rewindFiles`; `error` says why a rewind is impossible. */
export interface RewindReport {
  readonly canRewind: boolean
  readonly error?: string
  readonly filesChanged?: ReadonlyArray<string>
  readonly insertions?: number
  readonly deletions?: number
  readonly skippedLinks?: number
}

/** Checkpoints are named by the uuid of their user message. Without `to`, the end is now, or right after the event `at`. */
export interface DiffQuery {
  readonly from?: string
  readonly to?: string
  readonly at?: number
}

/** A file that differs. `before` and `after` are empty when there is no file or no text, and cut when `truncated` is true. */
export interface FileDiff {
  readonly file: string
  readonly status: "added" | "deleted" | "modified"
  readonly before: string
  readonly after: string
  /** The numbers of added and of removed lines. */
  readonly additions: number
  readonly deletions: number
  readonly binary?: true
  readonly truncated?: true
}

export interface Diff {
  /** Null when there is no checkpoint yet. */
  readonly from: string | null
  readonly to: string | null
  readonly files: ReadonlyArray<FileDiff>
  readonly unified: string
  readonly additions: number
  readonly deletions: number
  readonly truncated: boolean
  /** With `at`: the event after which the files are known to have been so. */
  readonly files_at?: number
}
