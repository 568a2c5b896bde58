// The payloads of the events about files: what a step changed, what the whole turn changed, and what a request changed.
// Invariant: all are bounded: 1000 paths, and 100 diffs whose texts have at most 40,000 characters together.
import type { PartFileDiff } from "../parts.ts"

/** A path and its node, without time and size; null for nothing, or a directory. */
export interface LoggedNode {
  readonly path: string
  readonly node: {
    readonly type: "file" | "directory" | "symlink"
    readonly mode: number
    readonly hash: string
    readonly target: string
  } | null
}

/** `snapshot:taken`: a step of the main thread has changed files. Trees are given as digests: the same digest, the same files. */
export interface SnapshotTaken {
  /** The digest of the tree before the step. */
  readonly before: string
  /** The digest of the tree after the step. */
  readonly snapshot: string
  /** The changes of the step. */
  readonly diffs: ReadonlyArray<PartFileDiff>
  /** The new nodes of the changed paths, with which the next step is compared after a restart. */
  readonly nodes: ReadonlyArray<LoggedNode>
}

/** `turn:patched`: the turn has changed files; its result follows. */
export interface TurnPatched {
  /** The digest of the tree at the start of the turn, to which the files can be restored. */
  readonly hash: string
  readonly files: ReadonlyArray<string>
  /** How many more files there are. */
  readonly more?: number
  readonly diffs: ReadonlyArray<PartFileDiff>
}

/** A file, or a folder with everything in it. */
export interface ChangedFile {
  readonly file: string
  readonly event: "add" | "change" | "unlink"
}

/** `file:changed`, never stored: a request has changed files outside of a turn. At most 100 files; for more, the root. */
export interface FileChanged {
  readonly uuid: string
  readonly files: ReadonlyArray<ChangedFile>
}
