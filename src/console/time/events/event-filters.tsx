// The filters of the raw events: a name or a pattern, a turn, and the order.
import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { wait } from "../../../client/api/transport.ts"
import { count } from "../../kit/format.ts"
import type { Mark } from "../past/marks.ts"
import type { EventList } from "./event-list.ts"
import type { Order } from "./event-window.ts"
import { patternFault } from "./pattern.ts"

interface EventFiltersProps {
  readonly list: EventList
  readonly marks: ReadonlyArray<Mark>
  readonly fault: Signal<string | null>
}

const SETTLE_MS = 300

export const EventFilters = ({ list, marks, fault }: EventFiltersProps) => {
  const text = useSignal(list.filter.value.name)
  const typed = text.value.trim()
  useEffect(() => {
    fault.value = patternFault(typed)
    if (fault.value !== null || typed === list.filter.value.name) return undefined
    const stop = new AbortController()
    wait(SETTLE_MS, stop.signal).then(
      () => list.open({ ...list.filter.value, name: typed }),
      () => undefined,
    )
    return () => stop.abort()
  }, [list, typed])
  const { turn, order } = list.filter.value
  const chooseTurn = (id: string) => {
    const mark = marks.find((one) => one.turn === id) ?? null
    // The events of a turn are read from its beginning.
    list.open({ ...list.filter.value, turn: mark, order: mark === null ? order : "asc" })
  }
  return (
    <div class="event-filters" role="search">
      <label>
        Name or pattern
        <input
          type="search"
          spellcheck={false}
          autocomplete="off"
          placeholder="sdk:** or hook:*"
          value={text.value}
          aria-invalid={fault.value !== null}
          aria-describedby="event-pattern-fault"
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </label>
      <label>
        Turn
        <select value={turn?.turn ?? ""} onChange={({ currentTarget }) => chooseTurn(currentTarget.value)}>
          <option value="">All</option>
          {marks.map((mark, index) => (
            <option key={mark.turn} value={mark.turn}>
              {index + 1}. {mark.text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Order
        <select
          value={order}
          disabled={turn !== null}
          onChange={({ currentTarget }) => {
            const next: Order = currentTarget.value === "asc" ? "asc" : "desc"
            list.open({ ...list.filter.value, order: next })
          }}
        >
          <option value="desc">Newest first</option>
          <option value="asc">Oldest first</option>
        </select>
      </label>
      <span class="facts" role="status">
        {list.isLive.value ? <span class="connection live">live</span> : null}
        <Shown list={list} />
      </span>
      <p id="event-pattern-fault" class="error" role="alert">
        {fault.value}
      </p>
    </div>
  )
}

/** A component of its own, so that an event that is added does not render the options of all turns. */
const Shown = ({ list }: Pick<EventFiltersProps, "list">) => <>{count(list.events.value.length)} shown</>
