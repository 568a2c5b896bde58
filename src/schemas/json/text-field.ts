// Receives a value from outside; returns the text in it, or in one of its fields.
// Invariant: anything but a string is an empty text.
import { isPlainObject } from "../plain-object.ts"

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The text in the object's field. */
export const textField = (value: unknown, key: string): string => (isPlainObject(value) ? textOf(value[key]) : "")
