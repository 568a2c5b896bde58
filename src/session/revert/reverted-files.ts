// Receives where a conversation is cut, or a revert that is undone; returns the state to which the files are moved, and moves
// them.
// Invariant: files are stored as a checkpoint before they change, so that POST …/rewind can restore them.
import { changedFrom, diffBetween, type FormerNodes } from "../../workspace/checkpoints/past-tree.ts"
import { REVERT_PREFIX } from "../../workspace/checkpoints/checkpoints.ts"
import type { SessionCore } from "../core.ts"
import { treeAt } from "../files/tree-at.ts"
import { type Refusal, refuse } from "../refusal.ts"

type Workspace = SessionCore["workspace"]
export type FilesSource = Pick<SessionCore, "capture" | "context" | "inbox" | "log" | "workspace">

/** Maximum number of characters of the diff that a session shows. */
const MAX_DIFF = 50_000
/** Maximum number of paths that a refusal names. */
const MAX_NAMED = 10

/** The state to which files are moved, with the checkpoint of their state before; `after` names the one to make afterwards. */
export interface FilesMove {
  readonly before: string
  readonly after: string
  readonly former: FormerNodes
}

/** A move of the files to their state right after an event. */
export const filesMoveTo = (source: FilesSource, seq: number): FilesMove | Refusal => {
  const past = treeAt(source, seq)
  if (past === undefined) return NOT_KNOWN
  return { ...marks(source), former: past.former }
}

const NOT_KNOWN = refuse(
  "invalid_request_error",
  "rewindFiles: this session does not have the files of that time, because that turn ran in another session. Leave rewindFiles out to keep the files unchanged.",
  "rewindFiles",
)

/** A move of the files back to a checkpoint; a refusal where that would overwrite later changes, unless `anyway` is true. */
export const filesMoveBack = (
  source: FilesSource,
  {
    snapshot,
    after,
    anyway,
  }: { readonly snapshot: string; readonly after: string | undefined; readonly anyway: boolean },
): FilesMove | Refusal => {
  const { workspace } = source
  const changed = changesSince(workspace, after)
  if (changed.length > 0 && !anyway) return changedSince(changed)
  return { ...marks(source), after: snapshot, former: workspace.formerNodesAt(snapshot) ?? new Map() }
}

/** Paths of the files that differ from those of a checkpoint. */
const changesSince = (workspace: Workspace, checkpoint: string | undefined): ReadonlyArray<string> =>
  changedFrom(
    workspace.nodes,
    (checkpoint === undefined ? undefined : workspace.formerNodesAt(checkpoint)) ?? new Map(),
  )

export const isChangedSince = (workspace: Workspace, checkpoint: string | undefined): boolean =>
  changesSince(workspace, checkpoint).length > 0

/** Stores the current files as a checkpoint; returns its name, and a name for the checkpoint after the move. */
const marks = ({ context, workspace }: FilesSource): Pick<FilesMove, "before" | "after"> => {
  const before = `${REVERT_PREFIX}${context.newUuid()}`
  workspace.checkpoint(before)
  return { before, after: `${REVERT_PREFIX}${context.newUuid()}` }
}

/** The unified diff from a checkpoint to the state after a move, cut where it is long. */
export const shownDiff = ({ workspace }: FilesSource, from: string, { former }: FilesMove): string => {
  const { unified } = diffBetween(workspace.nodes, workspace.formerNodesAt(from) ?? new Map(), former)
  return unified.length > MAX_DIFF ? `${unified.slice(0, MAX_DIFF)}\n[cut]\n` : unified
}

/** Moves the files. Call it inside the transaction that moves the head. */
export const moveFiles = ({ capture, workspace }: FilesSource, { former, after }: FilesMove): void => {
  const { filesChanged } = workspace.rewindTo(former)
  workspace.checkpoint(after)
  if (capture !== null) for (const path of filesChanged) capture.filesChanged(path)
}

const changedSince = (paths: ReadonlyArray<string>): Refusal => {
  const named = paths.slice(0, MAX_NAMED).join(", ")
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ""
  return refuse(
    "conflict_error",
    `files were changed since the revert: ${named}${more}. Send files "keep" to keep all files unchanged, or "restore" to restore their state before the revert: their current state is then a checkpoint.`,
    "files",
  )
}
