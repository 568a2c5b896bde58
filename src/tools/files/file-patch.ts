// Receives a file before and after; returns the hunks of the difference, as the SDK's `structuredPatch`.
import { structuredPatch } from "diff"
import type { PatchHunk } from "../../schemas/sdk/tools/tool-outputs.ts"

const MAX_CHARACTERS = 1_000_000
/** The most differing lines for which the shortest difference is computed: the time grows with their square. */
const MAX_EDITS = 1000

/** Three lines of context; no hunks when nothing changed or when the difference is too large to compute. */
export const patchHunks = (before: string, after: string): ReadonlyArray<PatchHunk> => {
  if (before === after || before.length > MAX_CHARACTERS || after.length > MAX_CHARACTERS) return []
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, { context: 3, maxEditLength: MAX_EDITS })
  return (patch?.hunks ?? []).map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }))
}
