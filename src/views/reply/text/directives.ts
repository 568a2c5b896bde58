// Receives text as it streams; returns it without its directives, which become separate pieces:
// `[[reply_to_current]]`, `[[reply_to: id]]`, `[[audio_as_voice]]`, `[[react: emoji]]`, `[[react_to_current: emoji]]`.
// Invariant: text that may become a directive is held back until that is known; code contains no directives. As in OpenClaw, a
// reply directive counts only at the start of the text, after white space, or after another directive.
import { CodeState } from "./code-state.ts"
import { type Directive, type Piece, PieceBuffer } from "./pieces.ts"

const PLAIN = ["audio_as_voice", "reply_to_current"]
const VALUED = ["reply_to", "react", "react_to_current"]
const BEGUN = /^\[\[\s*([a-z_]*)(.*)$/i
const WHOLE = /^\[\[\s*([a-z_]+)\s*(?::([^[\]\n]*))?\]\]$/i
const WORD = /[\p{L}\p{N}]/u
const MAX_DIRECTIVE = 300

export class Directives {
  readonly #code = new CodeState()
  readonly #pieces = new PieceBuffer()
  #pending = ""
  /** The last character of the text that was passed on. */
  #last = ""
  /** What preceded the directive that was just removed; decides which white space after it is dropped. Null after other text. */
  #behind: "line" | "space" | "word" | null = null

  push(text: string): ReadonlyArray<Piece> {
    for (const character of text) this.#take(character)
    return this.#pieces.take()
  }

  /** Call it when the text is complete: what looked like the start of a directive is returned as text. */
  end(): ReadonlyArray<Piece> {
    const pending = this.#pending
    this.#pending = ""
    for (const character of pending) this.#put(character)
    return this.#pieces.take()
  }

  #take(character: string): void {
    if (this.#pending === "") {
      if (character === "[" && !this.#code.inCode) this.#pending = character
      else this.#put(character)
      return
    }
    const pending = this.#pending + character
    const directive = this.#directiveOf(pending)
    if (directive !== null) {
      this.#pending = ""
      this.#pieces.add(directive)
      this.#behind ??= /^$|\n/.test(this.#last) ? "line" : /\s/.test(this.#last) ? "space" : "word"
    } else if (mayBecomeDirective(pending)) {
      this.#pending = pending
    } else {
      this.#pending = ""
      this.#put(pending.slice(0, 1))
      for (const again of pending.slice(1)) this.#take(again)
    }
  }

  #directiveOf(pending: string): Directive | null {
    const [, given = "", rest] = WHOLE.exec(pending) ?? []
    const name = given.toLowerCase()
    const value = rest?.trim()
    if (value === undefined) {
      if (name === "audio_as_voice") return { kind: "audio" }
      return name === "reply_to_current" && this.#mayTarget ? { kind: "reply", id: null } : null
    }
    if (value === "") return null
    if (name === "reply_to") return this.#mayTarget ? { kind: "reply", id: value } : null
    return name === "react" || name === "react_to_current"
      ? { kind: "react", emoji: value, current: name === "react_to_current" }
      : null
  }

  get #mayTarget(): boolean {
    return this.#behind !== null || /^\s*$/.test(this.#last)
  }

  #put(character: string): void {
    if (this.#behind !== null && this.#leavesOut(character)) return
    this.#code.take(character)
    this.#last = character
    this.#pieces.addText("text", character)
  }

  /** Whether a character after a directive is dropped as surplus white space. Adds a space where two words would touch. */
  #leavesOut(character: string): boolean {
    const behind = this.#behind
    if (/[ \t]/.test(character) && behind !== "word") return true
    this.#behind = null
    if (behind === "word" && WORD.test(this.#last) && WORD.test(character)) this.#put(" ")
    return behind === "line" && character === "\n"
  }
}

const mayBecomeDirective = (pending: string): boolean => {
  if (pending === "[[") return true
  const [, given = "", rest = ""] = BEGUN.exec(pending) ?? []
  if (given === "" && rest !== "") return false
  const name = given.toLowerCase()
  if (pending.length > MAX_DIRECTIVE || pending.includes("\n") || !pending.startsWith("[[")) return false
  if (rest === "") return [...PLAIN, ...VALUED].some((one) => one.startsWith(name))
  if (PLAIN.includes(name) && /^\s*\]?$/.test(rest)) return true
  return VALUED.includes(name) && /^\s*(?::[^[\]]*)?\]?$/.test(rest)
}
