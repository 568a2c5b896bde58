// Receives a file before and after; returns the hunks of the difference, as the SDK's `structuredPatch`.
import { structuredPatch } from "diff"
import type { PatchHunk } from "../../schemas/sdk/tools/tool-outputs.ts"
import { linesIn, MAX_EDITS, replacement } from "../../workspace/diff/hunks.ts"

const MAX_CHARACTERS = 1_000_000

/**
 * Three lines of context; one hunk for everything that differs when the shortest difference takes too long to compute; no hunks when
 * nothing changed or a text is too large.
 */
export const patchHunks = (before: string, after: string): ReadonlyArray<PatchHunk> => {
  if (before === after || before.length > MAX_CHARACTERS || after.length > MAX_CHARACTERS) return []
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, { context: 3, maxEditLength: MAX_EDITS })
  const hunks = patch?.hunks ?? [replacement(linesIn(before), linesIn(after))]
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }))
}
