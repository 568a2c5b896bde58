// The raw events of a session that match a filter: read in pages, and followed live while the list reaches the end of the log.
// Invariant: an event is in the list once, in the order of the list. The list has no gap: it is not followed once its end that
// reaches the log's end was dropped, and pages continue from its last event.
import { batch, computed, signal } from "@preact/signals"
import { readEventStream } from "../../../client/api/event-stream.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import { messageOf, type Server } from "../../app/server.ts"
import type { Mark, RawEvent } from "../past/marks.ts"
import { MAX_SHOWN, type Order, withLater, withNewest } from "./event-window.ts"
import { eventOfSignal, isSignal } from "./signal-event.ts"

export interface EventFilter {
  /** A name or a pattern; empty for all. */
  readonly name: string
  /** Null for all turns. */
  readonly turn: Mark | null
  readonly order: Order
}

interface EventPage {
  readonly events: ReadonlyArray<RawEvent>
  readonly has_more: boolean
  readonly next_after: number | null
  readonly last_seq: number
}

const PAGE = 100

export class EventList {
  readonly #server: Server
  readonly #id: string
  readonly filter = signal<EventFilter>({ name: "", turn: null, order: "desc" })
  readonly events = signal<ReadonlyArray<RawEvent>>([])
  readonly isEmpty = computed(() => this.events.value.length === 0)
  readonly isLoading = signal(false)
  readonly isLive = signal(false)
  readonly error = signal<string | null>(null)
  /** The position of the next page; undefined before the first page, null after the last one. */
  readonly #next = signal<number | null | undefined>(undefined)
  readonly hasMore = computed(() => this.#next.value !== null)
  /** Whether the events at the beginning of the list were dropped. */
  readonly isCut = signal(false)
  #stop: AbortController | null = null
  #following: AbortController | null = null
  /** Whether the error is that of a page. */
  #hasPageFailed = false

  constructor(server: Server, id: string) {
    this.#server = server
    this.#id = id
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
    this.#unfollow()
  }

  #unfollow(): void {
    this.#following?.abort()
    this.#following = null
    this.isLive.value = false
  }

  /** Reads the first page for a filter, and follows the log from there. */
  open(filter: EventFilter): void {
    this.close()
    this.#stop = new AbortController()
    batch(() => {
      this.filter.value = filter
      this.events.value = []
      this.#next.value = undefined
      this.error.value = null
      this.isLoading.value = false
      this.isCut.value = false
    })
    void this.#begin(this.#stop.signal)
  }

  async #begin(stop: AbortSignal): Promise<void> {
    const last = await this.#read(stop)
    // With the oldest first, new events belong after pages that are not read yet, so they are not followed.
    if (last === null || this.filter.value.order === "asc") return
    await this.#follow(last, stop)
  }

  /** Call it after an error: keeps the events if only a page is missing. */
  retry(): void {
    if (this.#hasPageFailed && this.events.value.length > 0) void this.more()
    else this.open(this.filter.value)
  }

  async more(): Promise<void> {
    const { value: filter } = this.filter
    const stop = this.#stop?.signal
    if (stop === undefined || this.isLoading.value || !this.hasMore.value) return
    const last = await this.#read(stop)
    if (last === null || filter.order === "desc" || this.hasMore.value) return
    await this.#follow(Math.max(last, this.events.value.at(-1)?.seq ?? 0), stop)
  }

  /** Reads a page; returns the log's last seq at that time, or null after an error. */
  async #read(stop: AbortSignal): Promise<number | null> {
    const { name, turn, order } = this.filter.value
    this.isLoading.value = true
    this.error.value = null
    this.#hasPageFailed = false
    try {
      const first = order === "asc" && turn !== null ? turn.seq - 1 : undefined
      const query = { limit: PAGE, order, name: name === "" ? undefined : name, after: this.#next.value ?? first }
      const path = sessionPath(this.#id, "/events")
      const page = await this.#server.transport.json<EventPage>("GET", path, { query, signal: stop })
      const isPastTurn = order === "desc" && turn !== null && page.events.some(({ seq }) => seq < turn.seq)
      batch(() => {
        this.#addLater(page.events)
        this.#next.value = isPastTurn || (order === "asc" && !page.has_more) ? null : page.next_after
      })
      return page.last_seq
    } catch (error) {
      if (stop.aborted) return null
      this.error.value = messageOf(error)
      this.#hasPageFailed = true
      return null
    } finally {
      if (!stop.aborted) this.isLoading.value = false
    }
  }

  #isOfTurn({ turn: of }: RawEvent): boolean {
    const { turn } = this.filter.value
    return turn === null || of === turn.turn
  }

  #addLater(added: ReadonlyArray<RawEvent>): void {
    const { order } = this.filter.value
    const fresh = added.filter((event) => this.#isOfTurn(event))
    if (fresh.length === 0) return
    const { events, isCut } = withLater(this.events.value, fresh, order)
    this.events.value = events
    if (!isCut) return
    this.isCut.value = true
    // New events belong before the ones that were dropped.
    if (order === "desc") this.#unfollow()
  }

  #addNewest(event: RawEvent): void {
    if (!this.#isOfTurn(event)) return
    // A page that is being read continues from the last event, so that is kept.
    const most = this.isLoading.value ? Number.POSITIVE_INFINITY : MAX_SHOWN
    const { events, isCut } = withNewest(this.events.value, event, most)
    this.events.value = events
    if (isCut) this.#next.value = events.at(-1)?.seq
  }

  async #follow(after: number, opened: AbortSignal): Promise<void> {
    const { name, order } = this.filter.value
    const following = new AbortController()
    this.#following = following
    const stop = AbortSignal.any([opened, following.signal])
    const path = sessionPath(this.#id, "/events/stream")
    const connect = async (last: number | undefined, signal: AbortSignal): Promise<Response> => {
      const query = { format: "signal", after: last ?? after, name: name === "" ? undefined : name }
      try {
        const response = await this.#server.transport.send("GET", path, { query, signal, repeat: "never" })
        if (!stop.aborted) this.isLive.value = true
        return response
      } catch (error) {
        if (!stop.aborted) this.isLive.value = false
        throw error
      }
    }
    try {
      const attempts = Number.POSITIVE_INFINITY
      for await (const { id, message } of readEventStream<unknown>({ connect, signal: stop, after, attempts })) {
        if (id === undefined || !isSignal(message)) continue
        const event = eventOfSignal(id, message)
        batch(() => (order === "desc" ? this.#addNewest(event) : this.#addLater([event])))
      }
    } catch (error) {
      if (stop.aborted) return
      this.isLive.value = false
      this.error.value = messageOf(error)
      this.#hasPageFailed = false
    }
  }
}
