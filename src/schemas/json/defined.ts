// Receives an object; returns it without the fields that are undefined, which JSON does not have.

/** Fields that may be undefined become optional. */
type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

export const defined = <const T extends object>(fields: T): Defined<T> =>
  // Only fields that are undefined were removed.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
