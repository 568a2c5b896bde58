// The tenant's sessions, the newest first, in pages. Every few seconds, while the page is visible, the newest page and one of the
// older pages that were loaded are read again.
// Invariant: the list stays visible during a refresh and after an error, and a refresh leaves no gap between two pages.
import { batch, signal } from "@preact/signals"
import type { Page, Session } from "../../client/api/session-shapes.ts"
import type { Transport } from "../../client/api/transport.ts"

const PAGE = 50
const REFRESH_MS = 4000
/** After about this time, the server's list contains a change of a session. */
const SOON_MS = 1200

/** The end of a page: the page after it starts at this cursor, with the sessions that are older than `last`. */
interface PageEnd {
  readonly cursor: string
  readonly last: Session
}

export class SessionList {
  readonly #transport: Pick<Transport, "json">
  readonly #messageOf: (error: unknown) => string
  readonly sessions = signal<ReadonlyArray<Session>>([])
  readonly error = signal<string | null>(null)
  readonly isLoading = signal(true)
  /** Null when there are no more pages. */
  readonly cursor = signal<string | null>(null)
  /** Words to search for in the title, first prompt, id, model or state of sessions. */
  readonly search = signal("")
  #timer: ReturnType<typeof setInterval> | undefined
  #soon: ReturnType<typeof setTimeout> | undefined
  #refresh: Promise<void> | null = null
  #isStale = false
  /** Where the older page begins that the next refresh reads; null: behind the newest page. */
  #older: PageEnd | null = null

  constructor(transport: Pick<Transport, "json">, messageOf: (error: unknown) => string) {
    this.#transport = transport
    this.#messageOf = messageOf
  }

  /** Starts the refresh timer. The caller reads the list for the first time with `refreshSoon`. */
  open(isVisible: () => boolean): void {
    this.#timer = setInterval(() => isVisible() && void this.refresh(), REFRESH_MS)
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

  /** Reads the newest page again, and one older page. During a refresh, it starts another one after that. */
  refresh(): Promise<void> {
    this.#isStale = true
    this.#refresh ??= this.#whileStale().finally(() => {
      this.#refresh = null
    })
    return this.#refresh
  }

  async #whileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      try {
        const newest = this.#put(await this.#page(undefined), null)
        const from = this.#older ?? newest
        if (from !== null) this.#older = this.#put(await this.#page(from.cursor), from.last)
        this.error.value = null
      } catch (error) {
        this.error.value = this.#messageOf(error)
      } finally {
        this.isLoading.value = false
      }
    }
  }

  async more(): Promise<void> {
    const { value } = this.cursor
    if (value === null || this.isLoading.value) return
    this.isLoading.value = true
    try {
      const last = this.sessions.value.at(-1) ?? null
      this.#put(await this.#page(value), last)
    } catch (error) {
      this.error.value = this.#messageOf(error)
    } finally {
      this.isLoading.value = false
    }
  }

  /** Replaces the sessions behind `after` up to the page's last one. Returns the page's end if older sessions are loaded. */
  #put({ data, next_cursor }: Page<Session>, after: Session | null): PageEnd | null {
    const last = next_cursor === null ? undefined : data.at(-1)
    const fresh = new Set(data.map(({ id }) => id))
    const isNewer = (one: Session) => after !== null && byAge(one, after) <= 0
    const isOlder = (one: Session) => last !== undefined && byAge(one, last) > 0
    const others = this.sessions.value.filter((one) => !fresh.has(one.id) && (isNewer(one) || isOlder(one)))
    const isLoadedEnd = !others.some(isOlder)
    batch(() => {
      this.sessions.value = [...others, ...data].toSorted(byAge)
      if (isLoadedEnd) this.cursor.value = next_cursor
    })
    return isLoadedEnd || next_cursor === null || last === undefined ? null : { cursor: next_cursor, last }
  }

  #page(cursor: string | undefined): Promise<Page<Session>> {
    return this.#transport.json("GET", "/v1/sessions", { query: { limit: PAGE, order: "desc", cursor } })
  }
}

/** The newest first, as the server orders them. */
const byAge = (one: Session, other: Session): number => {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1
}
