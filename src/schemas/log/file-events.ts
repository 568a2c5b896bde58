// The payloads of the events about a turn's files: what a step changed, and what the turn changed in all.
// Invariant: both are bounded: 1000 paths, 100 diffs whose texts have 40,000 characters together.
import type { FileDiff } from "../parts.ts"

/** A path and what it holds, without time and size; null: nothing, or a directory. */
export interface LoggedNode {
  readonly path: string
  readonly node: {
    readonly type: "file" | "directory" | "symlink"
    readonly mode: number
    readonly hash: string
    readonly target: string
  } | null
}

/** `snapshot:taken`: a step of the main thread has changed files. Digests name the tree: the same digest, the same files. */
export interface SnapshotTaken {
  /** The tree before the step. */
  readonly before: string
  /** The tree after it. */
  readonly snapshot: string
  /** What the step changed. */
  readonly diffs: ReadonlyArray<FileDiff>
  /** What the changed paths hold now: what the next step is compared with after a restart. */
  readonly nodes: ReadonlyArray<LoggedNode>
}

/** `turn:patched`: the turn has changed files; its result follows. */
export interface TurnPatched {
  /** The tree that the turn began with: what the files are to be restored to. */
  readonly hash: string
  readonly files: ReadonlyArray<string>
  /** How many more files there are. */
  readonly more?: number
  readonly diffs: ReadonlyArray<FileDiff>
}
