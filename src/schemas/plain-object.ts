// Receives any value; returns whether it is an object whose fields can be read.
// Invariant: an array is not a plain object.

/** True for values that JSON writes in braces. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
