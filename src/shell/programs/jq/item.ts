// A result of a filter, with its path in the input.
import type { Json } from "./json.ts"
import type { Path } from "./paths.ts"

/** A result. `path` is null if the run does not track paths, and undefined for a value that is not part of the input. */
export interface Item {
  readonly value: Json
  readonly path: Path | null | undefined
}

export type Items = Generator<Item>

export const isTrue = (value: Json): boolean => value !== null && value !== false

/** A computed value, which has no path in the input. */
export const computed = (value: Json, { path }: Item): Item => ({ value, path: path === null ? null : undefined })
