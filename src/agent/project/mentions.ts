// Receives the text of a prompt; returns the paths that it mentions: `@path` at the start of a word.
// Invariant: as in the official SDK, `@"a path"` may have spaces, `#L5-9` after a path names lines, and punctuation after a
// path is not part of it.

export interface Mention {
  readonly path: string
  /** Lines, counted from 1. */
  readonly lines?: { readonly first: number; readonly last: number }
}

const MENTION = /(?<=^|\s)@(?:"([^"\n]{1,1000})"|([^\s"`]{1,1000}))/g
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/
const MAX_MENTIONS = 50

/** A mention with its text and its position in the prompt: from `start` up to `end`, in characters. */
export interface PlacedMention extends Mention {
  readonly written: string
  readonly source: { readonly value: string; readonly start: number; readonly end: number }
}

/** The mentions in the order of the text, each once. */
export const mentionsIn = (text: string): ReadonlyArray<Mention> =>
  placedMentions(text).map(({ path, lines }) => (lines === undefined ? { path } : { path, lines }))

/** The mentions with the position of their first occurrence. */
export const placedMentions = (text: string): ReadonlyArray<PlacedMention> => {
  const found = new Map<string, PlacedMention>()
  for (const { 1: quoted, 2: plain = "", index: start } of text.matchAll(MENTION)) {
    const written = quoted ?? plain.replace(/[.,;:!?)\]}'>]{1,20}$/, "")
    const [range, first, last] = LINES.exec(written) ?? []
    const path = range === undefined ? written : written.slice(0, -range.length)
    if (path === "" || path.startsWith("~") || found.has(written)) continue
    const end = start + 1 + written.length + (quoted === undefined ? 0 : 2)
    found.set(written, {
      path,
      written,
      source: { value: text.slice(start, end), start, end },
      ...(first === undefined ? {} : { lines: { first: Number(first), last: Number(last ?? first) } }),
    })
    if (found.size >= MAX_MENTIONS) break
  }
  return [...found.values()]
}
