// Receives two texts, or the hunks of a patch; returns the rows of a diff table.
// Invariant: pure. Texts that take too long to compare are shown as entirely removed and added.
import { structuredPatch } from "diff"

/** A hunk as in a unified diff: each line starts with " ", "-" or "+"; "\" is a note about the previous line. */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: ReadonlyArray<string>
}

export type RowKind = "same" | "removed" | "added" | "gap" | "note"

export interface DiffRow {
  readonly kind: RowKind
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

const CONTEXT = 3
const TIMEOUT_MS = 100

const linesOf = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split("\n")
  return text.endsWith("\n") ? lines.slice(0, -1) : lines
}

const replaced = (before: string, after: string): Hunk => {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)]
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length, lines }
}

export const hunksBetween = (before: string, after: string): ReadonlyArray<Hunk> => {
  if (before === after) return []
  if (before === "" || after === "") return [replaced(before, after)]
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT, timeout: TIMEOUT_MS })
  return patch === undefined ? [replaced(before, after)] : patch.hunks
}

export const diffRows = (hunks: ReadonlyArray<Hunk>): ReadonlyArray<DiffRow> => {
  const rows: Array<DiffRow> = []
  for (const [index, hunk] of hunks.entries()) {
    if (index > 0 || Math.min(hunk.oldStart, hunk.newStart) > 1) rows.push(gapBefore(hunk))
    let [before, after] = [hunk.oldStart, hunk.newStart]
    for (const line of hunk.lines) {
      const text = line.slice(1)
      if (line.startsWith("+")) rows.push({ kind: "added", before: null, after: after++, text })
      else if (line.startsWith("-")) rows.push({ kind: "removed", before: before++, after: null, text })
      else if (line.startsWith("\\")) rows.push({ kind: "note", before: null, after: null, text: text.trim() })
      else rows.push({ kind: "same", before: before++, after: after++, text })
    }
  }
  return rows
}

const gapBefore = ({ oldStart, newStart }: Hunk): DiffRow => ({
  kind: "gap",
  before: null,
  after: null,
  text: `from line ${Math.max(oldStart, newStart)}`,
})

export interface DiffCount {
  readonly added: number
  readonly removed: number
}

export const diffCount = (hunks: ReadonlyArray<Hunk>): DiffCount => {
  let [added, removed] = [0, 0]
  for (const { lines } of hunks)
    for (const line of lines) {
      if (line.startsWith("+")) added += 1
      else if (line.startsWith("-")) removed += 1
    }
  return { added, removed }
}
