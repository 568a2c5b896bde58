// Receives alternative ranges of the conversation, the best first; returns which messages the next request for a summary has,
// after an answer without a summary or an error of the API.
// Invariant: the number of requests is bounded, whatever the API answers.
import type { ModelError } from "../../model/messages-api.ts"
import { refusedMedia } from "../../model/refused-media.ts"
import { excessTokens, isPromptTooLong } from "../../model/retry.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { type CompactionCause, type CompactionRange, shorterRange, withoutOldest } from "./compaction-ranges.ts"
import { MEDIA, withoutMedia } from "./remove-media.ts"

/** How often a request for a summary that is too long is replaced by a shorter one. */
const MAX_CUTS = 30
/** How often the oldest exchanges are left out at most, as in the official SDK. */
const MAX_LOSSES = 3

export class SummaryAttempts {
  readonly #conversation: ReadonlyArray<ApiMessage>
  readonly #cause: CompactionCause
  readonly #left: Array<CompactionRange>
  #range: CompactionRange | undefined
  /** The messages of the range that are sent; without their images and documents if the API has refused a request with them. */
  #messages: ReadonlyArray<ApiMessage> = []
  /** The range if it lacks the oldest exchanges, or null. */
  #cut: CompactionRange | null = null
  #cuts = 0
  #losses = 0
  #isWithoutMedia = false

  constructor(ranges: ReadonlyArray<CompactionRange>, conversation: ReadonlyArray<ApiMessage>, cause: CompactionCause) {
    this.#left = [...ranges]
    this.#conversation = conversation
    this.#cause = cause
    this.skip()
  }

  /** What the next request summarizes, and what remains after the summary; undefined when all ranges have been tried. */
  get current(): CompactionRange | undefined {
    return this.#range && { summarized: this.#messages, preserved: this.#range.preserved }
  }

  /** Continues with the next range. */
  skip(): void {
    this.#use(this.#left.shift())
  }

  /**
   * Continues with messages that the API may accept after this error, and returns whether there are any: "exhausted" if all ranges
   * are too long, and leaving out the oldest exchanges is not an option.
   */
  shorten(error: ModelError): "shortened" | "failed" | "exhausted" {
    const range = this.#range
    if (range === undefined) return "failed"
    const media = refusedMedia(error)
    const readable = media === null ? null : withoutMedia(this.#messages, media, error, true)
    if (readable !== null) {
      this.#messages = readable
      return "shortened"
    }
    const excess = excessTokens(error)?.tokens ?? null
    if (error.status === 413 && excess === null) return this.#shortenBody(error)
    if (!isPromptTooLong(error) || this.#cuts++ === MAX_CUTS) return "failed"
    const shorter = this.#cut === null ? (this.#left.shift() ?? shorterRange(this.#conversation, range, excess)) : null
    // As the official SDK: a conversation that may still fit into the window keeps its oldest messages.
    if (shorter === null && this.#cause === "full") return "exhausted"
    this.#cut =
      shorter === null && this.#losses++ < MAX_LOSSES
        ? withoutOldest(this.#conversation, this.#cut, this.#messages, excess)
        : null
    this.#use(shorter ?? this.#cut ?? undefined)
    return this.#range === undefined ? "failed" : "shortened"
  }

  /** After a body of too many bytes. As the official SDK: the last range is requested once more, without its images and documents. */
  #shortenBody(error: ModelError): "shortened" | "failed" {
    const next = this.#left.shift()
    if (next !== undefined) this.#use(next)
    else if (this.#isWithoutMedia) return "failed"
    else this.#messages = MEDIA.reduce((kept, media) => withoutMedia(kept, media, error, true) ?? kept, this.#messages)
    this.#isWithoutMedia = next === undefined
    return "shortened"
  }

  #use(range: CompactionRange | undefined): void {
    this.#range = range
    this.#messages = range?.summarized ?? []
  }
}
