// Reads a feed of facts like the Worker's stream: with one view, however often the feed is reopened.
import type { LiveFormat, LiveOptions } from "../../../src/http/contract/live-formats.ts"
import { type FactsView, viewOf } from "../../../src/http/stream/views.ts"
import type { FeedLine } from "../../../src/schemas/log/feed-line.ts"
import type { Frame } from "../../../src/views/sdk.ts"
import { SESSION_ID } from "../session/session-harness.ts"

export class FactsReader {
  readonly #view: FactsView
  readonly frames: Array<Frame> = []
  #cursor: number | "head"

  private constructor(view: FactsView, after: number | "head") {
    this.#view = view
    this.#cursor = after
  }

  static async open(
    format: LiveFormat,
    after: number | "head" = 0,
    options: LiveOptions = {},
    session = SESSION_ID,
  ): Promise<FactsReader> {
    return new FactsReader(await viewOf(format, session, options), after)
  }

  /** The last event that the reader need not receive again. */
  get cursor(): number | "head" {
    return this.#cursor
  }

  take(lines: Iterable<FeedLine>): this {
    for (const line of lines) this.#take(line)
    return this
  }

  #take(line: FeedLine): void {
    if (line.name === "feed:base") {
      const { after, frames } = this.#view.base(line)
      if (this.#cursor === "head") this.#cursor = after
      this.frames.push(...frames)
      return
    }
    if (line.name === "feed:live") return void this.frames.push(...this.#view.joined())
    if (line.seq !== null && this.#cursor !== "head" && line.seq <= this.#cursor) return this.#view.behind(line)
    if (line.seq !== null) this.#cursor = line.seq
    this.frames.push(...this.#view.view(line))
  }
}

/** The parsed data of the frames. */
export const dataOf = <A>(frames: ReadonlyArray<Frame>): ReadonlyArray<A> =>
  frames.map(({ data }) => JSON.parse(data) as A)
