// How much of a long conversation a page keeps. Receives the sizes of the loaded messages; returns how many of the newest to keep.
// Invariant: nothing is dropped below both bounds, and a page of the newest messages is always kept.
import type { Part } from "./frames.ts"

/** When more than this is loaded, all but the newest messages are dropped. Sizes are characters of their texts. */
const MAX_LOADED = { messages: 2000, size: 32_000_000 }
const KEPT = { messages: 500, size: 8_000_000 }
const LEAST_MESSAGES = 50

/** `sizes` has the size of each message, the oldest first. */
export const keptOf = (sizes: ReadonlyArray<number>): number => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (sizes.length <= MAX_LOADED.messages && total <= MAX_LOADED.size) return sizes.length
  let size = 0
  const tooMany = sizes.toReversed().findIndex((next, index) => {
    size += next
    return index >= KEPT.messages || (index >= LEAST_MESSAGES && size > KEPT.size)
  })
  return tooMany === -1 ? sizes.length : tooMany
}

/** A part is replaced when it changes, so each is measured once. */
const measured = new WeakMap<Part, number>()

export const sizeOf = (part: Part): number => {
  const known = measured.get(part)
  if (known !== undefined) return known
  const size = charactersIn(part)
  measured.set(part, size)
  return size
}

const charactersIn = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + charactersIn(inner), 0)
}
