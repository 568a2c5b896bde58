// Receives Markdown character by character; knows whether the next character is inside code: a fenced block (its opening line
// included), an indented block, or a code span.
// Invariant: what it knows depends on the characters alone, and not on how they were cut into pieces. A code span that is never
// closed ends with its paragraph.

const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const OPENING_TILDES = /^ {0,3}~{3,}/
const INDENTED = /^(?: {4}|\t)/
/** A longer line opens and closes no fence. */
const LONGEST_FENCE_LINE = 1000

export class CodeState {
  /** The marker of the open fence. */
  #fence: string | null = null
  /** Backticks of the code span that is open; 0 outside one. */
  #span = 0
  /** Backticks just before the next character. */
  #run = 0
  /** The line so far. */
  #line = ""
  /** Whether an indented code block may begin with the line. */
  #mayIndent = true

  /** Whether the next character is inside code, if it is no backtick. */
  get inCode(): boolean {
    if (this.#fence !== null || this.#isIndented || OPENING_TILDES.test(this.#line)) return true
    return this.#run > 0 ? this.#run !== this.#span : this.#span > 0
  }

  /** True at the beginning of a line, or behind its first spaces. */
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
    if (this.#line.length < LONGEST_FENCE_LINE) this.#line += character
    if (this.#fence !== null) return
    if (character === "`") this.#run += 1
    else this.#endRun()
  }

  /** Backticks open a code span, or close the one that as many have opened. */
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
    const opening = line.length < LONGEST_FENCE_LINE && !isIndented ? OPENING.exec(line) : null
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

/** As CommonMark has it: the same character, at least as often, and nothing behind it. */
export const closesFence = (line: string, marker: string): boolean => {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return closing !== undefined && closing[0] === marker[0] && closing.length >= marker.length
}

/** The marker of the fence that a line opens. */
export const opensFence = (line: string): string | undefined => OPENING.exec(line)?.[1]
