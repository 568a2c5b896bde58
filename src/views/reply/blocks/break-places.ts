// Receives a text and bounds; returns where a block of a reply may end.
// Invariant: no place is inside a fenced block, and a break at white space or by length alone is in no link.
import { fenceAt } from "./fences.ts"

export type BreakPreference = "paragraph" | "newline" | "sentence"

/** Places from `from` to `to` count; the character behind a place must be there. */
export interface Range {
  readonly from: number
  readonly to: number
}

const SENTENCE_END = /[.!?]/
const LINK = /\[[^\]\n]*(?:\]\([^)\n]*(?:\)|$)|\]?$)|https?:\/\/\S+/g

/** The first place that the preference itself asks for; what is looked for is complete there. */
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

/** Behind a mark that white space follows, or the text's end. */
const isSentenceEnd = (text: string, place: number): boolean =>
  SENTENCE_END.test(text[place - 1] ?? "") && (place === text.length || /\s/.test(text[place] ?? ""))

/** The last place: a paragraph's end, else a line's, else a sentence's, as far as the preference allows; else white space. */
export const lastPlace = (text: string, preference: BreakPreference, range: Range): number => {
  const links = linksOf(text, range.to)
  const isFree = (place: number) => !links.some(({ start, end }) => place > start && place < end)
  const kinds: ReadonlyArray<(place: number) => boolean> = [
    ...(preference === "paragraph" ? [(place: number) => place < range.to && isParagraphEnd(text, place)] : []),
    ...(preference === "sentence" ? [] : [(place: number) => text[place] === "\n"]),
    // The mark itself is at or behind the lower bound.
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

/** The first place in a text that is to go out anyway: a paragraph's end, else a line's, else the last sentence's. */
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

/** A place for a break by length: before a link that it would cut, and never within a character. */
export const forcedPlace = (text: string, { from, to }: Range): number => {
  const link = linksOf(text, to).find(({ start, end }) => to > start && to < end)
  if (link !== undefined && link.start >= from) return link.start
  return isPairCut(text, to) && to - 1 >= from ? to - 1 : to
}

const isPairCut = (text: string, place: number): boolean =>
  /[\ud800-\udbff]/.test(text[place - 1] ?? "") && /[\udc00-\udfff]/.test(text[place] ?? "")

/** Links that begin before `to`; one that is not complete there goes on behind it. */
const linksOf = (text: string, to: number) =>
  Array.from(text.slice(0, to).matchAll(LINK), (found) => {
    const end = found.index + found[0].length
    return { start: found.index, end: end === to ? to + 1 : end }
  })
