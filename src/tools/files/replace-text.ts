// Receives a text, a piece of it and its replacement; returns the new text.
// Invariant: pure functions, so that the content after an edit can be computed again from the edit's result in the log.
import { quotedAs, straightQuotes } from "./quotes.ts"

export interface Replacement {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

type Pair = readonly [old: string, next: string]

const windows = (text: string): string => text.replace(/\r?\n/g, "\r\n")
const unix = (text: string): string => text.replaceAll("\r\n", "\n")

/** Whether most lines of a text end with a carriage return and a newline. */
const isWindows = (text: string): boolean => {
  let more = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) more += text[at - 1] === "\r" ? 1 : -1
  return more > 0
}

/** Converts old and new text to the file's own line ends: the model sees lines without their carriage returns. */
const inLineEndsOf = (content: string, { old_string: old, new_string: next }: Replacement): Pair => {
  if (content.includes(old)) return !old.includes("\n") && isWindows(content) ? [old, windows(next)] : [old, next]
  if (content.includes("\r\n") && content.includes(windows(old))) return [windows(old), windows(next)]
  return old.includes("\r\n") ? [unix(old), unix(next)] : [old, next]
}

/**
 * Converts old and new text to the form that the file has. If the old text only occurs with typographic quotes, both get
 * them, because models write straight quotes.
 */
export const inFormOf = (content: string, edit: Replacement): Pair => {
  const exact = inLineEndsOf(content, edit)
  if (content.includes(exact[0])) return exact
  const straight = straightQuotes(content)
  const [wanted, next] = inLineEndsOf(straight, { ...edit, old_string: straightQuotes(edit.old_string) })
  const first = straight.indexOf(wanted)
  if (first === -1) return exact
  const found = content.slice(first, first + wanted.length)
  const isOne = straight.split(wanted).length === content.split(found).length
  return isOne ? [found, quotedAs(next, found)] : exact
}

/** The length of the line end after a match that consists of whole lines; otherwise 0. */
const lineEndAfter = (content: string, begin: number, end: number): number => {
  if (begin > 0 && content[begin - 1] !== "\n") return 0
  if (content.startsWith("\r\n", end)) return 2
  return content[end] === "\n" ? 1 : 0
}

/**
 * Replaces the first occurrence, or with `replace_all` every one. An empty `old_string` replaces the whole text. As in the
 * official SDK, whole lines that are replaced by nothing disappear together with their line end.
 */
export const replaceText = (content: string, edit: Replacement): string => {
  if (edit.old_string === "") return edit.new_string
  const [old, next] = inFormOf(content, edit)
  const deletes = next === "" && !old.endsWith("\n")
  const parts: Array<string> = []
  let from = 0
  for (let at = content.indexOf(old); at !== -1; at = content.indexOf(old, from)) {
    parts.push(content.slice(from, at), next)
    from = at + old.length
    if (deletes) from += lineEndAfter(content, at, from)
    if (edit.replace_all !== true) break
  }
  return [...parts, content.slice(from)].join("")
}
