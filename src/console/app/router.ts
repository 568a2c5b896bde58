// The place in the console, as the fragment of its address: `#/sessions/{id}/files`. The server never sees it.
import { signal } from "@preact/signals"

export type SessionScreen = "chat" | "files" | "time" | "events" | "costs"

export type Place =
  | { readonly page: "new" }
  | { readonly page: "costs" | "tenants" | "recordings" }
  | { readonly page: "session"; readonly id: string; readonly screen: SessionScreen }

const SCREENS: ReadonlyArray<SessionScreen> = ["chat", "files", "time", "events", "costs"]
const PAGES = ["costs", "tenants", "recordings"] as const

/** Reads a fragment; what it does not know is the page for a new session. */
export const placeOf = (hash: string): Place => {
  const [first, id, screen] = hash.replace(/^#?\/?/, "").split("/")
  const page = PAGES.find((name) => name === first)
  if (page !== undefined) return { page }
  if (first !== "sessions" || id === undefined || !/^[0-9a-f-]{36}$/.test(id)) return { page: "new" }
  return { page: "session", id, screen: SCREENS.find((name) => name === screen) ?? "chat" }
}

export const hashOf = (place: Place): string => {
  if (place.page === "new") return "#/"
  if (place.page !== "session") return `#/${place.page}`
  return `#/sessions/${place.id}${place.screen === "chat" ? "" : `/${place.screen}`}`
}

export const place = signal<Place>(placeOf(location.hash))

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash)
})

export const go = (to: Place): void => {
  location.hash = hashOf(to)
}
