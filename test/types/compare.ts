// How an official type is compared with the type of a schema: both ways, and once more with every field required, since
// a field that one side lacks and the other leaves optional would fit both ways.
import type { UUID } from "node:crypto"

/** Levels what no JSON shows: lists that can be written to, fields that hold `undefined`, UUIDs, which are any text here. */
export type Plain<T> = T extends string
  ? [UUID] extends [T]
    ? string
    : T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Plain<Item>>
    : T extends object
      ? { readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> }
      : T

/** `Plain`, with nothing optional at any depth; fields that may never be there are left out. */
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

/** `true`, or what was compared, so that the compiler's message shows it. */
export type Fits<A, B> = [A] extends [B] ? true : { readonly given: A; readonly expected: B }

/** What they allow, ours decode; what ours emit, they allow; neither knows a field that the other does not. */
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
