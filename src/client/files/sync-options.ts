// What a push and a pull receive and return: the two folders and how they are synchronized, and a report of what was done.
import type { SessionFiles } from "../api/session-files.ts"
import type { Selection } from "./ignore-rules.ts"
import type { LeftOut } from "./local-tree.ts"

export interface SyncOptions {
  readonly files: SessionFiles
  /** The folder on this machine. */
  readonly folder: string
  /** The folder in the session: an absolute path. */
  readonly remote: string
  /** The caller has named the folder in the session, so that a pull fails if there is none. */
  readonly isNamed?: boolean
  /** The server's address; with `session` it identifies the other side. */
  readonly url: string
  readonly session: string
  readonly selection?: Selection
  /** Resolves conflicts in favour of the side that changes come from. */
  readonly force?: boolean
  /** Only reports what would be done. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** What a push or a pull did, or would do with `dryRun`. Paths are relative to the folder. */
export interface SyncReport {
  readonly folder: string
  readonly remote: string
  /** Paths that were written; with `dryRun`, that would be. */
  readonly written: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  /** Bytes of the files that were written. */
  readonly bytes: number
  /** Bytes that were transferred as archives and files. */
  readonly transferred: number
  /** Files, folders and links that were the same on both sides. */
  readonly unchanged: number
  /** Paths that changed on both sides since the last synchronization; both sides keep their version. */
  readonly conflicts: ReadonlyArray<string>
  /** Paths that were ignored; for an ignored folder only its own path. */
  readonly ignored: ReadonlyArray<string>
  /** Paths that the other side can't store, and why. */
  readonly leftOut: ReadonlyArray<LeftOut>
  /** Why the state of this synchronization could not be saved; null when it was. */
  readonly stateError: string | null
}
