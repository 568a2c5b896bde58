// Receives any value; says whether its fields can be read.
// Invariant: an array is none: it has a shape of its own.

/** True for what JSON writes in braces. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
