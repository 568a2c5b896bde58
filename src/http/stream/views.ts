// The formats of a session's events that are views with a state: what each is made by, and what reads their feed.
// Invariant: a view is made once for a stream or a page, and folds every event once, in order, however often its feed is opened.
import { type FeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import { agentEventsView } from "../../views/agent-events/agent-events-view.ts"
import { AgUiView } from "../../views/ag-ui/ag-ui-view.ts"
import { partsView } from "../../views/bus/parts-view.ts"
import { readBase, readFact } from "../../views/live/fact-line.ts"
import type { LiveView } from "../../views/live/live-view.ts"
import type { MakeView } from "../../views/live/view-start.ts"
import { replyView } from "../../views/reply/reply-view.ts"
import type { Frame, View } from "../../views/sdk.ts"
import type { LiveFormat, LiveOptions } from "../contract/live-formats.ts"
import type { FactsReader } from "./sse.ts"

/** What makes the view of each format; a big one may be loaded when it is first asked for. */
const VIEWS: { readonly [F in LiveFormat]: () => MakeView<LiveOptions> | Promise<MakeView<LiveOptions>> } = {
  parts: () => partsView,
  "agent-events": () => agentEventsView,
  reply: () => replyView,
  "ag-ui": () => (start) => new AgUiView(start),
}

export const viewOf = async (format: LiveFormat, sessionId: string, options: LiveOptions): Promise<FactsView> => {
  const make = await VIEWS[format]()
  return new FactsView((base) => make({ sessionId, base, options }))
}

/** A view over the lines of a feed of facts. */
export class FactsView implements FactsReader {
  readonly #make: (base: ReturnType<typeof readBase>["base"]) => LiveView
  #made: LiveView | null = null
  /** The last event that was folded in. */
  #seq = 0
  #joined = false

  constructor(make: (base: ReturnType<typeof readBase>["base"]) => LiveView) {
    this.#make = make
  }

  /** A feed that was opened again has its base again: the view goes on from where it is. */
  base(line: FeedLine): { readonly after: number; readonly frames: ReadonlyArray<Frame> } {
    const { after, base } = readBase(line)
    if (this.#made !== null) return { after, frames: [] }
    this.#made = this.#make(base)
    this.#seq = base.seq
    return { after, frames: sent(this.#made.opened?.() ?? []) }
  }

  behind(line: FeedLine): void {
    this.view(line)
  }

  readonly view: View = (line) => {
    // The feed's own lines have no event.
    if (this.#made === null || line.name.startsWith("feed:")) return []
    if (line.seq !== null) {
      if (line.seq <= this.#seq) return []
      this.#seq = line.seq
    }
    return sent(this.#made.apply(readFact(line)))
  }

  joined(): ReadonlyArray<Frame> {
    if (this.#joined) return []
    this.#joined = true
    return sent(this.#made?.joined?.() ?? [])
  }

  gone(): ReadonlyArray<Frame> {
    return sent(this.#made?.gone?.() ?? [])
  }

  heartbeat(): Frame | null {
    return this.#made?.heartbeat?.() ?? null
  }
}

/** Frames as they travel: marks of media in their stored form. */
const sent = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> =>
  frames.map((frame) => ({ ...frame, data: toStoredText(frame.data) }))
