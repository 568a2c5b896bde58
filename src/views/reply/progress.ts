// Receives a text as it streams; returns the steps in which a reader sees it grow.
// Invariant: the steps depend on the text and on the places of its media, not on how it was split. A step ends before white space
// once it has 24 characters and an eighth of the text sent so far, and anywhere at twice that length. So the cumulative texts of
// all steps together stay below nine times the text, and a reader who reconnects gets the same steps.

const MIN_STEP = 24

/** The text so far, and its new end as `delta`. */
export interface ProgressStep {
  readonly text: string
  readonly delta: string
  readonly mediaUrls?: ReadonlyArray<string>
}

/** True for the low half of a surrogate pair, before which no step may end. */
const isSecondHalf = (character: string): boolean => character >= "\udc00" && character <= "\udfff"

const NOTHING: ReadonlyArray<ProgressStep> = []

export class Progress {
  #text: string
  #length: number
  /** Length of the text that has been sent. */
  #at: number
  #endsInSpace: boolean
  #media: Array<string> = []

  /** `before` is the text of earlier blocks, which has been sent. */
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
      // Appending single characters is cheap as long as the text is read only at a step.
      this.#text += character
      this.#length += character.length
      this.#endsInSpace = isSpace
    }
    return steps ?? NOTHING
  }

  /** Adds a medium to the next step. */
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
