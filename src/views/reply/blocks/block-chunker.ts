// Receives the text of a reply as it streams; returns it in blocks that a channel can send.
// Invariant: the blocks depend on the text alone, not on how it was split; each has at most `maxChars` characters, and at least
// `minChars` unless it is the last one. White space between two blocks is dropped. A fenced block stays whole if possible; if it
// is cut, its block closes the fence and the next block reopens it.
import { type BreakPreference, forcedPlace, lastPlace, preferredPlace, softPlace } from "./break-places.ts"
import { closesFence } from "../text/code-state.ts"
import { fenceAt, type OpenFence } from "./fences.ts"

export interface BlockChunking {
  readonly minChars: number
  readonly maxChars: number
  /** The unit after which blocks preferably end (default `paragraph`). */
  readonly breakPreference?: BreakPreference
  /** Send each paragraph as a block as soon as it is complete, even below `minChars`. */
  readonly flushOnParagraph?: boolean
}

/** A block. `start` and `end` are its place in the reply's text; `text` may have additional lines that close or reopen a fence. */
export interface Block {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Where the next block starts, after the white space that was dropped. */
  readonly next: number
}

/** A cut in the buffer; `place` is where the next block ends. */
interface Cut {
  readonly place: number
  /** Number of characters after the place that belong to no block. Default: one if the place is at white space. */
  readonly gap?: number
  /** If the cut is inside a fence: the line that closes it, and the line with which the next block reopens it. */
  readonly fence?: { readonly closing: string; readonly opening: string }
}

const NOTHING: ReadonlyArray<Block> = []
const PARAGRAPH = /\n[\t ]*\n/g

export class BlockChunker {
  readonly #min: number
  readonly #max: number
  readonly #preference: BreakPreference
  readonly #flushOnParagraph: boolean
  #buffer = ""
  /** Number of characters at the start of the buffer that reopen a fence and are not part of the text. */
  #inserted = 0
  /** The offset in the text at which the buffer starts. */
  #start = 0
  /** Up to this offset, the buffer was searched and has no preferred place. */
  #scanned = 0
  /** Whether the newlines at the start of the next text are dropped, because they follow a block. */
  #skipsNewlines = false

  constructor({ minChars, maxChars, breakPreference = "paragraph", flushOnParagraph = false }: BlockChunking) {
    this.#min = Math.max(1, Math.floor(minChars))
    this.#max = Math.max(this.#min, Math.floor(maxChars))
    this.#preference = breakPreference
    this.#flushOnParagraph = flushOnParagraph
  }

