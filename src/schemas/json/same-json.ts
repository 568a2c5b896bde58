// Receives two JSON values; returns whether they are the same, whatever the order of their keys.
import { isPlainObject } from "../plain-object.ts"

export const isSameJson = (a: unknown, b: unknown): boolean => sorted(a) === sorted(b)

const sorted = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
