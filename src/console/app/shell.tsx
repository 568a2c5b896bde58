// The signed-in page: a sidebar with the sessions, and the screen that the address selects.
// At phone width the sidebar covers the page and a button opens it.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Lazy } from "../kit/lazy.tsx"
import { place } from "./router.ts"
import { SessionView } from "./session-view.tsx"
import { Sidebar } from "./sidebar.tsx"

export const Shell = () => {
  const isOpen = useSignal(false)
  const { value } = place
  // Any choice in the sidebar closes it.
  useEffect(() => {
    isOpen.value = false
  }, [value])
  return (
    <div class={isOpen.value ? "shell sidebar-open" : "shell"}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Sidebar onClose={() => (isOpen.value = false)} />
      <main id="main" tabIndex={-1}>
        <button
          class="sidebar-toggle"
          aria-label="Sessions"
          title="Sessions"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          ☰
        </button>
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

const Screen = () => {
  const { value } = place
  switch (value.page) {
    case "session":
      return <SessionView key={value.id} id={value.id} screen={value.screen} />
    case "new":
      return (
        <Lazy
          key="new-session"
          load={() => import("../compose/new-session.tsx").then((module) => module.NewSession)}
          props={{}}
        />
      )
    case "costs":
      return (
        <Lazy
          key="tenant-costs"
          load={() => import("../money/tenant-costs.tsx").then((module) => module.TenantCosts)}
          props={{}}
        />
      )
    case "tenants":
      return <Lazy key="tenants" load={() => import("./tenants.tsx").then((module) => module.Tenants)} props={{}} />
    case "recordings":
      return (
        <Lazy
          key="recordings"
          load={() => import("../time/recordings.tsx").then((module) => module.Recordings)}
          props={{}}
        />
      )
    case "hooks":
      return <Lazy key="hooks" load={() => import("../hooks/hooks.tsx").then((module) => module.Hooks)} props={{}} />
  }
}
