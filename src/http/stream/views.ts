// The formats of a session's events that are stateful views: the factory of each, and the reader of their feed.
// Invariant: a view is created once per stream or page, and folds every event once, in order, however often its feed is opened.
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

/** The factory of each format's view; a large one may be loaded on first use. */
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
  /** The seq of the last event that was folded. */
  #seq = 0
  #joined = false

  constructor(make: (base: ReturnType<typeof readBase>["base"]) => LiveView) {
    this.#make = make
  }

  /** Creates the view from the feed's base. A reopened feed sends its base again; the view then keeps its state. */
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
    // The feed's own lines are no events.
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

/** Encodes the marks of media in their stored form, which ClientStream replaces. */
const sent = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> =>
  frames.map((frame) => ({ ...frame, data: toStoredText(frame.data) }))
