// The places of the page "Hooks": `#/hooks`, `#/hooks/events/{session}`, `#/hooks/dead`, `#/hooks/webhooks`.
import { sessionIdOf } from "./session-id.ts"

export type HooksTab = "events" | "dead" | "webhooks"

export interface HooksPlace {
  readonly page: "hooks"
  readonly tab: HooksTab
  /** The session whose hook events are listed; all sessions if it is not set. */
  readonly session?: string
}

/** Parses the part of an address after `hooks/`; anything unknown selects the list of all hook events. */
export const hooksPlaceOf = (tab: string | undefined, session: string | undefined): HooksPlace => {
  if (tab === "dead" || tab === "webhooks") return { page: "hooks", tab }
  const id = tab === "events" && session !== undefined ? sessionIdOf(session) : null
  return { page: "hooks", tab: "events", ...(id === null ? {} : { session: id }) }
}

export const hashOfHooks = ({ tab, session }: HooksPlace): string => {
  if (tab !== "events") return `#/hooks/${tab}`
  return session === undefined ? "#/hooks" : `#/hooks/events/${session}`
}
