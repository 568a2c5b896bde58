// Labels checkpoints with their prompts, and determines which two of them are compared.
// Invariant: `from` is always the earlier one; `to` is null for the current files.
import type { Diff, RewindReport } from "../../../schemas/api/files.ts"
import { count, counted } from "../../kit/format.ts"
import { shorten } from "../../kit/text/cut-text.ts"
import { visibleText } from "../../kit/text/visible-text.ts"

export interface Checkpoint {
  readonly uuid: string
  readonly label: string
}

const MAX_LABEL = 70

const oneLine = (text: string): string => visibleText(shorten(text.replace(/\s+/g, " ").trim(), MAX_LABEL))

/** The checkpoints in the order of the uuids, each labelled with its prompt, or with the start of its uuid if that is unknown. */
export const labelled = (
  uuids: ReadonlyArray<string>,
  prompts: ReadonlyMap<string, string>,
): ReadonlyArray<Checkpoint> =>
  uuids.map((uuid, index) => ({ uuid, label: `${index + 1}. ${oneLine(prompts.get(uuid) ?? "") || uuid.slice(0, 8)}` }))

export interface Comparison {
  readonly from: string
  readonly to: string | null
}

/** The comparison in chronological order; null when there is no checkpoint to compare with. */
export const comparisonOf = (
  checkpoints: ReadonlyArray<Checkpoint>,
  from: string | null,
  to: string | null,
): Comparison | null => {
  const place = (uuid: string | null) => checkpoints.findIndex((checkpoint) => checkpoint.uuid === uuid)
  const first = checkpoints[place(from)] ?? checkpoints[0]
  if (first === undefined) return null
  const second = checkpoints[place(to)]
  if (second === undefined) return { from: first.uuid, to: null }
  return place(first.uuid) <= place(second.uuid)
    ? { from: first.uuid, to: second.uuid }
    : { from: second.uuid, to: first.uuid }
}

export type Changes = Pick<Diff, "files" | "additions" | "deletions" | "truncated">

export const changesText = ({ files: list, additions, deletions, truncated }: Changes): string =>
  `${counted(list.length, "file")}, +${count(additions)} −${count(deletions)}${truncated ? "; some are cut" : ""}`

/** The result of a dry run as a sentence. */
export const rewindText = (report: RewindReport): string => {
  if (!report.canRewind) return report.error ?? "The files can't be put back to this checkpoint."
  const changed = report.filesChanged?.length ?? 0
  if (changed === 0) return "The files are as they were at this checkpoint: nothing would change."
  const skipped = report.skippedLinks ?? 0
  const links = skipped === 0 ? "" : ` ${skipped} ${skipped === 1 ? "link stays" : "links stay"} as they are.`
  return `${counted(changed, "file")} would change: +${count(report.insertions ?? 0)} −${count(report.deletions ?? 0)} lines.${links}`
}
