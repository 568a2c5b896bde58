// Finds the matches of a pattern in one text, one after the other. Each search is linear in what it reads, but a pattern such as
// `a.*b|a` reads to the end of the text for each of its matches: characters that are reread are counted.
// Invariant: the work of all searches in a text is linear in its length, or reported to `spend`.
import type { Matcher, RE2JS } from "re2js"

/** Receives the number of characters that were reread. */
export type SpendReads = (characters: number) => void

/** The first searches in a text are not counted, because counting slows them down. */
const UNCOUNTED = 8
/** How often each character may be read before further reads are counted: forwards, backwards, and for the groups. */
const READS = 8

/** How much faster a search for a fixed string is than the pattern. */
const SKIPPED_PER_READ = 16

interface Reads {
  count: number
}

/** An object that the matcher reads like the text, and that counts each read. */
const countedText = (text: string, reads: Reads): string => {
  const counted = {
    length: text.length,
    charCodeAt: (at: number): number => {
      reads.count += 1
      return text.charCodeAt(at)
    },
    codePointAt: (at: number) => text.codePointAt(at),
    indexOf: (part: string, from = 0): number => {
      const found = text.indexOf(part, from)
      reads.count += Math.ceil(((found === -1 ? text.length : found) - from) / SKIPPED_PER_READ)
      return found
    },
    substring: (from: number, to?: number) => text.substring(from, to),
    toString: () => text,
    [Symbol.toStringTag]: "String",
  }
  // It has all members of a string that the matcher uses.
  return counted as unknown as string
}

/** The pattern's matcher for a text; its searches report reread characters to `spend`. */
export const searchOf = (pattern: RE2JS, text: string, spend: SpendReads): Matcher => {
  const matcher = pattern.matcher(text)
  const find = matcher.find.bind(matcher)
  const reads: Reads = { count: 0 }
  let [searches, paid] = [0, 0]
  matcher.find = (from) => {
    searches += 1
    if (searches === UNCOUNTED) matcher.matcherInput.asCharSequence = () => countedText(text, reads)
    const found = find(from)
    if (searches < UNCOUNTED) return found
    const again = reads.count - paid - READS * (found ? matcher.end() : text.length)
    if (again > 0) {
      paid += again
      spend(again)
    }
    return found
  }
  return matcher
}
