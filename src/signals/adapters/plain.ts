// Receives text or JSON from a model or another untrusted source; returns it without characters that control a terminal.
// Invariant: the result moves no cursor and starts no escape sequence, not even together with the text that is written next.
import type * as Schema from "effect/Schema"
import { isPlainObject } from "../../schemas/plain-object.ts"

/** Removes control characters, except for line feeds and tabs. */
export const plainText = (text: string): string => text.replace(CONTROLS, "")
// eslint-disable-next-line no-control-regex -- these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Applies `plainText` to every string in a value, including the keys of objects. */
export const plainJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return plainText(value)
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isPlainObject(value)) return value
  // The fields of a JSON object are JSON.
  const fields = Object.entries(value as Readonly<Record<string, Schema.Json>>)
  return Object.fromEntries(fields.map(([key, field]) => [plainText(key), plainJson(field)]))
}
