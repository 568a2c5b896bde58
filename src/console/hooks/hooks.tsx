// The page "Hooks": hook events of all sessions or of one, dead events (which could not be stored), and the tenant's webhooks.
import { type HooksTab, hashOfHooks } from "../app/hooks-place.ts"
import { place } from "../app/router.ts"
import { DeadEvents } from "./dead-events.tsx"
import { HookEvents } from "./hook-events.tsx"
import { Webhooks } from "./webhooks.tsx"

const TABS: ReadonlyArray<readonly [HooksTab, string]> = [
  ["events", "Hook events"],
  ["dead", "Dead events"],
  ["webhooks", "Webhooks"],
]

export const Hooks = () => {
  const { value } = place
  if (value.page !== "hooks") return null
  const { tab, session } = value
  return (
    <div class="hooks">
      <h1>Hooks</h1>
      <nav class="tabs" aria-label="Lists of the page">
        {TABS.map(([name, title]) => (
          <a
            key={name}
            href={hashOfHooks({ page: "hooks", tab: name })}
            aria-current={name === tab ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {tab === "events" ? <HookEvents session={session} /> : tab === "dead" ? <DeadEvents /> : <Webhooks />}
    </div>
  )
}
