// Receives text as it streams; extracts the lines that name media (`MEDIA: <url or path>`).
// Invariant: a line is held back while it may become such a line; lines inside code are text.
import { CodeState } from "./code-state.ts"
import { readMediaLine } from "./media-url.ts"
import { type Piece, PieceBuffer } from "./pieces.ts"

const START = /^ {0,3}MEDIA:/i
/** A line with more characters is treated as text. */
const MAX_LINE = 20_000

export class MediaLines {
  readonly #code = new CodeState()
  readonly #pieces = new PieceBuffer()
  /** The current line while it may name media; null within any other line. */
  #line: string | null = ""

  push(text: string): ReadonlyArray<Piece> {
    for (const character of text) this.#take(character)
    return this.#pieces.take()
  }

  /** Call it when the text is complete; ends the last line. */
  end(): ReadonlyArray<Piece> {
    this.#endLine("")
    return this.#pieces.take()
  }

  #take(character: string): void {
    if (this.#line === null) {
      this.#put(character)
      if (character === "\n") this.#line = ""
      return
    }
    if (character === "\n") return this.#endLine("\n")
    const line = this.#line + character
    if (mayNameMedia(line) && !this.#code.inCode) this.#line = line
    else {
      this.#put(line)
      this.#line = null
    }
  }

  #endLine(end: string): void {
    const line = this.#line ?? ""
    this.#line = ""
    if (!START.test(line)) return this.#put(line + end)
    const { urls, rest } = readMediaLine(line)
    for (const url of urls) this.#pieces.add({ kind: "media", url })
    if (rest !== null) this.#put(rest + end)
  }

  #put(text: string): void {
    this.#code.take(text)
    this.#pieces.addText("text", text)
  }
}

const mayNameMedia = (line: string): boolean => {
  if (line.length > MAX_LINE) return false
  if (START.test(line)) return true
  const begun = /^ {0,3}([a-z:]*)$/i.exec(line)?.[1]
  return begun !== undefined && "MEDIA:".startsWith(begun.toUpperCase())
}
