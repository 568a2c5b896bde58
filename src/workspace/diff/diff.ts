// Receives what paths held in two states of the tree; returns the differences, file by file and as one unified text.
// Invariant: time and size are bounded; a file that is too large, too different or no text is marked, never left out silently.
import { isUtf8 } from "node:buffer"
import type { FileDiff } from "../../schemas/api/files.ts"
import { type HunkBudget, hunksBetween, linesOf, MAX_EFFORT } from "./hunks.ts"
import { beginsWithNul } from "../file-text.ts"
import { LineCount } from "./line-count.ts"
import type { NodeStore, TreeNode } from "../tree/node-store.ts"
import { showsChange } from "../checkpoints/rewind.ts"
import type { Pair } from "../checkpoints/tree-digest.ts"
import { markText, patchText } from "./unified.ts"

export interface WorkspaceDiff {
  /** The files that differ, in path order. */
  readonly files: ReadonlyArray<FileDiff>
  /** A unified diff as git writes it, with absolute paths below `a` and `b`. */
  readonly unified: string
  readonly additions: number
  readonly deletions: number
  /** True when something is cut or left out. */
  readonly truncated: boolean
}

/** The limits of a difference. */
export interface DiffBounds {
  readonly files: number
  /** Characters of each `before` and `after`. */
  readonly side: number
  /** Characters of all `before` and `after` together. */
  readonly total: number
  /** Characters of the unified text. */
  readonly unified: number
  /** The largest file that is compared line by line, in bytes. */
  readonly bytes: number
  /** Whether larger files are read to count their lines. */
  readonly counts: boolean
  /** The most that comparing all files may cost, see `HunkBudget`. */
  readonly effort: number
}

const BOUNDS: DiffBounds = {
  files: 1000,
  side: 100_000,
  total: 4_000_000,
  unified: 4_000_000,
  bytes: 1_000_000,
  counts: true,
  effort: MAX_EFFORT,
}

const lossy = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

export const diffNodes = (store: NodeStore, pairs: ReadonlyArray<Pair>, bounds: DiffBounds = BOUNDS): WorkspaceDiff => {
  const differing = pairs.filter(([, before, after]) => showsChange(before, after))
  const budget = { bounds, effort: bounds.effort, sides: bounds.total, unified: bounds.unified }
  const unified: Array<string> = []
  const files: Array<FileDiff> = []
  let truncated = differing.length > bounds.files
  for (const pair of differing.slice(0, bounds.files)) {
    const { file, text } = diffOf(store, pair, budget)
    files.push(file)
    unified.push(text)
    truncated ||= file.truncated === true
  }
  const sum = (kind: "additions" | "deletions") => files.reduce((lines, file) => lines + file[kind], 0)
  return { files, unified: unified.join(""), additions: sum("additions"), deletions: sum("deletions"), truncated }
}

interface Budget extends HunkBudget {
  readonly bounds: DiffBounds
  sides: number
  unified: number
}

const diffOf = (
  store: NodeStore,
  [path, before, after]: Pair,
  budget: Budget,
): { readonly file: FileDiff; readonly text: string } => {
  const { bounds } = budget
  const large = !bounds.counts && [before, after].some((node) => (node?.size ?? 0) > bounds.bytes)
  const readable = large ? null : bounds.bytes
  const sides = [sideOf(store, before, readable), sideOf(store, after, readable)] as const
  const binary = sides.some((side) => side.binary)
  const textOf = ({ bytes }: { readonly bytes: Uint8Array }) =>
    binary ? "" : lossy.decode(bytes.subarray(0, bounds.bytes))
  const [old, young] = [textOf(sides[0]), textOf(sides[1])]
  const compared = !large && !binary && sides.every(({ bytes }) => bytes.length <= bounds.bytes)
  const hunks = compared && old !== young ? hunksBetween(old, young, budget) : []
  const lines = compared || binary ? linesOf(hunks) : counted(sides[0].bytes, sides[1].bytes)
  const room = Math.min(bounds.side, Math.floor(budget.sides / 2))
  const [shownOld, shownYoung] = [old.slice(0, room), young.slice(0, room)]
  budget.sides -= shownOld.length + shownYoung.length
  const text = compared
    ? patchText([path, before, after], [old, young], hunks)
    : markText([path, before, after], binary)
  const fits = text.length <= budget.unified
  const shown = fits ? text : markText([path, before, after], false)
  budget.unified -= fits ? text.length : 0
  const cut = !binary && (!compared || !fits || shownOld.length < old.length || shownYoung.length < young.length)
  const status = sides[0].there ? (sides[1].there ? "modified" : "deleted") : "added"
  const marks = { ...(binary ? { binary: true as const } : {}), ...(cut ? { truncated: true as const } : {}) }
  return { file: { file: path, status, before: shownOld, after: shownYoung, ...lines, ...marks }, text: shown }
}

interface Side {
  readonly there: boolean
  readonly bytes: Uint8Array
  readonly binary: boolean
}

const NOTHING = new Uint8Array(0)

/** The bytes of a file, or the target of a symlink. Up to `bytesRead` bytes are checked to be text; with null nothing is read. */
const sideOf = (store: NodeStore, node: TreeNode | null, bytesRead: number | null): Side => {
  if (node === null || node.type === "directory") return { there: false, bytes: NOTHING, binary: false }
  if (bytesRead === null) return { there: true, bytes: NOTHING, binary: false }
  const bytes = node.type === "symlink" ? new TextEncoder().encode(node.target) : store.read(node)
  return { there: true, bytes, binary: beginsWithNul(bytes) || (bytes.length <= bytesRead && !isUtf8(bytes)) }
}

const counted = (before: Uint8Array, after: Uint8Array) => {
  const lines = new LineCount()
  lines.add(before, after)
  return { additions: lines.insertions, deletions: lines.deletions }
}
