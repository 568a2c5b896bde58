// A session as it was at a place of its log: conversation, todos, costs, and the event that the place is.
// Invariant: of several places that are asked for one after the other the last one is shown, and an error leaves what is shown.
import { batch, signal } from "@preact/signals"
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
/** Pages of messages that are read for a place. */
const PAGES = 10

export class Past {
  readonly #server: Server
  readonly #id: string
  /** The place that is shown; null before the first one is. */
  readonly shown = signal<number | null>(null)
  readonly conversation = signal(new Conversation())
  readonly messages = signal<ReadonlyArray<MessageWithParts>>([])
  readonly todos = signal<ReadonlyArray<Todo>>([])
  readonly cost = signal<PastCost | null>(null)
  readonly event = signal<RawEvent | null>(null)
  readonly isLoading = signal(false)
  readonly isCut = signal(false)
  readonly error = signal<string | null>(null)
  readonly marks = signal<ReadonlyArray<Mark>>([])
  #stop: AbortController | null = null

  constructor(server: Server, id: string) {
    this.#server = server
    this.#id = id
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
    this.isLoading.value = false
  }

  /** Shows a place; resolves when it is shown, has failed, or another one was asked for. */
  async show(at: number): Promise<void> {
    this.#stop?.abort()
    const stop = new AbortController()
    this.#stop = stop
    this.isLoading.value = true
    this.error.value = null
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
        this.messages.value = read.messages
        this.isCut.value = read.isCut
        this.todos.value = todos.todos
        this.cost.value = cost
        this.event.value = page.events[0] ?? null
        this.shown.value = at
      })
    } catch (error) {
      if (!stop.signal.aborted) this.error.value = messageOf(error)
    } finally {
      if (this.#stop === stop) this.isLoading.value = false
    }
  }

  /** Reads where the turns begin, behind those that are known. */
  async readMarks(): Promise<void> {
    try {
      for (let after = this.marks.value.at(-1)?.seq ?? 0; ;) {
        const page = await this.#json<EventPage>("/events", { after, limit: PAGE, name: "turn:queued" })
        const known = this.marks.value.at(-1)?.seq ?? 0
        const fresh = page.events.filter(({ seq }) => seq > known).map(markOf)
        if (fresh.length > 0) this.marks.value = [...this.marks.value, ...fresh]
        if (!page.has_more || page.next_after === null) return
        after = page.next_after
      }
    } catch (error) {
      this.error.value = messageOf(error)
    }
  }

  async #messages(at: number, stop: AbortSignal) {
    const messages: Array<MessageWithParts> = []
    let after: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const query = { format: "parts", limit: PAGE, at, after }
      const read: MessagePage = await this.#json("/messages", query, stop)
      messages.push(...read.messages)
      if (read.next_cursor === null) return { messages, isCut: false }
      after = read.next_cursor
    }
    return { messages, isCut: true }
  }

  #json<A>(rest: string, query: Readonly<Record<string, string | number | undefined>>, stop?: AbortSignal) {
    return this.#server.transport.json<A>("GET", sessionPath(this.#id, rest), { query, signal: stop })
  }
}
