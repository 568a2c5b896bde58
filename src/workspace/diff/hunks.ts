// Receives two texts; returns the hunks of their difference.
// Invariant: time is bounded whatever the texts; the hunks, applied to the one, always give the other.
import { type StructuredPatchHunk, structuredPatch } from "diff"

export type Hunks = ReadonlyArray<StructuredPatchHunk>

/** Lines that may differ before the search for a shortest difference stops: its time grows with their square. */
const MAX_EDITS = 1000
/** What the searches of many files together may cost, as squares of edits. */
export const MAX_EFFORT = 10 * MAX_EDITS ** 2
const CONTEXT = 3

const NO_NEWLINE = "\\ No newline at end of file"

/** What is left for the searches of the files that are still to come. */
export interface HunkBudget {
  effort: number
}

/** A shortest difference, or where the search for it would take too long one that replaces all between the first and last. */
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

/** The text's lines with their ends. */
export const linesIn = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map((line) => `${line}\n`)
  const last = lines.pop() ?? "\n"
  return last === "\n" ? lines : [...lines, last.slice(0, -1)]
}

/** One hunk for all between the first line that differs and the last. */
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

/** How many lines came and went. */
export const linesOf = (hunks: Hunks) => {
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { additions: count("+"), deletions: count("-") }
}
