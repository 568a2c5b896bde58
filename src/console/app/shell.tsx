// The signed-in page: a sidebar with the sessions, and the screen that the address selects.
// At phone width the sidebar covers the page and a button opens it.
// Invariant: the focused element is never covered: the focus moves into the open sidebar, and back to the button.
import { useSignal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"
import { lazy } from "../kit/lazy.tsx"
import { shorten } from "../kit/text/cut-text.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import { DelayNotice } from "../network/delay-notice.tsx"
import { usePageTitle } from "./page-title.ts"
import { type Place, place } from "./router.ts"
import { SessionView } from "./session-view.tsx"
import { Sidebar } from "./sidebar.tsx"

/** The titles of the pages; that of a session is its own. */
const TITLES: Readonly<Record<Exclude<Place["page"], "session">, string>> = {
  new: "New session",
  costs: "Costs",
  tenants: "Tenants",
  recordings: "Recordings",
  hooks: "Hooks",
  missing: "Page not found",
}

export const Shell = () => {
  const isOpen = useSignal(false)
  const shell = useRef<HTMLDivElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const { value } = place
  usePageTitle(value.page === "session" ? null : TITLES[value.page])
  // Any choice in the sidebar closes it. Layout effects: one that runs after the paint could undo what the user did meanwhile.
  useLayoutEffect(() => {
    isOpen.value = false
  }, [value])
  const open = isOpen.value
  useLayoutEffect(() => {
    if (open) shell.current?.querySelector<HTMLElement>(".sidebar .close")?.focus()
  }, [open])
  const close = () => {
    isOpen.value = false
    toggle.current?.focus()
  }
  return (
    <div
      ref={shell}
      class={open ? "shell sidebar-open" : "shell"}
      onKeyDown={(event) => {
        if (open && event.key === "Escape" && !event.defaultPrevented) close()
      }}
    >
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Sidebar onClose={close} />
      <main id="main" tabIndex={-1} onFocusIn={() => (isOpen.value = false)}>
        <button
          ref={toggle}
          class="sidebar-toggle"
          aria-label="Sessions"
          title="Sessions"
          aria-expanded={open}
          onClick={() => (isOpen.value = true)}
        >
          ☰
        </button>
        <DelayNotice />
        <Screen />
      </main>
    </div>
  )
}

/** The fragment of the address is used for routing, so the skip link moves the focus with code. */
const skip = (event: Event) => {
  event.preventDefault()
  document.getElementById("main")?.focus()
}

const NewSession = lazy(() => import("../compose/new-session.tsx").then((module) => module.NewSession))
const TenantCosts = lazy(() => import("../money/tenant-costs.tsx").then((module) => module.TenantCosts))
const Tenants = lazy(() => import("../tenants/tenants.tsx").then((module) => module.Tenants))
const Recordings = lazy(() => import("../time/recordings.tsx").then((module) => module.Recordings))
const Hooks = lazy(() => import("../hooks/hooks.tsx").then((module) => module.Hooks))

const Screen = () => {
  const { value } = place
  switch (value.page) {
    case "session":
      return <SessionView key={value.id} id={value.id} screen={value.screen} />
    case "new":
      return <NewSession />
    case "costs":
      return <TenantCosts />
    case "tenants":
      return <Tenants />
    case "recordings":
      return <Recordings />
    case "hooks":
      return <Hooks />
    case "missing":
      return <Missing hash={value.hash} />
  }
}

const Missing = ({ hash }: { readonly hash: string }) => (
  <section class="missing">
    <h1>Page not found</h1>
    <p role="alert">
      The console has no page at <code>{visibleText(shorten(hash, 200))}</code>.
    </p>
    <p>
      <a href="#/">New session</a>
    </p>
  </section>
)
