// Moves the conversation back to before a message, or a part of one, with its files if asked; and undoes that.
// Invariant: nothing is deleted: each move is an event. A revert can be undone until the next prompt, which makes it final;
// several reverts in a row are undone together. A repeated request, whose first answer was lost, changes nothing.
import { EventNames } from "../../schemas/log/events.ts"
import type { HeadMoved } from "../../schemas/log/session-events.ts"
import { actorField } from "../../schemas/access.ts"
import type { Reverted, RevertArgs, UnrevertArgs } from "../../schemas/rpc/revert.ts"
import type { SessionCore } from "../core.ts"
import { isRefusal, type Refusal, refuse } from "../refusal.ts"
import type { SessionRecord } from "../storage/meta.ts"
import { type CutPlace, cutPlace } from "./cut-place.ts"
import { headMove, workRefusal } from "./head-move.ts"
import { filesMoveBack, filesMoveTo, type FilesMove, isChangedSince, moveFiles, shownDiff } from "./reverted-files.ts"

const BUSY = refuse(
  "conflict_error",
  "a turn is open. The conversation can be reverted only between turns: wait for the turn's end, or interrupt it.",
)
const CLOSED = refuse("conflict_error", "the session is being deleted")
const NO_FILES = refuse("permission_error", "changing files needs an API key with the scope files")
const NOTHING_REVERTED = refuse(
  "conflict_error",
  "there is no revert to undo: there was none, or a later prompt has made it final.",
)

/** Ends the conversation before a message or a part; returns the refusal, if any. */
export const revertSession = (core: SessionCore, args: RevertArgs): Refusal | undefined => {
  const refused = refusalOf(core) ?? (args.rewindFiles === true && args.actor?.files === false ? NO_FILES : undefined)
  if (refused !== undefined || isRepeated(core, args)) return refused
  const place = cutPlace(core, args.messageID, args.partID)
  if (isRefusal(place)) return place
  const working = workRefusal(core, place.seq)
  if (working !== undefined) return working
  const files = args.rewindFiles === true ? filesMoveTo(core, place.seq) : null
  if (files !== null && isRefusal(files)) return files
  move(core, args, place, files)
  return undefined
}

/** True when nothing has changed since the same request: neither the messages nor, if it restored them, the files. */
const isRepeated = ({ record, workspace }: SessionCore, args: RevertArgs): boolean => {
  const { asked, files_after: after } = record.reverted ?? {}
  if (asked === undefined || asked.messageID !== args.messageID || asked.partID !== args.partID) return false
  if ((asked.rewindFiles === true) !== (args.rewindFiles === true)) return false
  return asked.rewindFiles !== true || !isChangedSince(workspace, after)
}

const move = (core: SessionCore, args: RevertArgs, { seq, ...shown }: CutPlace, files: FilesMove | null): void => {
  const { messageID, partID, rewindFiles, actor } = args
  const { log, record } = core
  const { reverted: earlier } = record
  const snapshot = earlier?.snapshot ?? files?.before
  const diff = files === null || snapshot === undefined ? earlier?.diff : shownDiff(core, snapshot, files)
  const revert = { ...shown, ...(snapshot === undefined ? {} : { snapshot }), ...(diff === undefined ? {} : { diff }) }
  const filesAfter = files?.after ?? earlier?.files_after
  const reverted: Reverted = {
    ...revert,
    back_to: earlier?.back_to ?? log.lastSeq,
    asked: {
      messageID,
      ...(partID === undefined ? {} : { partID }),
      ...(rewindFiles === true ? { rewindFiles } : {}),
    },
    ...(filesAfter === undefined ? {} : { files_after: filesAfter }),
  }
  const { events, later } = headMove(core, { to_seq: seq, revert, ...marksOf(files), ...actorField(actor) })
  core.changeRecord({ ...record, reverted }, events, changeOf(core, files), later)
}

const marksOf = (files: FilesMove | null): Pick<HeadMoved, "files"> =>
  files === null ? {} : { files: { before: files.before, after: files.after } }

const changeOf = (core: SessionCore, files: FilesMove | null) => () => {
  if (files !== null) moveFiles(core, files)
}

/** Restores what was reverted since the last prompt; returns the refusal, if any. */
export const unrevertSession = (core: SessionCore, { files, actor }: UnrevertArgs): Refusal | undefined => {
  const refused = refusalOf(core)
  if (refused !== undefined) return refused
  const { reverted, ...record } = core.record
  if (reverted === undefined) return isUndone(core, files) ? undefined : NOTHING_REVERTED
  if (actor?.files === false && files !== "keep" && reverted.snapshot !== undefined) return NO_FILES
  const { back_to: to_seq, snapshot, files_after: after } = reverted
  const moved =
    files === "keep" || snapshot === undefined
      ? null
      : filesMoveBack(core, { snapshot, after, anyway: files === "restore" })
  if (moved !== null && isRefusal(moved)) return moved
  const { events, later } = headMove(core, { to_seq, restored: true, ...marksOf(moved), ...actorField(actor) })
  core.changeRecord(record, events, changeOf(core, moved), later)
  return undefined
}

/** True for a repeated unrevert: an equal request undid the reverts, and neither the conversation nor the files have changed since. */
const isUndone = ({ log, workspace }: SessionCore, files: UnrevertArgs["files"]): boolean => {
  const move = log.lastNamed(EventNames.headMoved)?.event
  if (move?.payload.restored !== true) return false
  const { seq, payload } = move
  const later = [EventNames.turnQueued, EventNames.sessionForked] as const
  if (log.seqsNamed(later, { after: seq, through: log.lastSeq, limit: 1 }).length > 0) return false
  if (payload.files !== undefined) return files !== "keep" && !isChangedSince(workspace, payload.files.after)
  const [revert] = log.read({ after: seq, limit: 1, order: "desc", name: EventNames.headMoved })
  // Files that a revert had changed and its undoing did not, were kept on request.
  return files === "keep" || revert?.event.payload.revert?.snapshot === undefined
}

/** Makes a revert final when a prompt follows it. Call it inside the transaction that writes the prompt. */
export const makeRevertFinal = (core: Pick<SessionCore, "record" | "keepRecord">): void => {
  if (core.record.reverted !== undefined) core.keepRecord(withoutRevert(core.record))
}

/** The record without a revert to undo. */
export const withoutRevert = ({ reverted: _, ...record }: SessionRecord): SessionRecord => record

const refusalOf = ({ inbox, isClosed }: Pick<SessionCore, "inbox" | "isClosed">): Refusal | undefined => {
  if (isClosed) return CLOSED
  return inbox.head() === undefined ? undefined : BUSY
}
