// Receives text or JSON that a model or an outsider wrote; returns it without what a terminal would carry out.
// Invariant: what is left moves no cursor and begins no escape sequence, also not together with what is written next.
import type * as Schema from "effect/Schema"
import { isPlainObject } from "../../schemas/plain-object.ts"

/** Without control characters; line feeds and tabs stay. */
export const plainText = (text: string): string => text.replace(CONTROLS, "")
// eslint-disable-next-line no-control-regex -- these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** The same for every text in a value. */
export const plainJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return plainText(value)
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isPlainObject(value)) return value
  // The fields of JSON are JSON.
  const fields = Object.entries(value as Readonly<Record<string, Schema.Json>>)
  return Object.fromEntries(fields.map(([key, field]) => [plainText(key), plainJson(field)]))
}
