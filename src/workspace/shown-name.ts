// Receives a name of a file, which may hold any character but a slash and NUL; returns it as people and models are shown it.
// Invariant: what is shown is one line, so a list with one name in each line has as many lines as names.

/** What breaks a line, moves a cursor or can't be seen. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text of a message: no character of it breaks the line, moves a cursor or is half of one. */
export const oneLine = (text: string): string => text.toWellFormed().replace(CONTROL, escaped)

/** A name in a list of names: quoted as in JSON when it would not be one line otherwise. */
export const listedName = (name: string): string =>
  name.search(CONTROL) === -1 ? name : `"${name.replace(/["\\]/g, "\\$&").replace(CONTROL, escaped)}"`
