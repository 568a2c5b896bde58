// Random numbers that are the same for the same seed.

export type Random = () => number

/** Mulberry32: the same seed gives the same numbers, from 0 up to 1. */
export const randomFrom = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const below = (random: Random, end: number): number => Math.floor(random() * end)

/** A random item of a non-empty list. */
export const pick = <A>(random: Random, list: ReadonlyArray<A>): A => list[below(random, list.length)]!
