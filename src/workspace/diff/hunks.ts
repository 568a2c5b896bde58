// Receives two texts; returns the hunks of their difference.
// Invariant: time is bounded whatever the texts; the hunks, applied to the old text, always produce the new one.
import { type StructuredPatchHunk, structuredPatch } from "diff"

export type Hunks = ReadonlyArray<StructuredPatchHunk>

/** The most edits of a shortest difference: the search gives up beyond it, since its time grows with their square. */
export const MAX_EDITS = 1000
/** The most that the searches for many files may cost together, as a sum of squares of edits: ten files at the limit. */
export const MAX_EFFORT = 10 * MAX_EDITS ** 2
const CONTEXT = 3

const NO_NEWLINE = "\\ No newline at end of file"

/** The effort (see `MAX_EFFORT`) that is left for the files that follow. */
export interface HunkBudget {
  effort: number
}

/** A shortest difference; if the search takes too long, one hunk that replaces all from the first to the last differing line. */
export const hunksBetween = (old: string, young: string, budget: HunkBudget): Hunks => {
  const [a, b] = [linesIn(old), linesIn(young)]
  const effort = Math.min(a.length + b.length, MAX_EDITS) ** 2
  if (effort <= budget.effort && a.length > 0 && b.length > 0) {
    budget.effort -= effort
    const options = { context: CONTEXT, maxEditLength: MAX_EDITS }
    const patch = structuredPatch("a", "b", old, young, undefined, undefined, options)
    if (patch !== undefined) return patch.hunks
  }
  return [replacement(a, b)]
}

/** The text's lines, each with its newline. */
export const linesIn = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map((line) => `${line}\n`)
  const last = lines.pop() ?? "\n"
  return last === "\n" ? lines : [...lines, last.slice(0, -1)]
}

/** One hunk that replaces all from the first to the last differing line. */
export const replacement = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): StructuredPatchHunk => {
  const shorter = Math.min(a.length, b.length)
  let begin = 0
  while (begin < shorter && a[begin] === b[begin]) begin += 1
  let tail = 0
  while (tail < shorter - begin && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  const from = Math.max(0, begin - CONTEXT)
  const after = Math.min(tail, CONTEXT)
  const lines = [
    ...a.slice(from, begin).map((line) => ` ${line}`),
    ...a.slice(begin, a.length - tail).map((line) => `-${line}`),
    ...b.slice(begin, b.length - tail).map((line) => `+${line}`),
    ...a.slice(a.length - tail, a.length - tail + after).map((line) => ` ${line}`),
  ]
  return {
    oldStart: from + 1,
    oldLines: a.length - tail + after - from,
    newStart: from + 1,
    newLines: b.length - tail + after - from,
    lines: lines.flatMap((line) => (line.endsWith("\n") ? [line.slice(0, -1)] : [line, NO_NEWLINE])),
  }
}

/** The numbers of added and of removed lines. */
export const linesOf = (hunks: Hunks) => {
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { additions: count("+"), deletions: count("-") }
}
