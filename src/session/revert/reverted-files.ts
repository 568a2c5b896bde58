// Receives where a conversation is cut, or a revert that is taken back; returns which state the files go to, and puts them there.
// Invariant: before files are changed their state is a checkpoint, so that nothing is lost that POST …/rewind can't bring back.
import { REVERT_PREFIX } from "../../workspace/checkpoints/checkpoints.ts"
import type { SessionCore } from "../core.ts"
import { treeAt } from "../files/tree-at.ts"
import { type Refusal, refuse } from "../refusal.ts"

export type FilesSource = Pick<SessionCore, "capture" | "context" | "inbox" | "log" | "workspace">

/** Characters of the difference that a session shows. */
const MOST_DIFF = 50_000
/** Paths that a refusal names. */
const MOST_NAMED = 10

/** The files before a move of the head, and the state that they go to. */
export interface FilesMove {
  readonly before: string
  readonly to: string
}

/** Marks the files as they are now; its name. */
export const markFiles = ({ context, workspace }: FilesSource): string => {
  const id = `${REVERT_PREFIX}${context.newUuid()}`
  workspace.checkpoint(id)
  return id
}

/** The state of the files right after an event; null when it is the one of now. */
export const filesAt = (source: FilesSource, seq: number): { readonly checkpoint: string | null } | Refusal =>
  treeAt(source, seq) ??
  refuse(
    "invalid_request_error",
    "rewindFiles: no checkpoint of this session has the files as they were there, since that turn ran elsewhere. Leave rewindFiles out, and the files stay as they are.",
    "rewindFiles",
  )

/** The unified text of what a move of the files changes, cut where it is long. */
export const shownDiff = ({ workspace }: FilesSource, from: string, to: string): string => {
  const diff = workspace.diff(from, to)
  if ("missing" in diff) return ""
  return diff.unified.length > MOST_DIFF ? `${diff.unified.slice(0, MOST_DIFF)}\n[cut]\n` : diff.unified
}

/** Puts the files back. Call it inside the transaction that moves the head. */
export const putBack = ({ capture, workspace }: FilesSource, to: string): void => {
  const result = workspace.rewind(to)
  if (capture !== null && result.canRewind) for (const path of result.filesChanged) capture.filesChanged(path)
}

/** Why files that were changed since a revert are not simply overwritten. */
export const changedSinceRefusal = (paths: ReadonlyArray<string>): Refusal => {
  const named = paths.slice(0, MOST_NAMED).join(", ")
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ""
  return refuse(
    "conflict_error",
    `files were changed since the revert: ${named}${more}. Send files "keep" to leave all files as they are now, or "restore" to put them back to where they were before the revert: their state of now then is a checkpoint.`,
    "files",
  )
}
