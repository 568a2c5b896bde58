// The head of a session: its title, state, cost, and the state of its live connection.
import type { SessionStore } from "../store/session-store.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { StateBadge } from "../kit/state-badge.tsx"
import { usd } from "../kit/format.ts"
import { UnrevertBar } from "../time/revert/unrevert-bar.tsx"
import { usePageTitle } from "./page-title.ts"
import { shownTitle } from "./session-title.ts"

const CONNECTION = { connecting: "connecting…", live: "live", reconnecting: "reconnecting…", gone: "not connected" }

export const SessionHeader = ({ store }: { readonly store: SessionStore }) => {
  const session = store.session.value
  const error = store.error.value
  const title = shownTitle(store)
  usePageTitle(title, store.asks.value.length)
  return (
    <header class="session-header">
      <h1 title={title}>{title}</h1>
      <p class="facts">
        {session === null ? null : <StateBadge state={store.state.value} />}
        {session === null ? null : <span>{session.model}</span>}
        {session === null ? null : <span>{usd(session.total_cost_usd)}</span>}
        <span class={`connection ${store.connection.value}`} role="status">
          {CONNECTION[store.connection.value]}
        </span>
      </p>
      <ErrorText error={error} onRetry={() => store.again()} />
      <UnrevertBar store={store} />
    </header>
  )
}
