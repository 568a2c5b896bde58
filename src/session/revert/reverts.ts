// Moves the conversation back to before a message, or a part of one, with its files if asked; and takes that back.
// Invariant: nothing is deleted: each move is an event. A revert can be taken back until the next prompt, which makes it final;
// several reverts in a row are taken back together.
import type { HeadMoved } from "../../schemas/log/session-events.ts"
import { actorField } from "../../schemas/access.ts"
import type { Reverted, RevertArgs, UnrevertArgs } from "../../schemas/rpc/revert.ts"
import { REVERT_PREFIX } from "../../workspace/checkpoints/checkpoints.ts"
import type { SessionCore } from "../core.ts"
import { isRefusal, type Refusal, refuse } from "../refusal.ts"
import type { SessionRecord } from "../storage/meta.ts"
import { type CutPlace, cutPlace } from "./cut-place.ts"
import { headMove } from "./head-move.ts"
import { changedSinceRefusal, filesAt, type FilesMove, markFiles, putBack, shownDiff } from "./reverted-files.ts"

const BUSY = refuse(
  "conflict_error",
  "a turn is open. The conversation is reverted between turns only: wait for the turn's end, or interrupt it.",
)
const CLOSED = refuse("conflict_error", "the session is being deleted")
const NO_FILES = refuse("permission_error", "changing files needs an API key with the scope files")
const NOTHING_REVERTED = refuse(
  "conflict_error",
  "there is no revert to take back: none was made, or a prompt has come since and made it final.",
)
const STILL_WORKS = refuse(
  "conflict_error",
  "a subagent or a command that this part of the conversation has started still runs in the background. Stop it, or wait for its end.",
)

/** Ends the conversation before a message or a part; returns why that can't be done. */
export const revertSession = (core: SessionCore, args: RevertArgs): Refusal | undefined => {
  const refused = refusalOf(core) ?? (args.rewindFiles === true && args.actor?.files === false ? NO_FILES : undefined)
  if (refused !== undefined) return refused
  const place = cutPlace(core, args.messageID, args.partID)
  if (isRefusal(place)) return place
  if (startedBehind(core, place.seq)) return STILL_WORKS
  const target = args.rewindFiles === true ? filesAt(core, place.seq) : null
  if (target !== null && isRefusal(target)) return target
  return move(core, args, place, target)
}

const move = (
  core: SessionCore,
  { actor }: RevertArgs,
  { seq, ...shown }: CutPlace,
  target: { readonly checkpoint: string | null } | null,
): undefined => {
  const { context, log, record, workspace } = core
  const { reverted: earlier } = record
  const files = target === null ? null : filesMove(core, target.checkpoint)
  const snapshot = earlier?.snapshot ?? files?.before
  const diff = files === null || snapshot === undefined ? earlier?.diff : shownDiff(core, snapshot, files.to)
  const revert = { ...shown, ...(snapshot === undefined ? {} : { snapshot }), ...(diff === undefined ? {} : { diff }) }
  const payload: HeadMoved = { to_seq: seq, revert, ...(files === null ? {} : { files }), ...actorField(actor) }
  const filesAfter = files === null ? earlier?.files_after : `${REVERT_PREFIX}${context.newUuid()}`
  const reverted: Reverted = {
    ...revert,
    back_to: earlier?.back_to ?? log.lastSeq,
    ...(filesAfter === undefined ? {} : { files_after: filesAfter }),
  }
  const { events, later } = headMove(core, payload)
  const change = () => {
    if (files === null || filesAfter === undefined) return
    putBack(core, files.to)
    workspace.checkpoint(filesAfter)
  }
  core.changeRecord({ ...record, reverted }, events, change, later)
}

const filesMove = (core: SessionCore, checkpoint: string | null): FilesMove => {
  const before = markFiles(core)
  return { before, to: checkpoint ?? before }
}

/** Brings back what was reverted since the last prompt; returns why that can't be done. */
export const unrevertSession = (core: SessionCore, { files, actor }: UnrevertArgs): Refusal | undefined => {
  const refused = refusalOf(core)
  if (refused !== undefined) return refused
  const { reverted, ...record } = core.record
  if (reverted === undefined) return NOTHING_REVERTED
  const restored = files === "keep" ? null : restoredFiles(core, reverted, files === "restore")
  if (restored !== null && isRefusal(restored)) return restored
  if (restored !== null && actor?.files === false) return NO_FILES
  const payload: HeadMoved = {
    to_seq: reverted.back_to,
    restored: true,
    ...(restored === null ? {} : { files: restored }),
    ...actorField(actor),
  }
  const { events, later } = headMove(core, payload)
  const change = () => {
    if (restored !== null) putBack(core, restored.to)
  }
  core.changeRecord(record, events, change, later)
  return undefined
}

/** Where the files go; null when the revert left them alone. */
const restoredFiles = (
  core: SessionCore,
  { snapshot, files_after: after }: Reverted,
  anyway: boolean,
): FilesMove | Refusal | null => {
  if (snapshot === undefined) return null
  const changed = after === undefined ? [] : (core.workspace.changedSince(after) ?? [])
  if (changed.length > 0 && !anyway) return changedSinceRefusal(changed)
  return { before: markFiles(core), to: snapshot }
}

/** A prompt has come: what was reverted stays so. Call it inside the transaction that writes the prompt. */
export const makeRevertFinal = (core: Pick<SessionCore, "record" | "keepRecord">): void => {
  if (core.record.reverted !== undefined) core.keepRecord(withoutRevert(core.record))
}

/** The record of a session that has nothing to take back. */
export const withoutRevert = ({ reverted: _, ...record }: SessionRecord): SessionRecord => record

const refusalOf = ({ inbox, isClosed }: Pick<SessionCore, "inbox" | "isClosed">): Refusal | undefined => {
  if (isClosed) return CLOSED
  return inbox.head() === undefined ? undefined : BUSY
}

/** True when something that the part behind an event has started still works. */
const startedBehind = ({ background, log }: Pick<SessionCore, "background" | "log">, seq: number): boolean => {
  const running = background.running()
  if (running.length === 0) return false
  const behind = log.stampOf(seq + 1)?.at ?? Number.POSITIVE_INFINITY
  return running.some(({ started_at: started }) => started >= behind)
}
