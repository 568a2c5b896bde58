// Collects the start of what a script prints while its turn waits for it, for the result of a call that moves to the background.
// Invariant: at most MAX_CHARACTERS are kept, however much is printed.
import { withoutBlankStart } from "./command-outcome.ts"

const MAX_CHARACTERS = 30_000

export class PrintedSoFar {
  #text = ""

  add(text: string): void {
    if (this.#text.length < MAX_CHARACTERS) this.#text += text.slice(0, MAX_CHARACTERS - this.#text.length)
  }

  /** The output so far, without blank lines before it and blanks after it. */
  text(): string {
    return withoutBlankStart(this.#text).trimEnd().toWellFormed()
  }
}
