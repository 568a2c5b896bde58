// Receives the text of an instruction file; returns the paths that it imports (`@path` at the start of a word), and the text
// without HTML comments, which are notes for people.
// Invariant: code, between backticks or fences, imports nothing and keeps its comments.

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/
const IMPORT = /(?:^|[ \t(])@((?:\\ |[^\s\\])+)/g

/** The mark of the code fence that is open after a line, null for none; `open` is the one before it. */
const fenceOf = (line: string, open: string | null): string | null => {
  const [, mark] = FENCE.exec(line) ?? []
  if (open === null) return mark ?? null
  return mark?.startsWith(open) === true && line.trim() === mark ? null : open
}

/** The imported paths in the order of the text, each once. */
export const importsOf = (text: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  let fence: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const before = fence
    fence = fenceOf(line, before)
    if (before !== null || fence !== null) continue
    for (const [, path] of line.replace(/(`+)[^`]*?\1/g, " ").matchAll(IMPORT)) {
      const plain = (path ?? "").replaceAll("\\ ", " ").replace(/#.*$/, "")
      if (isPath(plain)) found.add(plain)
    }
  }
  return [...found]
}

/** True for a path of the workspace, relative or absolute; false for a home directory and for punctuation. */
const isPath = (text: string): boolean => /^(?:\.{0,2}\/)?[\w. -]/.test(text) && !text.startsWith("~")

const BEGIN = "<!--"
const END = "-->"

/**
 * As in the official SDK, comments that begin a line are removed, with their lines if nothing else is left there. A comment
 * without an end stays.
 */
export const withoutComments = (text: string): string => {
  if (!text.includes(BEGIN)) return text
  const kept: Array<string> = []
  let fence: string | null = null
  let at = 0
  let mayEnd = true
  while (at < text.length) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    const begins = mayEnd && fence === null && line.startsWith(BEGIN)
    const close = begins ? text.indexOf(END, at + BEGIN.length) : -1
    if (close === -1) {
      // Without an end here, there is none for later comments either.
      if (begins) mayEnd = false
      fence = fenceOf(line, fence)
      kept.push(line)
      at = end
      continue
    }
    const after = close + END.length
    at = lineEnd(text, after)
    const rest = withoutInline(text.slice(after, at))
    if (rest.trim() !== "") kept.push(rest)
  }
  return kept.join("")
}

/** The rest of the line after a comment, without further comments. */
const withoutInline = (line: string): string => {
  let kept = ""
  let at = 0
  for (;;) {
    const begin = line.indexOf(BEGIN, at)
    const end = begin === -1 ? -1 : line.indexOf(END, begin + BEGIN.length)
    if (end === -1) return kept + line.slice(at)
    kept += line.slice(at, begin)
    at = end + END.length
  }
}

/** Where the line at a position ends, its line break included. */
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end + 1
}
