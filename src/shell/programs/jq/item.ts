// A result of a filter, with the path that leads to it in the input.
import type { Json } from "./json.ts"
import type { Path } from "./paths.ts"

/** A result. `path` is null where no paths are wanted, and undefined for a value that is no part of the input. */
export interface Item {
  readonly value: Json
  readonly path: Path | null | undefined
}

export type Items = Generator<Item>

export const isTrue = (value: Json): boolean => value !== null && value !== false

/** A value that was computed, in a run that may want paths. */
export const computed = (value: Json, { path }: Item): Item => ({ value, path: path === null ? null : undefined })
