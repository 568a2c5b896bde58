// Receives a text of the model as it streams; returns the text that a channel shows, the thinking and the directives in it.
// Invariant: the pieces depend on the text alone, not on how it was split; each stage holds back what is still undecided.
import { Directives } from "./directives.ts"
import { MediaLines } from "./media-lines.ts"
import { addText, type Piece } from "./pieces.ts"
import { Silence } from "./silence.ts"
import { ThinkTags } from "./think-tags.ts"

export class ReplyText {
  readonly #tags: ThinkTags
  readonly #directives = new Directives()
  readonly #media = new MediaLines()
  readonly #silence = new Silence()
  /** False until the first visible text: leading white space is dropped. */
  #begun = false

  constructor(options: { readonly finalOnly: boolean }) {
    this.#tags = new ThinkTags(options.finalOnly)
  }

  push(text: string): ReadonlyArray<Piece> {
    const pieces: Array<Piece> = []
    this.#afterTags(this.#tags.push(text), pieces)
    return pieces
  }

  /** Call it when the text is complete; returns the pieces that were held back. */
  end(): ReadonlyArray<Piece> {
    const pieces: Array<Piece> = []
    this.#afterTags(this.#tags.end(), pieces)
    this.#afterDirectives(this.#directives.end(), pieces)
    this.#afterMedia(this.#media.end(), pieces)
    this.#addVisible(this.#silence.end(), pieces)
    return pieces
  }

  /** Whether the text ended with a silence token (see `silence.ts`). */
  get silent(): boolean {
    return this.#silence.silent
  }

  #afterTags(made: ReadonlyArray<Piece>, pieces: Array<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#afterDirectives(this.#directives.push(piece.text), pieces)
      else if (piece.kind === "thinking") addText(pieces, "thinking", piece.text)
    }
  }

  #afterDirectives(made: ReadonlyArray<Piece>, pieces: Array<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#afterMedia(this.#media.push(piece.text), pieces)
      else pieces.push(piece)
    }
  }

  #afterMedia(made: ReadonlyArray<Piece>, pieces: Array<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#addVisible(this.#silence.push(piece.text), pieces)
      else pieces.push(piece)
    }
  }

  #addVisible(text: string, pieces: Array<Piece>): void {
    const shown = this.#begun ? text : text.trimStart()
    if (shown !== "") this.#begun = true
    addText(pieces, "text", shown)
  }
}
