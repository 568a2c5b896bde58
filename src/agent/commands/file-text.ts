// What the files of commands and skills have in common: the words of their arguments, the names of arguments, and scripts.
// Invariant: as in the official SDK, a script begins at white space, or is a fenced block that starts with three backticks and a `!`.
import type { FilledTemplate } from "./template.ts"

const WORD = /"([^"]*)"|'([^']*)'|[^\s"']+/g

/** The arguments of a call, without the quotes around them. */
export const wordsOf = (args: string): ReadonlyArray<string> =>
  [...args.matchAll(WORD)].map(([word, double, single]) => double ?? single ?? word)

const NAMED = /^[\w-]{1,100}$/

/** The source of a pattern that matches one of the names. */
export const anyOf = (names: ReadonlyArray<string>): string => {
  const named = names.filter((name) => NAMED.test(name))
  return named.length === 0 ? "(?!)" : named.join("|")
}

const START = /```!|(?<=^|\s)!`/gm

/** Texts, and between them the scripts: !`script`, and blocks that start with three backticks and a `!`. */
export const splitScripts = (body: string): FilledTemplate => {
  const texts: Array<string> = []
  const scripts: Array<string> = []
  let from = 0
  for (const { index, 0: start } of body.matchAll(START)) {
    if (index < from) continue
    const mark = start === "```!" ? "```" : "`"
    const begin = index + start.length
    const end = body.indexOf(mark, begin)
    const script = end < 0 ? "" : body.slice(begin, end).trim()
    if (script === "") continue
    texts.push(body.slice(from, index))
    scripts.push(script)
    from = end + mark.length
  }
  return { texts: [...texts, body.slice(from)], scripts }
}
