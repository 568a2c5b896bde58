// The places of the page "Hooks": `#/hooks`, `#/hooks/events/{session}`, `#/hooks/dead`, `#/hooks/webhooks`.
import { sessionIdOf } from "./session-id.ts"

export type HooksTab = "events" | "dead" | "webhooks"

export interface HooksPlace {
  readonly page: "hooks"
  readonly tab: HooksTab
  /** The session whose hook events are listed; all sessions if it is not set. */
  readonly session?: string
}

/** Parses the parts of an address after `hooks`; null if there is no such page. */
export const hooksPlaceOf = ([tab = "events", session, ...rest]: ReadonlyArray<string>): HooksPlace | null => {
  if (rest.length > 0) return null
  if (session === undefined)
    return tab === "events" || tab === "dead" || tab === "webhooks" ? { page: "hooks", tab } : null
  const id = tab === "events" ? sessionIdOf(session) : null
  return id === null ? null : { page: "hooks", tab: "events", session: id }
}

export const hashOfHooks = ({ tab, session }: HooksPlace): string => {
  if (tab !== "events") return `#/hooks/${tab}`
  return session === undefined ? "#/hooks" : `#/hooks/events/${session}`
}
