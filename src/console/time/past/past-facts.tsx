// The facts about the place next to the conversation: its event, the costs so far, and the todos.
import { usd } from "../../kit/format.ts"
import { TODO_MARKS } from "../../kit/todo-marks.ts"
import { hashOf } from "../../app/router.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { PastFiles } from "./past-files.tsx"
import type { Past } from "./past.ts"

interface PastFactsProps {
  readonly store: SessionStore
  readonly past: Past
  readonly place: number | null
}

const TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" })

export const PastFacts = ({ store, past, place }: PastFactsProps) => {
  const isNow = place === null
  const event = isNow ? null : past.event.value
  const total = isNow ? store.session.value?.total_cost_usd : past.cost.value?.total_cost_usd
  const todos = isNow ? store.todos.value : past.todos.value
  return (
    <aside class="past-facts" aria-label="Facts of this place">
      <dl>
        {event === null ? null : (
          <>
            <dt>Event</dt>
            <dd>
              <a href={hashOf({ page: "session", id: store.id, screen: "events" })}>
                {event.seq} <code>{event.name}</code>
              </a>
            </dd>
            <dt>Time</dt>
            <dd>
              <time dateTime={new Date(event.at).toISOString()}>{TIME.format(event.at)}</time>
            </dd>
          </>
        )}
        <dt>Cost so far</dt>
        <dd>{total === undefined ? "…" : usd(total)}</dd>
      </dl>
      <h3>Todos</h3>
      {todos === null ? <p class="hint">…</p> : todos.length === 0 ? <p class="hint">None.</p> : null}
      <ul class="past-todos">
        {todos?.map(({ id, content, status }) => (
          <li key={id} class={status}>
            <span aria-hidden="true">{TODO_MARKS[status]}</span> {content}{" "}
            <span class="visually-hidden">{status.replace("_", " ")}</span>
          </li>
        ))}
      </ul>
      <PastFiles store={store} place={isNow ? null : past.requested.value} />
    </aside>
  )
}
