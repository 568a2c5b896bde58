// The current place in the console, as the fragment of its address, which is never sent to the server: `#/sessions/{id}/files`,
// `#/sessions/{id}/time/{seq}`.
import { signal } from "@preact/signals"
import { hashOfHooks, type HooksPlace, hooksPlaceOf } from "./hooks-place.ts"
import { sessionIdOf } from "./session-id.ts"

export type SessionScreen = "chat" | "files" | "time" | "events" | "costs"

export type Place =
  | { readonly page: "new" }
  | { readonly page: "costs" | "tenants" | "recordings" }
  | HooksPlace
  | { readonly page: "session"; readonly id: string; readonly screen: SessionScreen; readonly at?: number }

const SCREENS: ReadonlyArray<SessionScreen> = ["chat", "files", "time", "events", "costs"]
const PAGES = ["costs", "tenants", "recordings"] as const

/** Parses a fragment; anything unknown selects the page for a new session. */
export const placeOf = (hash: string): Place => {
  const [first, id, name, at] = hash.replace(/^#?\/?/, "").split("/")
  const page = PAGES.find((name) => name === first)
  if (page !== undefined) return { page }
  if (first === "hooks") return hooksPlaceOf(id, name)
  const session = sessionIdOf(id ?? "")
  if (first !== "sessions" || session === null) return { page: "new" }
  const screen = SCREENS.find((known) => known === name) ?? "chat"
  const isPlaced = screen === "time" && at !== undefined && /^[1-9]\d{0,11}$/.test(at)
  return { page: "session", id: session, screen, ...(isPlaced ? { at: Number(at) } : {}) }
}

export const hashOf = (place: Place): string => {
  if (place.page === "new") return "#/"
  if (place.page === "hooks") return hashOfHooks(place)
  if (place.page !== "session") return `#/${place.page}`
  const { id, screen, at } = place
  return `#/sessions/${id}${screen === "chat" ? "" : `/${screen}`}${at === undefined ? "" : `/${at}`}`
}

export const place = signal<Place>(placeOf(location.hash))

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash)
})

/** Changes the address without adding an entry to the browser's history. */
export const replacePlace = (to: Place): void => {
  history.replaceState(null, "", hashOf(to))
  place.value = to
}

export const go = (to: Place): void => {
  location.hash = hashOf(to)
}
