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
  /** An address of no page, as the user entered it. */
  | { readonly page: "missing"; readonly hash: string }

const SCREENS: ReadonlyArray<SessionScreen> = ["chat", "files", "time", "events", "costs"]
const PAGES = ["costs", "tenants", "recordings"] as const

/** Parses a fragment. A sign-in code is no place, and is never shown: the console starts at its first page. */
const placeOf = (hash: string): Place => {
  if (hash.startsWith("#signin=")) return { page: "new" }
  const [first, ...rest] = hash
    .replace(/^#?\/?/, "")
    .replace(/\/$/, "")
    .split("/")
  return knownPlace(first ?? "", rest) ?? { page: "missing", hash }
}

const knownPlace = (first: string, rest: ReadonlyArray<string>): Place | null => {
  if (first === "hooks") return hooksPlaceOf(rest)
  if (first === "sessions") return sessionPlaceOf(rest)
  if (rest.length > 0) return null
  const page = PAGES.find((name) => name === first)
  return first === "" ? { page: "new" } : page === undefined ? null : { page }
}

/** `{id}`, `{id}/{screen}` or `{id}/time/{seq}`. */
const sessionPlaceOf = ([text = "", name = "chat", at, ...rest]: ReadonlyArray<string>): Place | null => {
  const id = sessionIdOf(text)
  const screen = SCREENS.find((known) => known === name)
  if (id === null || screen === undefined || rest.length > 0) return null
  if (at === undefined) return { page: "session", id, screen }
  return screen === "time" && /^[1-9]\d{0,11}$/.test(at) ? { page: "session", id, screen, at: Number(at) } : null
}

export const hashOf = (place: Place): string => {
  if (place.page === "new") return "#/"
  if (place.page === "missing") return place.hash
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
