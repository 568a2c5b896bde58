// Receives a pattern of opencode's permission rules; returns a test of texts. `*` is any text, newlines included, `?` one
// character, and ` *` at the end may be left out (`ls *` matches `ls`).
// Invariant: a test takes time in proportion to the text, whatever the pattern: it never backtracks.

export type Matches = (text: string) => boolean

/** A part of a pattern between two stars. `find` returns the index where it ends in the text, or -1. */
interface Piece<Text> {
  readonly at: (text: Text, from: number) => boolean
  readonly find: (text: Text, from: number) => number
  readonly length: number
}

const literal = (piece: string): Piece<string> => ({
  length: piece.length,
  at: (text, from) => text.startsWith(piece, from),
  find: (text, from) => {
    const found = text.indexOf(piece, from)
    return found === -1 ? -1 : found + piece.length
  },
})

const WORD = 32
const ONE = "?".codePointAt(0)

/** A piece with `?`, matched by code points, so that an emoji is one character. Shift-and: one bit for each matched prefix. */
const placeholders = (source: string): Piece<ReadonlyArray<number>> => {
  const piece = codePoints(source)
  const words = Math.ceil(piece.length / WORD)
  const any = new Uint32Array(words)
  piece.forEach((point, index) => {
    if (point === ONE) any[index >>> 5]! |= 1 << (index & 31)
  })
  const masks = new Map<number, Uint32Array>()
  piece.forEach((point, index) => {
    if (point === ONE) return
    const mask = masks.get(point) ?? any.slice()
    mask[index >>> 5]! |= 1 << (index & 31)
    masks.set(point, mask)
  })
  const last = piece.length - 1
  const find = (text: ReadonlyArray<number>, from: number): number => {
    const state = new Uint32Array(words)
    for (let index = from; index < text.length; index += 1) {
      const mask = masks.get(text[index]!) ?? any
      let carry = 1
      for (let word = 0; word < words; word += 1) {
        const bits = state[word]!
        state[word] = ((bits << 1) | carry) & mask[word]!
        carry = bits >>> 31
      }
      if ((state[last >>> 5]! >>> (last & 31)) & 1) return index + 1
    }
    return -1
  }
  const at = (text: ReadonlyArray<number>, from: number): boolean =>
    from >= 0 &&
    from + piece.length <= text.length &&
    piece.every((point, index) => point === ONE || point === text[from + index])
  return { length: piece.length, at, find: piece.length === 0 ? (_, from) => from : find }
}

const codePoints = (text: string): ReadonlyArray<number> => Array.from(text, (character) => character.codePointAt(0)!)

const matcher = <Text extends { readonly length: number }>([first, ...rest]: ReadonlyArray<Piece<Text>>) => {
  const last = rest.at(-1)
  return (text: Text): boolean => {
    if (first === undefined || !first.at(text, 0)) return false
    if (last === undefined) return text.length === first.length
    let from = first.length
    for (const piece of rest.slice(0, -1)) {
      from = piece.find(text, from)
      if (from === -1) return false
    }
    return text.length >= from + last.length && last.at(text, text.length - last.length)
  }
}

const matchesWhole = (pattern: string): Matches => {
  const pieces = pattern.split(/\*+/)
  if (!pattern.includes("?")) return matcher(pieces.map(literal))
  const matches = matcher(pieces.map(placeholders))
  return (text) => matches(codePoints(text))
}

export const wildcard = (pattern: string): Matches => {
  if (isEverything(pattern)) return () => true
  const matches = matchesWhole(pattern)
  if (!pattern.endsWith(" *")) return matches
  const bare = matchesWhole(pattern.slice(0, -2))
  return (text) => bare(text) || matches(text)
}

/** True for a pattern of nothing but stars. */
export const isEverything = (pattern: string): boolean => /^\*+$/.test(pattern)
