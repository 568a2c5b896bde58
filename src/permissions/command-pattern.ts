// Receives the content of a rule `Bash(…)`; returns a test of whether it covers a command.
// Invariant: matching takes one pass over the command for each `*`, whatever the pattern.

/** The literal pieces of a pattern, cut at each `*`; `\*` is a star itself. */
const piecesOf = (pattern: string): ReadonlyArray<string> => {
  const pieces = [""]
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index]!
    if (character === "*") pieces.push("")
    else {
      if (character === "\\" && /[*\\]/.test(pattern[index + 1] ?? "")) index += 1
      pieces[pieces.length - 1] += pattern[index]!
    }
  }
  return pieces
}

const matchesPieces = (pieces: ReadonlyArray<string>, text: string): boolean => {
  const [first = "", ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, from)
    if (found === -1) return false
    from = found + piece.length
  }
  return text.length >= from + last.length && text.endsWith(last)
}

/** A test of commands. `git:*` and `git *` cover `git` with any arguments, a `*` elsewhere any text, all else is exact. */
export const commandPattern = (content: string): ((command: string) => boolean) => {
  const pattern = content.endsWith(":*") ? `${content.slice(0, -2)} *` : content
  const pieces = piecesOf(pattern)
  if (!pattern.endsWith(" *")) return (command) => matchesPieces(pieces, command)
  const bare = piecesOf(pattern.slice(0, -2))
  return (command) => matchesPieces(bare, command) || matchesPieces(pieces, command)
}

/** A name with `*` in it, as `mcp__server__*`. */
export const namePattern = (name: string): ((text: string) => boolean) => {
  const pieces = name.split("*")
  return (text) => matchesPieces(pieces, text)
}

/** The rule content that covers exactly this command. */
export const exactContent = (command: string): string => command.replace(/\*|\\(?=[*\\])/g, "\\$&")
