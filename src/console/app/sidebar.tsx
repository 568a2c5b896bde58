// The sidebar: search, the sessions, the other pages, the theme and the sign-out.
import { useComputed } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import type { Session } from "../../client/api/session-shapes.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { StateBadge } from "../kit/state-badge.tsx"
import { relativeTime, usd } from "../kit/format.ts"
import { useLimit } from "../kit/list/use-limit.ts"
import { keepFocus } from "./keep-focus.ts"
import { hashOf, place } from "./router.ts"
import { messageOf, signedIn } from "./server.ts"
import { SessionList } from "./session-list.ts"
import { sessionTitle } from "./session-title.ts"
import { openSession } from "./session-view.tsx"
import { SignOut } from "./sign-out/sign-out.tsx"
import { chooseTheme, theme, type Theme } from "./theme.ts"

const matches = ({ id, title, first_prompt, model, state }: Session, words: ReadonlyArray<string>): boolean => {
  const text = `${title ?? ""} ${first_prompt ?? ""} ${id} ${model} ${state}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

export const Sidebar = ({ onClose }: { readonly onClose: () => void }) => {
  const list = useMemo(() => new SessionList(signedIn().transport, messageOf), [])
  useEffect(() => {
    list.open(() => document.visibilityState === "visible")
    return () => list.close()
  }, [list])
  const session = place.value.page === "session" ? place.value.id : null
  useEffect(() => list.refreshSoon(), [list, session])
  const shown = useComputed(() => {
    const words = list.search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "")
    return list.sessions.value.filter((session) => matches(session, words))
  })
  return (
    <aside class="sidebar" aria-label="Sessions">
      <header>
        <a class="brand" href="#/">
          Perch
        </a>
        <button class="close" onClick={onClose}>
          Close
        </button>
      </header>
      <a class="button primary" href="#/" aria-current={place.value.page === "new" ? "page" : undefined}>
        New session
      </a>
      <input
        type="search"
        placeholder="Search sessions"
        aria-label="Search sessions"
        value={list.search.value}
        onInput={(event) => (list.search.value = event.currentTarget.value)}
      />
      <ErrorText unread="The sessions" error={list.error.value} />
      <SessionNav list={list} shown={shown.value} current={session} />
      <SidebarFooter />
    </aside>
  )
}

const ROWS_A_TASK = 100

/** Rows by session: of hundreds of loaded sessions, those that were not read again are not rendered again. */
const rows = new WeakMap<Session, VNode>()

const otherRow = (session: Session): VNode => {
  const row = rows.get(session) ?? <SessionRow key={session.id} session={session} isCurrent={false} />
  rows.set(session, row)
  return row
}

interface SessionNavProps {
  readonly list: SessionList
  /** Those of the sessions loaded so far that match the search; all of them without a search. */
  readonly shown: ReadonlyArray<Session>
  /** The id of the session whose page is shown. */
  readonly current: string | null
}

const SessionNav = ({ list, shown, current }: SessionNavProps) => (
  <nav class="session-list" aria-label="Sessions" aria-busy={list.isLoading.value}>
    <ul>
      {shown
        .slice(0, useLimit(shown.length, ROWS_A_TASK))
        .map((session) =>
          session.id === current ? <SessionRow key={session.id} session={session} isCurrent /> : otherRow(session),
        )}
    </ul>
    {shown.length === 0 && !list.isLoading.value && list.error.value === null ? (
      <p class="empty">
        {list.search.value.trim() === ""
          ? "No sessions yet."
          : list.cursor.value === null
            ? "No session matches the search."
            : "None of the loaded sessions matches. Load older ones to search them too."}
      </p>
    ) : null}
    {list.cursor.value === null ? null : (
      <button
        onClick={({ currentTarget: { parentElement: nav } }) => {
          const restoreFocus = keepFocus(() => nav?.querySelector("li:last-child a"))
          void list.more().finally(restoreFocus)
        }}
        disabled={list.isLoading.value}
      >
        {list.isLoading.value ? "Loading…" : "Older sessions"}
      </button>
    )}
  </nav>
)

const SidebarFooter = () => (
  <footer>
    <nav aria-label="Pages">
      <PageLink page="costs">Costs</PageLink>
      <PageLink page="recordings">Recordings</PageLink>
      <PageLink page="hooks">Hooks</PageLink>
      {signedIn().tenant === "root" ? <PageLink page="tenants">Tenants</PageLink> : null}
      <a href="/docs">Docs</a>
    </nav>
    <label>
      Theme
      <select
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme) /* its options' values */}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
    <SignOut />
  </footer>
)

interface PageLinkProps {
  readonly page: "costs" | "recordings" | "hooks" | "tenants"
  readonly children: string
}

const PageLink = ({ page, children }: PageLinkProps) => (
  <a href={`#/${page}`} aria-current={place.value.page === page ? "page" : undefined}>
    {children}
  </a>
)

interface SessionRowProps {
  readonly session: Session
  readonly isCurrent: boolean
}

const SessionRow = ({ session, isCurrent }: SessionRowProps) => {
  const store = isCurrent && openSession.value?.connection.value === "live" ? openSession.value : null
  return (
    <li>
      <a
        href={hashOf({ page: "session", id: session.id, screen: "chat" })}
        aria-current={isCurrent ? "page" : undefined}
      >
        <span class={session.title === null ? "title soft" : "title"}>{sessionTitle(session)}</span>
        <span class="facts">
          <StateBadge state={store?.state.value ?? session.state} />
          <span>{usd(store?.session.value?.total_cost_usd ?? session.total_cost_usd)}</span>
          <time dateTime={session.updated_at}>{relativeTime(session.updated_at)}</time>
        </span>
      </a>
    </li>
  )
}
