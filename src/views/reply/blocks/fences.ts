// Receives Markdown and a place in it; returns the fenced block that is open there.
// Invariant: the result depends only on the text before the place and on the one character after it.
import { closesFence, opensFence } from "../text/code-state.ts"

export interface OpenFence {
  /** The offset at which its opening line starts. */
  readonly start: number
  /** The opening line, including its info string. */
  readonly opening: string
  /** The line that closes it. */
  readonly closing: string
}

/** The fence that a break at `place` would cut; null outside of fences, and directly after one. */
export const fenceAt = (text: string, place: number): OpenFence | null => {
  let fence: OpenFence | null = null
  let start = 0
  while (start < place) {
    const newline = text.indexOf("\n", start)
    const end = newline === -1 || newline > place ? place : newline
    const isWhole = end === text.length || text[end] === "\n"
    const line = text.slice(start, end)
    if (fence === null) {
      const marker = opensFence(line)
      if (marker !== undefined) fence = { start, opening: line, closing: indentOf(line) + marker }
    } else if (isWhole && closesFence(line, fence.closing.trim())) {
      fence = null
    }
    start = end + 1
  }
  return fence
}

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length)
