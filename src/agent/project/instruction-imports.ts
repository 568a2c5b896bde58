// Receives the text of an instruction file; returns the paths that it imports: `@path` at the start of a word.
// Invariant: code, between backticks or fences, imports nothing.

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/
const IMPORT = /(?:^|[ \t(])@((?:\\ |[^\s\\])+)/g

/** The imported paths in the order of the text, each once. */
export const importsOf = (text: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  let fence: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const [, mark] = FENCE.exec(line) ?? []
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    for (const [, path] of line.replace(/(`+)[^`]*?\1/g, " ").matchAll(IMPORT)) {
      const plain = (path ?? "").replaceAll("\\ ", " ").replace(/#.*$/, "")
      if (isPath(plain)) found.add(plain)
    }
  }
  return [...found]
}

/** True for a path of the workspace, relative or absolute; false for a home directory and for punctuation. */
const isPath = (text: string): boolean => /^(?:\.{0,2}\/)?[\w. -]/.test(text) && !text.startsWith("~")
