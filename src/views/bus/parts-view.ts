// Receives the events of a session; returns what opencode's event stream says of them (`format=parts`).
// Invariant: `{type, properties}` as data. What a durable event means depends on the log alone; the fold is that of the pages of
// messages, so that a reader who applies every frame has what those pages have.
import { EventNames, isTurnResult } from "../../schemas/log/events.ts"
import { framesOf, type LiveView, type ViewEvent } from "../live/live-view.ts"
import { logEventOf } from "../live/fold-events.ts"
import type { MakeView } from "../live/view-start.ts"
import { PartsProjection } from "../parts/parts.ts"
import type { Frame } from "../sdk.ts"

/** An event of opencode's bus. */
interface BusEvent {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

export const partsView: MakeView = ({ sessionId }) => new PartsView(sessionId)

class PartsView implements LiveView {
  readonly #sessionID: string
  readonly #projection: PartsProjection

  constructor(sessionId: string) {
    this.#sessionID = sessionId
    this.#projection = new PartsProjection(sessionId)
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    const logged = logEventOf(event)
    if (logged === null) return []
    this.#projection.apply(logged)
    const frames = framesOf(logged.seq, this.#changes(logged.seq, logged.at))
    // What is final is held no longer.
    if (isTurnResult(logged) || logged.name === EventNames.callFinished) this.#projection.dropFlushed(logged.seq)
    return frames
  }

  opened(): ReadonlyArray<Frame> {
    return framesOf(null, [{ type: "server.connected", properties: {} } satisfies BusEvent])
  }

  heartbeat(): Frame {
    return { id: null, data: JSON.stringify({ type: "server.heartbeat", properties: {} } satisfies BusEvent) }
  }

  /** What the event `seq` changed of the messages. */
  #changes(seq: number, time: number): ReadonlyArray<BusEvent> {
    const sessionID = this.#sessionID
    return this.#projection
      .changedSince(seq)
      .flatMap(({ info, infoSeq, parts }): ReadonlyArray<BusEvent> => [
        ...(infoSeq >= seq ? [{ type: "message.updated", properties: { sessionID, info } }] : []),
        ...parts.flatMap(({ part, seq: changed }) =>
          changed >= seq ? [{ type: "message.part.updated", properties: { sessionID, part, time } }] : [],
        ),
      ])
  }
}