  /** Appends text; returns the blocks that are complete. */
  append(text: string): ReadonlyArray<Block> {
    this.hold(text)
    // Without a new newline, no paragraph can have ended.
    if (this.#flushOnParagraph && this.#buffer.length <= this.#max && !text.includes("\n")) return NOTHING
    let cut = this.#nextCut()
    if (cut === null) return NOTHING
    const blocks: Array<Block> = []
    for (; cut !== null; cut = this.#nextCut()) this.#cutAt(cut, blocks)
    return blocks
  }

  /** Appends text that only `flush` will return. */
  hold(text: string): void {
    const kept = this.#skipsNewlines ? text.replace(/^\n+/, "") : text
    this.#start += text.length - kept.length
    if (kept !== "") this.#skipsNewlines = false
    this.#buffer += kept
  }

  /** Returns the whole buffer as blocks, because the text is complete or something else interrupts it. */
  flush(): ReadonlyArray<Block> {
    const blocks: Array<Block> = []
    const isOne = this.#buffer.length <= this.#max
    while (!this.isEmpty) {
      if (this.#buffer.length > this.#max) this.#cutAt(this.#cutWithin(1), blocks)
      else {
        const place = isOne ? -1 : softPlace(this.#buffer, this.#preference)
        this.#cutAt({ place: place > this.#inserted ? place : this.#buffer.length }, blocks)
      }
    }
    this.#start += this.#buffer.length - this.#inserted
    this.#buffer = ""
    this.#inserted = 0
    return blocks
  }

  get isEmpty(): boolean {
    return this.#buffer.length <= this.#inserted
  }

  #nextCut(): Cut | null {
    if (this.#flushOnParagraph) {
      const cut = this.#paragraphEnd()
      if (cut !== null && cut.place + cut.gap <= this.#max + 1) return cut
      return this.#buffer.length > this.#max ? this.#cutWithin(1) : null
    }
    // The next one or two characters decide whether a block may end at a place.
    const ahead = this.#preference === "paragraph" ? 2 : 1
    const to = Math.min(this.#buffer.length - ahead, this.#max + 1 - ahead)
    const lowest = this.#min + (this.#preference === "sentence" ? 1 : 0)
    const from = Math.max(this.#scanned, lowest, this.#inserted + 1)
    const place = from > to ? -1 : preferredPlace(this.#buffer, this.#preference, { from, to })
    if (place !== -1) return { place }
    this.#scanned = Math.max(this.#scanned, to + 1)
    return this.#buffer.length > this.#max ? this.#cutWithin(this.#min) : null
  }

  /** The end of the first paragraph that is not blank; blank lines before it stay in its block. */
  #paragraphEnd(): (Cut & { readonly gap: number }) | null {
    for (const { index, 0: gap } of this.#buffer.matchAll(PARAGRAPH)) {
      const before = this.#buffer.slice(this.#inserted, index)
      if (before.trim() !== "" && fenceAt(this.#buffer, index) === null) return { place: index, gap: gap.length }
    }
    return null
  }

  /** Cuts a buffer that is longer than a block at the best place, else through a fence, else by length. */
  #cutWithin(min: number): Cut {
    const range = { from: Math.max(min, this.#inserted + 1), to: this.#max }
    const place = lastPlace(this.#buffer, this.#preference, range)
    if (place !== -1) return { place }
    const fence = fenceAt(this.#buffer, this.#max)
    const split = fence === null ? null : this.#fenceCut(range.from, fence)
    return split ?? { place: forcedPlace(this.#buffer, range) }
  }

  /** A cut through a fence, between two of its lines if possible; null when the fence's own lines do not fit into a block. */
  #fenceCut(from: number, { start, opening, closing }: OpenFence): Cut | null {
    const to = this.#max - closing.length - 1
    const reopened = [opening, closing].find((line) => line.length + closing.length + 3 < this.#max)
    if (reopened === undefined || to <= this.#inserted) return null
    if (to <= start) return start > this.#inserted ? { place: start } : null
    const newline = this.#buffer.lastIndexOf("\n", to)
    const isBetweenLines = newline >= from && newline > this.#buffer.indexOf("\n", start)
    const place = isBetweenLines ? newline : forcedPlace(this.#buffer, { from: Math.min(from, to), to })
    return { place, gap: isBetweenLines ? 1 : 0, fence: { closing, opening: reopened } }
  }

  #cutAt({ place, gap, fence }: Cut, blocks: Array<Block>): void {
    const behind = place + (gap ?? (/\s/.test(this.#buffer[place] ?? "") ? 1 : 0))
    const rest = this.#buffer.slice(behind)
    const kept = fence === undefined ? rest.replace(/^\n+/, "") : rest
    const end = this.#start + place - this.#inserted
    const text = this.#shown(this.#buffer.slice(0, place), fence?.closing)
    const next = end + this.#buffer.length - place - kept.length
    if (text !== "") blocks.push({ text, start: this.#start, end, next })
    this.#start = next
    this.#buffer = fence === undefined ? kept : `${fence.opening}\n${kept}`
    this.#inserted = fence === undefined ? 0 : fence.opening.length + 1
    this.#scanned = 0
    this.#skipsNewlines = fence === undefined && kept === ""
  }

  #shown(cut: string, closing: string | undefined): string {
    const own = cut.slice(this.#inserted)
    const [line = ""] = own.split("\n", 1)
    // The reopened fence closes at once because it has no more content: both of its lines are dropped.
    const text =
      this.#inserted > 0 &&
      closesFence(
        line,
        cut
          .slice(0, this.#inserted - 1)
          .trim()
          .replace(/[^`~].*$/, ""),
      )
        ? own.slice(line.length).replace(/^\n+/, "")
        : cut
    if (text.trim() === "") return ""
    const shown = this.#start === 0 ? text : text.replace(/^(?:[\t ]*\n)+/, "")
    return closing === undefined ? shown.trimEnd() : `${shown}${shown.endsWith("\n") ? "" : "\n"}${closing}`
  }
}
