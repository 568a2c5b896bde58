// Receives an answer's text as it streams; returns text inside `<think>` tags as thinking, and the rest without `<final>` tags.
// Invariant: a tag that is split between two pieces is recognized, and tags inside code are text.
import { CodeState } from "./code-state.ts"
import { type Piece, PieceBuffer } from "./pieces.ts"

const NAMES = ["think", "thinking", "thought", "antthinking", "final"]
const TAG = new RegExp(`^<[ \\t]*(/?)[ \\t]*(${NAMES.join("|")})[ \\t]*>$`, "i")
const BEGUN = /^<[ \t]*\/?[ \t]*([a-z]*)[ \t]*$/i
const MAX_TAG = 40

export class ThinkTags {
  readonly #finalOnly: boolean
  readonly #code = new CodeState()
  readonly #pieces = new PieceBuffer()
  #pending = ""
  #thinking = false
  #final = false

  /** With `finalOnly`, only text inside `<final>` tags is returned as text. */
  constructor(finalOnly: boolean) {
    this.#finalOnly = finalOnly
  }

  push(text: string): ReadonlyArray<Piece> {
    for (const character of text) this.#take(character)
    return this.#pieces.take()
  }

  /** Call it when the text is complete: what looked like the start of a tag is returned as text. */
  end(): ReadonlyArray<Piece> {
    this.#release()
    return this.#pieces.take()
  }

  #take(character: string): void {
    if (this.#pending === "") {
      if (character === "<" && (this.#thinking || !this.#code.inCode)) this.#pending = character
      else this.#put(character)
      return
    }
    const pending = this.#pending + character
    const tag = TAG.exec(pending)
    if (tag !== null) {
      this.#pending = ""
      this.#apply(pending, String(tag[2]).toLowerCase(), tag[1] === "/")
    } else if (mayBecomeTag(pending)) {
      this.#pending = pending
    } else {
      this.#release()
      this.#take(character)
    }
  }

  #apply(tag: string, name: string, closes: boolean): void {
    if (name !== "final") this.#thinking = !closes
    // Within thinking, a `<final>` tag is ordinary text.
    else if (this.#thinking) this.#put(tag)
    else this.#final = !closes
  }

  #release(): void {
    const pending = this.#pending
    this.#pending = ""
    this.#put(pending)
  }

  #put(text: string): void {
    if (this.#thinking) return this.#pieces.addText("thinking", text)
    this.#code.take(text)
    if (!this.#finalOnly || this.#final) this.#pieces.addText("text", text)
  }
}

const mayBecomeTag = (pending: string): boolean => {
  const name = BEGUN.exec(pending)?.[1]?.toLowerCase()
  if (name === undefined || pending.length > MAX_TAG) return false
  return /[a-z][ \t]+$/i.test(pending) ? NAMES.includes(name) : NAMES.some((one) => one.startsWith(name))
}
