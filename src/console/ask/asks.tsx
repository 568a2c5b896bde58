// What waits for an answer: permissions, questions, plans and calls of the client's own tools.
import type { SessionStore } from "../store/session-store.ts"

export const Asks = ({ store }: { readonly store: SessionStore }) =>
  store.asks.value.length === 0 ? null : (
    <section class="asks" aria-label="Waiting for you">
      {store.asks.value.map((ask) => (
        <article key={ask.request_id} class="ask">
          {ask.tool_name}
        </article>
      ))}
    </section>
  )
