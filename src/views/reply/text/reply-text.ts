// Receives a text of the model as it streams; returns the text that a channel shows, the thinking and the directives in it.
// Invariant: the pieces depend on the text alone, not on how it was split; each stage holds back what is still undecided.
import { Directives } from "./directives.ts"
import { MediaLines } from "./media-lines.ts"
import { type Piece, PieceBuffer } from "./pieces.ts"
import { Silence } from "./silence.ts"
import { ThinkTags } from "./think-tags.ts"

export class ReplyText {
  readonly #tags: ThinkTags
  readonly #directives = new Directives()
  readonly #media = new MediaLines()
  readonly #silence = new Silence()
  readonly #pieces = new PieceBuffer()
  /** False until the first visible text: leading white space is dropped. */
  #begun = false

  constructor(options: { readonly finalOnly: boolean }) {
    this.#tags = new ThinkTags(options.finalOnly)
  }

  push(text: string): ReadonlyArray<Piece> {
    this.#afterTags(this.#tags.push(text))
    return this.#pieces.take()
  }

  /** Call it when the text is complete; returns the pieces that were held back. */
  end(): ReadonlyArray<Piece> {
    this.#afterTags(this.#tags.end())
    this.#afterDirectives(this.#directives.end())
    this.#afterMedia(this.#media.end())
    this.#addVisible(this.#silence.end())
    return this.#pieces.take()
  }

  /** Whether the text ended with a silence token (see `silence.ts`). */
  get silent(): boolean {
    return this.#silence.silent
  }

  #afterTags(made: ReadonlyArray<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#afterDirectives(this.#directives.push(piece.text))
      else if (piece.kind === "thinking") this.#pieces.addText("thinking", piece.text)
    }
  }

  #afterDirectives(made: ReadonlyArray<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#afterMedia(this.#media.push(piece.text))
      else this.#pieces.add(piece)
    }
  }

  #afterMedia(made: ReadonlyArray<Piece>): void {
    for (const piece of made) {
      if (piece.kind === "text") this.#addVisible(this.#silence.push(piece.text))
      else this.#pieces.add(piece)
    }
  }

  #addVisible(text: string): void {
    const shown = this.#begun ? text : text.trimStart()
    if (shown !== "") this.#begun = true
    this.#pieces.addText("text", shown)
  }
}
