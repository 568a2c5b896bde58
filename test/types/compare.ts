// Compares an official type with a schema's type: in both directions, and once more with every field required, because a field
// that one side lacks and the other has as optional would match in both directions.
import type { UUID } from "node:crypto"

/** Removes differences that JSON does not have: mutable lists, fields with `undefined`, UUIDs, which are any string here. */
export type Plain<T> = T extends string
  ? [UUID] extends [T]
    ? string
    : T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Plain<Item>>
    : T extends object
      ? { readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> }
      : T

/** `Plain` with no optional fields at any depth; fields that never exist are omitted. */
type Whole<T> = T extends string
  ? Plain<T>
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Whole<Item>>
    : T extends object
      ? {
          readonly [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]-?: Whole<
            Exclude<T[K], undefined>
          >
        }
      : T

/** `true`, or the compared types, so that the compiler's message shows them. */
export type Fits<A, B> = [A] extends [B] ? true : { readonly given: A; readonly expected: B }

/** Ours decode what they allow, they allow what ours emit, and neither has a field that the other lacks. */
export type Same<Ours, Theirs> =
  Fits<Plain<Theirs>, Plain<Ours>> extends true
    ? Fits<Plain<Ours>, Plain<Theirs>> extends true
      ? Fits<Whole<Theirs>, Whole<Ours>> extends true
        ? Fits<Whole<Ours>, Whole<Theirs>>
        : { readonly theyKnowMore: Theirs; readonly ours: Ours }
      : { readonly weEmit: Ours; readonly theyAllow: Theirs }
    : { readonly theyAllow: Theirs; readonly weDecode: Ours }

/** Fails to compile unless every entry is `true`. */
export type Check<T extends Record<keyof T, true>> = T
