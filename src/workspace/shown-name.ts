// Receives the name of a file, which may contain any character but a slash and NUL; returns it as people and models see it.
// Invariant: the result is one line, so a list with one name per line has as many lines as names.

/** Characters that break a line, move the cursor or are invisible. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text for a message: its control characters are escaped, and lone surrogates replaced. */
export const oneLine = (text: string): string => text.toWellFormed().replace(CONTROL, escaped)

/** A name for a list of names: quoted and escaped as in JSON when it has control characters. */
export const listedName = (name: string): string =>
  name.search(CONTROL) === -1 ? name : `"${name.replace(/["\\]/g, "\\$&").replace(CONTROL, escaped)}"`
