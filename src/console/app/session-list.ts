// The tenant's sessions, the newest first, in pages; refreshed every few seconds while the page is visible.
// Invariant: the list stays visible during a refresh and after an error.
import { signal } from "@preact/signals"
import type { Page, Session } from "../../client/api/session-shapes.ts"
import { messageOf, type Server } from "./server.ts"

const PAGE = 50
const REFRESH_MS = 4000
/** After about this time, the server's list contains a change of a session. */
const SOON_MS = 1200

export class SessionList {
  readonly #server: Server
  readonly sessions = signal<ReadonlyArray<Session>>([])
  readonly error = signal<string | null>(null)
  readonly isLoading = signal(true)
  /** Null when there are no more pages. */
  readonly cursor = signal<string | null>(null)
  /** Words to search for in the title, first prompt, id, model or state of sessions. */
  readonly search = signal("")
  #timer: ReturnType<typeof setInterval> | undefined
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor(server: Server) {
    this.#server = server
  }

  /** Starts the refresh timer. The caller reads the list for the first time with `refreshSoon`. */
  open(): void {
    this.#timer = setInterval(() => document.visibilityState === "visible" && void this.refresh(), REFRESH_MS)
  }

  close(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
  }

  /** Refreshes the list now, and again when it should contain what was just created. */
  refreshSoon(): void {
    void this.refresh()
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.refresh(), SOON_MS)
  }

  /** Reads the newest page again; older pages that were loaded stay. */
  async refresh(): Promise<void> {
    try {
      const { data, next_cursor } = await this.#page(undefined)
      const ids = new Set(data.map(({ id }) => id))
      const last = next_cursor === null ? "" : (data.at(-1)?.created_at ?? "")
      const older = this.sessions.value.filter(({ id, created_at }) => !ids.has(id) && created_at <= last)
      this.sessions.value = [...data, ...older]
      if (older.length === 0) this.cursor.value = next_cursor
      this.error.value = null
    } catch (error) {
      this.error.value = messageOf(error)
    } finally {
      this.isLoading.value = false
    }
  }

  async more(): Promise<void> {
    const { value } = this.cursor
    if (value === null || this.isLoading.value) return
    this.isLoading.value = true
    try {
      const { data, next_cursor } = await this.#page(value)
      const ids = new Set(data.map(({ id }) => id))
      this.sessions.value = [...this.sessions.value.filter(({ id }) => !ids.has(id)), ...data]
      this.cursor.value = next_cursor
    } catch (error) {
      this.error.value = messageOf(error)
    } finally {
      this.isLoading.value = false
    }
  }

  #page(cursor: string | undefined): Promise<Page<Session>> {
    return this.#server.transport.json("GET", "/v1/sessions", { query: { limit: PAGE, order: "desc", cursor } })
  }
}
