// One session: its header, the tabs of its screens, and the screen that the address selects.
// The store exists as long as the session is shown, on any of its screens.
import { signal } from "@preact/signals"
import { useLayoutEffect, useMemo } from "preact/hooks"
import { lazy } from "../kit/lazy.tsx"
import { SessionStore } from "../store/session-store.ts"
import { hashOf, type SessionScreen } from "./router.ts"
import { signedIn } from "./server.ts"
import { SessionHeader } from "./session-header.tsx"

/** The store of the session that is shown, which is newer than the list of sessions; null on other pages. */
export const openSession = signal<SessionStore | null>(null)

const TABS: ReadonlyArray<readonly [SessionScreen, string]> = [
  ["chat", "Chat"],
  ["files", "Files"],
  ["time", "Time"],
  ["events", "Events"],
  ["costs", "Costs"],
]

export const SessionView = ({ id, screen }: { readonly id: string; readonly screen: SessionScreen }) => {
  const store = useMemo(() => new SessionStore(signedIn(), id), [id])
  // A layout effect, so that its requests are sent before the first paint.
  useLayoutEffect(() => {
    store.open()
    openSession.value = store
    const online = () => store.resume()
    window.addEventListener("online", online)
    return () => {
      window.removeEventListener("online", online)
      store.close()
      openSession.value = null
    }
  }, [store])
  // A session that could not be read has no screens; the header shows the reason.
  if (store.session.value === null && store.connection.value === "gone")
    return (
      <div class="session">
        <SessionHeader store={store} />
      </div>
    )
  return (
    <div class="session">
      <SessionHeader store={store} />
      <nav class="tabs" aria-label="Screens of the session">
        {TABS.map(([name, title]) => (
          <a
            key={name}
            href={hashOf({ page: "session", id, screen: name })}
            aria-current={name === screen ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <SessionScreenView store={store} screen={screen} />
    </div>
  )
}

const Chat = lazy(async () => {
  // The Markdown parser compiles its regular expressions in a separate task, before the rest of the chat is evaluated.
  await import("../chat/markdown/blocks.ts")
  return (await import("../chat/chat.tsx")).Chat
})
const Workspace = lazy(() => import("../workspace/workspace.tsx").then((module) => module.Workspace))
const Time = lazy(() => import("../time/time.tsx").then((module) => module.Time))
const Events = lazy(() => import("../time/events.tsx").then((module) => module.Events))
const SessionCosts = lazy(() => import("../money/session-costs.tsx").then((module) => module.SessionCosts))

const SessionScreenView = ({ store, screen }: { readonly store: SessionStore; readonly screen: SessionScreen }) => {
  switch (screen) {
    case "chat":
      return <Chat store={store} />
    case "files":
      return <Workspace store={store} />
    case "time":
      return <Time store={store} />
    case "events":
      return <Events store={store} />
    case "costs":
      return <SessionCosts store={store} />
  }
}
