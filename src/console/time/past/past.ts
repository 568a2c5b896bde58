// A session as it was at a place of its log: conversation, todos, costs, and the event at that place.
// Invariant: if several places are requested in succession, the last one is shown; an error keeps the current content.
import { batch, signal } from "@preact/signals"
import { InvalidRequestError } from "../../../client/api/perch-error.ts"
import type { Todo } from "../../../client/api/session-shapes.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import { messageOf, type Server } from "../../app/server.ts"
import { Conversation } from "../../store/conversation.ts"
import type { MessageWithParts } from "../../store/frames.ts"
import { type Mark, markOf, type RawEvent } from "./marks.ts"

export interface PastCost {
  readonly total_cost_usd: number
  readonly requests: number
  readonly cache_hit_rate: number | null
}

interface MessagePage {
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly next_cursor: string | null
}

interface EventPage {
  readonly events: ReadonlyArray<RawEvent>
  readonly has_more: boolean
  readonly next_after: number | null
}

const PAGE = 500
/** Number of messages in a page; the first page has the newest messages of a place. */
const MESSAGES = 100

export class Past {
  readonly #server: Server
  readonly #id: string
  /** The place that is shown; null until the first place is loaded. */
  readonly shown = signal<number | null>(null)
  readonly conversation = signal(new Conversation())
  /** Null until the first place is loaded, as `cost`. */
  readonly todos = signal<ReadonlyArray<Todo> | null>(null)
  readonly cost = signal<PastCost | null>(null)
  readonly event = signal<RawEvent | null>(null)
  readonly isLoading = signal(false)
  /** Null when the first message is loaded. */
  readonly cursor = signal<string | null>(null)
  readonly error = signal<string | null>(null)
  /** Whether the log has no event at the place that was requested. */
  readonly isMissing = signal(false)
  readonly marks = signal<ReadonlyArray<Mark>>([])
  /** Why the marks could not be read; null if they could. */
  readonly marksError = signal<string | null>(null)
  #isReadingMarks = false
  /** Whether there may be turns after those that were read, or are being read. */
  #hasNewMarks = false
  /** The place that was requested last; undefined before, and after `close`. */
  readonly requested = signal<number | undefined>(undefined)
  #stop: AbortController | null = null
  /** Repeats the last request for a place, or for a page of its messages. */
  #again = () => Promise.resolve()

  constructor(server: Server, id: string) {
    this.#server = server
    this.#id = id
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
    this.isLoading.value = false
    this.isMissing.value = false
    this.requested.value = undefined
  }

  /** Call it after an error: reads again what could not be read. */
  retry(): Promise<void> {
    return this.#again()
  }

  /** Shows a place; resolves when it is shown, has failed, or another place was requested. */
  async show(at: number): Promise<void> {
    this.#stop?.abort()
    const stop = new AbortController()
    this.#stop = stop
    this.#again = () => this.show(at)
    this.requested.value = at
    this.isLoading.value = true
    this.error.value = null
    this.isMissing.value = false
    try {
      const [read, todos, cost, page] = await Promise.all([
        this.#messages(at, stop.signal),
        this.#json<{ readonly todos: ReadonlyArray<Todo> }>("/todos", { at }, stop.signal),
        this.#json<PastCost>("/cost", { at }, stop.signal),
        this.#json<EventPage>("/events", { after: at - 1, limit: 1 }, stop.signal),
      ])
      const conversation = new Conversation()
      conversation.addPage(read.messages, "after")
      batch(() => {
        this.conversation.value = conversation
        this.cursor.value = read.next_cursor
        this.todos.value = todos.todos
        this.cost.value = cost
        this.event.value = page.events[0] ?? null
        this.shown.value = at
      })
    } catch (error) {
      if (stop.signal.aborted) return
      // The server refuses these requests only if the log has no such event.
      if (error instanceof InvalidRequestError) this.isMissing.value = true
      else this.error.value = messageOf(error)
    } finally {
      if (this.#stop === stop) this.isLoading.value = false
    }
  }

  /** Reads the marks of the turns after the known ones. If it is called again in the meantime, it continues behind them. */
  async readMarks(): Promise<void> {
    this.#hasNewMarks = true
    if (this.#isReadingMarks) return
    this.#isReadingMarks = true
    this.marksError.value = null
    try {
      while (this.#hasNewMarks) {
        this.#hasNewMarks = false
        await this.#readNewMarks()
      }
    } catch (error) {
      this.marksError.value = messageOf(error)
    } finally {
      this.#isReadingMarks = false
    }
  }

  async #readNewMarks(): Promise<void> {
    for (let after: number | null = this.marks.value.at(-1)?.seq ?? 0; after !== null;) {
      const page: EventPage = await this.#json("/events", { after, limit: PAGE, name: "turn:queued" })
      if (page.events.length > 0) this.marks.value = [...this.marks.value, ...page.events.map(markOf)]
      after = page.has_more ? page.next_after : null
    }
  }

  /** Loads the page before the first loaded message. */
  async showEarlier(): Promise<void> {
    const { value: cursor } = this.cursor
    const { value: at } = this.shown
    const stop = this.#stop
    if (cursor === null || at === null || stop === null || this.isLoading.value) return
    this.#again = () => this.showEarlier()
    this.isLoading.value = true
    this.error.value = null
    try {
      const { messages, next_cursor } = await this.#messages(at, stop.signal, cursor)
      batch(() => {
        this.conversation.value.addPage(messages, "before")
        this.cursor.value = next_cursor
      })
    } catch (error) {
      if (!stop.signal.aborted) this.error.value = messageOf(error)
    } finally {
      if (this.#stop === stop) this.isLoading.value = false
    }
  }

  /** Reads a page of messages. The response has the newest first; the returned page has the oldest first. */
  async #messages(at: number, stop: AbortSignal, after?: string): Promise<MessagePage> {
    const query = { format: "parts", order: "desc", limit: MESSAGES, at, after }
    const { messages, next_cursor } = await this.#json<MessagePage>("/messages", query, stop)
    return { messages: messages.toReversed(), next_cursor }
  }

  #json<A>(rest: string, query: Readonly<Record<string, string | number | undefined>>, stop?: AbortSignal) {
    return this.#server.transport.json<A>("GET", sessionPath(this.#id, rest), { query, signal: stop })
  }
}
