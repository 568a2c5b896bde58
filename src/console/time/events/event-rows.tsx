// The rows of the raw events, in blocks of neighbours: the browser neither lays out nor paints a block outside the visible area,
// but finds its text.
// Invariant: an event that is added or dropped renders only its own block, however many events are shown.
import { useMemo } from "preact/hooks"
import type { Mark, RawEvent } from "../past/marks.ts"
import { blocksOf } from "./event-blocks.ts"
import type { EventList } from "./event-list.ts"
import { EventRow } from "./event-row.tsx"

/** The height of a closed row in pixels, as in time.css. */
const ROW = 31

interface EventRowsProps {
  readonly session: string
  readonly list: EventList
  readonly marks: ReadonlyArray<Mark>
}

export const EventRows = ({ session, list, marks }: EventRowsProps) => {
  const positions = useMemo(() => new Map(marks.map(({ turn }, index) => [turn, index + 1])), [marks])
  return (
    <div class="event-list" role="list" aria-busy={list.isLoading.value}>
      {blocksOf(list.events.value).map(({ key, events }) => (
        <EventBlock key={key} session={session} events={events} positions={positions} />
      ))}
    </div>
  )
}

interface EventBlockProps {
  readonly session: string
  readonly events: ReadonlyArray<RawEvent>
  /** The number of each turn, from 1. */
  readonly positions: ReadonlyMap<string, number>
}

const EventBlock = ({ session, events, positions }: EventBlockProps) =>
  useMemo(
    () => (
      <div
        class="event-block"
        role="presentation"
        style={{ containIntrinsicBlockSize: `auto ${events.length * ROW}px` }}
      >
        {events.map((event) => (
          <EventRow
            key={event.seq}
            session={session}
            event={event}
            turn={event.turn === null ? undefined : positions.get(event.turn)}
          />
        ))}
      </div>
    ),
    // Events are added and dropped only at the ends of the list.
    [session, positions, events.length, events[0]?.seq, events.at(-1)?.seq],
  )
