// Receives a text and bounds; returns the place where a block of a reply may end; -1 if there is none.
// Invariant: no place that was searched for is inside a fenced block, and a break at white space or by length avoids links.
import { fenceAt } from "./fences.ts"

export type BreakPreference = "paragraph" | "newline" | "sentence"

/** The places from `from` to `to`, both inclusive; the text must have a character at each of them. */
export interface Range {
  readonly from: number
  readonly to: number
}

const SENTENCE_END = /[.!?]/
const LINK = /\[[^\]\n]*(?:\]\([^)\n]*(?:\)|$)|\]?$)|https?:\/\/\S+/g

/** The first place in the range at which the preferred unit (paragraph, line or sentence) ends; -1 if there is none. */
export const preferredPlace = (text: string, preference: BreakPreference, { from, to }: Range): number => {
  for (let place = from; place <= to; place++) {
    if (isPreferred(text, preference, place) && fenceAt(text, place) === null) return place
  }
  return -1
}

const isPreferred = (text: string, preference: BreakPreference, place: number): boolean => {
  if (preference === "paragraph") return isParagraphEnd(text, place)
  return preference === "newline" ? text[place] === "\n" : isSentenceEnd(text, place)
}

const isParagraphEnd = (text: string, place: number): boolean => text[place] === "\n" && text[place + 1] === "\n"

/** True directly after `.`, `!` or `?`, if white space or the end of the text follows. */
const isSentenceEnd = (text: string, place: number): boolean =>
  SENTENCE_END.test(text[place - 1] ?? "") && (place === text.length || /\s/.test(text[place] ?? ""))

/** The last end of a paragraph, else of a line, else of a sentence, as the preference allows; else white space; else -1. */
export const lastPlace = (text: string, preference: BreakPreference, range: Range): number => {
  const links = linksOf(text, range.to)
  const isFree = (place: number) => !links.some(({ start, end }) => place > start && place < end)
  const kinds: ReadonlyArray<(place: number) => boolean> = [
    ...(preference === "paragraph" ? [(place: number) => place < range.to && isParagraphEnd(text, place)] : []),
    ...(preference === "sentence" ? [] : [(place: number) => text[place] === "\n"]),
    // The punctuation mark must be at or after the lower bound.
    ...(preference === "newline"
      ? []
      : [(place: number) => place > range.from && isSentenceEnd(text, place) && isFree(place)]),
    (place) => /\s/.test(text[place] ?? "") && isFree(place),
  ]
  for (const isOne of kinds) {
    for (let place = range.to; place >= range.from; place--) {
      if (isOne(place) && fenceAt(text, place) === null) return place
    }
  }
  return -1
}

/** Where to split a text that is being flushed: the first paragraph or line end, or the last sentence end; -1 if none. */
export const softPlace = (text: string, preference: BreakPreference): number => {
  const whole = { from: 1, to: text.length - 1 }
  if (preference === "paragraph") {
    const place = preferredPlace(text, "paragraph", whole)
    if (place !== -1) return place
  }
  if (preference !== "sentence") return preferredPlace(text, "newline", whole)
  for (let place = text.length - 1; place > 1; place--) {
    if (isSentenceEnd(text, place) && fenceAt(text, place) === null) return place
  }
  return -1
}

/** A place for a break by length: before a link that it would cut, and never inside a surrogate pair. */
export const forcedPlace = (text: string, { from, to }: Range): number => {
  const link = linksOf(text, to).find(({ start, end }) => to > start && to < end)
  if (link !== undefined && link.start >= from) return link.start
  return isPairCut(text, to) && to - 1 >= from ? to - 1 : to
}

const isPairCut = (text: string, place: number): boolean =>
  /[\ud800-\udbff]/.test(text[place - 1] ?? "") && /[\udc00-\udfff]/.test(text[place] ?? "")

/** The links that start before `to`; a link that reaches `to` is assumed to continue after it. */
const linksOf = (text: string, to: number) =>
  Array.from(text.slice(0, to).matchAll(LINK), (found) => {
    const end = found.index + found[0].length
    return { start: found.index, end: end === to ? to + 1 : end }
  })
