// Receives a text as it streams; returns the steps in which a reader sees it grow.
// Invariant: the steps are a function of the text and of where its media are, not of how it was cut: a step ends before white
// space, at least 24 characters and an eighth of the text behind the one before. So the cumulative texts of all steps together
// stay below nine times the text, and a reader who comes back gets the same steps.

const SHORTEST = 24

/** The text so far, and what is new of it. */
export interface ProgressStep {
  readonly text: string
  readonly delta: string
  readonly mediaUrls?: ReadonlyArray<string>
}

export class Progress {
  #text: string
  /** Up to here the text was sent. */
  #at: number
  #scanned = 0
  #media: Array<string> = []

  /** `before` is what was sent already, of texts before this one. */
  constructor(before = "") {
    this.#text = before
    this.#at = before.length
  }

  push(text: string): ReadonlyArray<ProgressStep> {
    this.#text += text
    const steps: Array<ProgressStep> = []
    for (let place = this.#nextPlace(); place !== null; place = this.#nextPlace()) steps.push(this.#step(place))
    return steps
  }

  /** A medium comes with the next step. */
  media(url: string): void {
    this.#media.push(url)
  }

  end(): ReadonlyArray<ProgressStep> {
    const { length } = this.#text.trimEnd()
    return length > this.#at || this.#media.length > 0 ? [this.#step(Math.max(length, this.#at))] : []
  }

  #step(place: number): ProgressStep {
    const delta = this.#text.slice(this.#at, place)
    const media = this.#media
    this.#at = place
    this.#scanned = 0
    this.#media = []
    return { text: this.#text.slice(0, place), delta, ...(media.length === 0 ? {} : { mediaUrls: media }) }
  }

  #nextPlace(): number | null {
    const least = Math.max(SHORTEST, this.#at >> 3)
    const most = this.#at + 2 * least
    for (let place = Math.max(this.#at + least, this.#scanned); place < this.#text.length; place++) {
      const isWordEnd = /\s/.test(this.#text[place] ?? "") && /\S/.test(this.#text[place - 1] ?? "")
      if (isWordEnd || (place >= most && !/[\udc00-\udfff]/.test(this.#text[place] ?? ""))) return place
    }
    this.#scanned = Math.max(this.#scanned, this.#text.length)
    return null
  }
}
