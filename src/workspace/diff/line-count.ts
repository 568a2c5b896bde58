// Receives files before and after a change; adds up the inserted and the deleted lines.
// Invariant: time is bounded whatever the files: lines that are too different to compare count as replaced.
import { diffLines } from "diff"
import { beginsWithNul } from "../file-text.ts"
import { MAX_EDITS, MAX_EFFORT } from "./hunks.ts"

const NEWLINE = 10
/** The most bytes of each of the two files that are compared line by line. */
const MAX_BYTES = 1_000_000

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

export class LineCount {
  insertions = 0
  deletions = 0
  #effort = MAX_EFFORT

  /** Adds one file. Binary files count nothing; a line without its newline differs from the same line with it. */
  add(before: Uint8Array, after: Uint8Array): void {
    if (beginsWithNul(before) || beginsWithNul(after)) return
    const [old, young] = differingLines(before, after)
    const counted = this.#compared(old, young)
    this.insertions += counted?.insertions ?? linesIn(young)
    this.deletions += counted?.deletions ?? linesIn(old)
  }

  #compared(
    old: Uint8Array,
    young: Uint8Array,
  ): { readonly insertions: number; readonly deletions: number } | undefined {
    if (old.length === 0 || young.length === 0 || Math.max(old.length, young.length) > MAX_BYTES) return undefined
    const effort = Math.min(linesIn(old) + linesIn(young), MAX_EDITS) ** 2
    if (effort > this.#effort) return undefined
    this.#effort -= effort
    const pieces = diffLines(decoder.decode(old), decoder.decode(young), { maxEditLength: MAX_EDITS })
    if (pieces === undefined) return undefined
    const sum = (kind: "added" | "removed") =>
      pieces.reduce((lines, piece) => lines + (piece[kind] ? piece.count : 0), 0)
    return { insertions: sum("added"), deletions: sum("removed") }
  }
}

const isLineStart = (bytes: Uint8Array, at: number): boolean => at === 0 || bytes[at - 1] === NEWLINE

/** Both files without the whole lines that are equal at the beginning and at the end. */
const differingLines = (a: Uint8Array, b: Uint8Array): readonly [Uint8Array, Uint8Array] => {
  const shorter = Math.min(a.length, b.length)
  let alike = 0
  while (alike < shorter && a[alike] === b[alike]) alike += 1
  if (alike === a.length && alike === b.length) return [a.subarray(alike), b.subarray(alike)]
  const begin = alike === 0 ? 0 : a.lastIndexOf(NEWLINE, alike - 1) + 1
  let tail = 0
  while (tail < shorter - begin && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  if (!isLineStart(a, a.length - tail) || !isLineStart(b, b.length - tail)) {
    const next = a.indexOf(NEWLINE, a.length - tail)
    tail = next === -1 ? 0 : a.length - 1 - next
  }
  return [a.subarray(begin, a.length - tail), b.subarray(begin, b.length - tail)]
}

const linesIn = (bytes: Uint8Array): number => {
  let lines = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}
