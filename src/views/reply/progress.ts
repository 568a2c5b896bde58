// Receives a text as it streams; returns the steps in which a reader sees it grow.
// Invariant: the steps are a function of the text and of where its media are, not of how it was cut: a step ends before white
// space, at least 24 characters and an eighth of the text behind the one before. So the cumulative texts of all steps together
// stay below nine times the text, and a reader who comes back gets the same steps.

const MIN_STEP = 24

/** The text so far, and what is new of it. */
export interface ProgressStep {
  readonly text: string
  readonly delta: string
  readonly mediaUrls?: ReadonlyArray<string>
}

/** Of a character that the stream has cut in two: no step ends inside it. */
const isSecondHalf = (character: string): boolean => character >= "\udc00" && character <= "\udfff"

const NOTHING: ReadonlyArray<ProgressStep> = []

export class Progress {
  #text: string
  #length: number
  /** Up to here the text was sent. */
  #at: number
  #endsInSpace: boolean
  #media: Array<string> = []

  /** `before` is what was sent already, of texts before this one. */
  constructor(before = "") {
    this.#text = before
    this.#length = before.length
    this.#at = before.length
    this.#endsInSpace = !/\S$/.test(before)
  }

  push(text: string): ReadonlyArray<ProgressStep> {
    let steps: Array<ProgressStep> | null = null
    for (const character of text) {
      const isSpace = /\s/.test(character)
      if (!isSecondHalf(character) && this.#isDue(isSpace)) (steps ??= []).push(this.#step(this.#length))
      // The text is looked into at a step alone: it grows by a character at a time.
      this.#text += character
      this.#length += character.length
      this.#endsInSpace = isSpace
    }
    return steps ?? NOTHING
  }

  /** A medium comes with the next step. */
  media(url: string): void {
    this.#media.push(url)
  }

  end(): ReadonlyArray<ProgressStep> {
    const { length } = this.#text.trimEnd()
    return length > this.#at || this.#media.length > 0 ? [this.#step(Math.max(length, this.#at))] : NOTHING
  }

  /** Whether a step ends before the next character. */
  #isDue(isSpace: boolean): boolean {
    const grown = this.#length - this.#at
    const least = Math.max(MIN_STEP, this.#at >> 3)
    return grown >= least && ((isSpace && !this.#endsInSpace) || grown >= 2 * least)
  }

  #step(place: number): ProgressStep {
    const media = this.#media
    const step = { text: this.#text.slice(0, place), delta: this.#text.slice(this.#at, place) }
    this.#at = place
    this.#media = []
    return media.length === 0 ? step : { ...step, mediaUrls: media }
  }
}
