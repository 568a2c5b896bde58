// The screen "Events" of a session: its raw log, in pages and live, filtered by a name pattern and by turn.
import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { keepFocus } from "../app/keep-focus.ts"
import { hashOf } from "../app/router.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { count } from "../kit/format.ts"
import type { SessionStore } from "../store/session-store.ts"
import { EventFilters } from "./events/event-filters.tsx"
import { EventList } from "./events/event-list.ts"
import { MAX_SHOWN } from "./events/event-window.ts"
import { EventRows } from "./events/event-rows.tsx"
import { MarksError } from "./past/marks-error.tsx"
import { Past } from "./past/past.ts"

export const Events = ({ store }: { readonly store: SessionStore }) => {
  const list = useMemo(() => new EventList(store.server, store.id), [store])
  const past = useMemo(() => new Past(store.server, store.id), [store])
  const isBusy = store.state.value !== "idle"
  useEffect(() => void past.readMarks(), [past, isBusy])
  useEffect(() => {
    list.open(list.filter.value)
    return () => list.close()
  }, [list])
  const fault = useSignal<string | null>(null)
  const marks = past.marks.value
  const { value: isEmpty } = list.isEmpty
  const { value: error } = list.error
  return (
    <section class="events" aria-label="Events">
      <EventFilters list={list} marks={marks} fault={fault} />
      <MarksError past={past} />
      <a href={hashOf({ page: "hooks", tab: "events", session: store.id })}>Hook events of this session</a>
      <ErrorText unread="The events" error={error} onRetry={() => list.retry()} />
      {list.isCut.value ? (
        <p class="hint">
          {`At most ${count(MAX_SHOWN)} events are shown at once. `}
          <button onClick={() => list.open(list.filter.value)}>
            {list.filter.value.order === "desc" ? "Newest events" : "First events"}
          </button>
        </p>
      ) : null}
      <EventRows session={store.id} list={list} marks={marks} />
      {isEmpty && !list.isLoading.value && error === null ? (
        <p class="empty">No event matches{list.hasMore.value ? " so far" : ""}.</p>
      ) : null}
      {list.isLoading.value ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null}
      {list.hasMore.value && (!isEmpty || !list.isLoading.value) ? (
        <button class="more" disabled={list.isLoading.value} onClick={() => void list.more().finally(keepFocus())}>
          {list.filter.value.order === "desc" ? "Older events" : "Later events"}
        </button>
      ) : null}
    </section>
  )
}
