// Receives Markdown character by character; tracks whether the next character is inside code: a fenced block (including its
// opening line), an indented block, or a code span.
// Invariant: the state depends on the characters alone, not on how they were split into pieces. A code span that is never closed
// ends with its paragraph.

const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const OPENING_TILDES = /^ {0,3}~{3,}/
const INDENTED = /^(?: {4}|\t)/
/** A line with more characters is not recognized as a fence. */
const MAX_FENCE_LINE = 1000

export class CodeState {
  /** The marker of the open fence; null outside of fences. */
  #fence: string | null = null
  /** Number of backticks that opened the current code span; 0 outside of code spans. */
  #span = 0
  /** Number of backticks directly before the next character. */
  #run = 0
  /** The current line up to the next character. */
  #line = ""
  /** Whether an indented code block may start at the current line. */
  #mayIndent = true

  /** Whether the next character is inside code, provided that it is no backtick. */
  get inCode(): boolean {
    if (this.#fence !== null || this.#isIndented || OPENING_TILDES.test(this.#line)) return true
    return this.#run > 0 ? this.#run !== this.#span : this.#span > 0
  }

  /** True at the start of a line, or after its leading white space. */
  get atLineStart(): boolean {
    return this.#line.trim() === ""
  }

  take(text: string): void {
    for (const character of text) this.#take(character)
  }

  get #isIndented(): boolean {
    return this.#mayIndent && this.#span === 0 && INDENTED.test(this.#line)
  }

  #take(character: string): void {
    if (character === "\n") return this.#endLine()
    if (this.#line.length < MAX_FENCE_LINE) this.#line += character
    if (this.#fence !== null) return
    if (character === "`") this.#run += 1
    else this.#endRun()
  }

  /** Ends a run of backticks: it opens a code span, or closes one that was opened by a run of the same length. */
  #endRun(): void {
    if (this.#run === 0) return
    if (this.#span === 0) this.#span = this.#run
    else if (this.#span === this.#run) this.#span = 0
    this.#run = 0
  }

  #endLine(): void {
    const line = this.#line
    this.#line = ""
    if (this.#fence !== null) {
      if (closesFence(line, this.#fence)) this.#fence = null
      this.#mayIndent = true
      return
    }
    const isIndented = this.#mayIndent && this.#span === 0 && INDENTED.test(line)
    const opening = line.length < MAX_FENCE_LINE && !isIndented ? OPENING.exec(line) : null
    if (opening?.[1] !== undefined) {
      this.#fence = opening[1]
      this.#span = 0
      this.#run = 0
      return
    }
    this.#endRun()
    const isBlank = line.trim() === ""
    if (isBlank) this.#span = 0
    this.#mayIndent = isBlank || isIndented
  }
}

/** True for a closing fence as CommonMark defines it: the same character at least as often, and nothing after it. */
export const closesFence = (line: string, marker: string): boolean => {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return closing !== undefined && closing[0] === marker[0] && closing.length >= marker.length
}

/** The marker of the fence that a line opens; undefined if it opens none. */
export const opensFence = (line: string): string | undefined => OPENING.exec(line)?.[1]
