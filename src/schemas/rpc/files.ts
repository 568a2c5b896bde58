// The shapes of RPC calls between the Worker and a session's Durable Object about the workspace.
import type { FileInfo, FileLimits, FilesUsed } from "../api/files.ts"

/** The header of a file from the past: the seq of the event after which the file is known to have been like this. */
export const FILES_AT_HEADER = "perch-files-at"

/** The header with the `FileInfo`, as JSON, of a file that was read or written. */
export const FILE_INFO_HEADER = "x-perch-file-info"

export interface FilesPage {
  readonly files: ReadonlyArray<FileInfo>
  readonly next_cursor: string | null
  /** The limits of the whole workspace, and its use. */
  readonly limits: FileLimits
  readonly used: FilesUsed
  /** With `at`: the event after which the files are known to have been so. */
  readonly files_at?: number
}

/** Checkpoints are named by the uuid of their user message. Without `to`, the end is now, or right after the event `at`. */
export interface DiffQuery {
  readonly from?: string
  readonly to?: string
  readonly at?: number
}
