// The pieces of a reply's text after its tags and directives were read.

/** An instruction of a reply to its channel, at its position in the text. */
export type Directive =
  /** The message that the reply answers: its id, or null for the message that started the run. */
  | { readonly kind: "reply"; readonly id: string | null }
  | { readonly kind: "audio" }
  | { readonly kind: "react"; readonly emoji: string; readonly current: boolean }
  /** An https URL, or the path of a file. */
  | { readonly kind: "media"; readonly url: string }

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | Directive

/** Collects pieces until they are taken; consecutive texts of the same kind are one piece. */
export class PieceBuffer {
  #pieces: Array<Piece> = []

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  add(piece: Piece): void {
    this.#pieces.push(piece)
  }

  addText(kind: "text" | "thinking", text: string): void {
    if (text === "") return
    const last = this.#pieces.at(-1)
    if (last?.kind === kind) this.#pieces[this.#pieces.length - 1] = { kind, text: last.text + text }
    else this.#pieces.push({ kind, text })
  }

  /** Returns the pieces, and starts again without any. */
  take(): ReadonlyArray<Piece> {
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }
}
