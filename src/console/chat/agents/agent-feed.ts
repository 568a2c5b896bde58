// Reads the conversation of one background subagent from the session's log, and polls the log until its run has ended.
// Messages of a background agent belong to no turn, so `GET …/messages` does not contain them.
// Invariant: each event is applied once, even if a request fails: reading continues after the last applied event.
import { batch, type ReadonlySignal, signal } from "@preact/signals"
import { PerchError } from "../../../client/api/perch-error.ts"
import type { LogPage } from "../../../client/api/session-client.ts"
import type { Ask, LogEvent } from "../../../client/api/session-shapes.ts"
import { Conversation } from "../../store/conversation.ts"
import type { ChatSource } from "../chat-source.ts"
import { AgentFrames } from "./agent-frames.ts"

export interface LogQuery {
  readonly after: number
  readonly limit: number
  readonly order: "asc"
  readonly name?: string
  readonly signal: AbortSignal
}

/** Reads a page of the session's log. */
export type ReadLog = (query: LogQuery) => Promise<LogPage>

export interface AgentFeedOptions {
  readonly readLog: ReadLog
  /** The call that first started the agent. */
  readonly call: string
  /** The asks of its session. */
  readonly asks: ReadonlySignal<ReadonlyArray<Ask>>
  readonly messageOf: (error: unknown) => string
}

const PAGE = 500
const PAUSE_MS = 2000

export class AgentFeed implements ChatSource {
  readonly conversation = new Conversation()
  readonly isLoading = signal(true)
  readonly olderCursor = signal(null)
  readonly error = signal<string | null>(null)
  readonly asks: ReadonlySignal<ReadonlyArray<Ask>>
  isAtEnd = true
  readonly #readLog: ReadLog
  readonly #call: string
  readonly #messageOf: (error: unknown) => string
  readonly #frames: AgentFrames
  /** Null until the agent's `agent:started` event is found. */
  #agent: string | null = null
  #after = 0
  #hasEnded = false
  #stop: AbortController | null = null

  constructor({ readLog, call, asks, messageOf }: AgentFeedOptions) {
    this.#readLog = readLog
    this.#call = call
    this.#messageOf = messageOf
    this.#frames = new AgentFrames(call)
    this.asks = asks
  }

  open(): void {
    this.close()
    const stop = new AbortController()
    this.#stop = stop
    void this.#run(stop.signal)
  }

  close(): void {
    this.#stop?.abort()
    this.#stop = null
  }

  async loadOlder(): Promise<void> {}

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#readOn(signal)
        this.error.value = null
        this.isLoading.value = false
        if (this.#hasEnded) return
      } catch (error) {
        if (signal.aborted) return
        this.error.value = this.#messageOf(error)
        this.isLoading.value = false
        if (error instanceof PerchError && !error.retryable) return
      }
      await pause(signal)
    }
  }

  /** Reads and applies the events that the log contains by now. */
  async #readOn(signal: AbortSignal): Promise<void> {
    for (;;) {
      // Until the agent's start is found, only `agent:started` events are read.
      const named = this.#agent === null ? { name: "agent:started" } : {}
      const page = await this.#readLog({ after: this.#after, limit: PAGE, order: "asc", signal, ...named })
      if (signal.aborted) return
      const wasFound = this.#agent !== null
      batch(() => this.#takeAll(page.events))
      if (wasFound === (this.#agent !== null) && !page.has_more) return
    }
  }

  #takeAll(events: ReadonlyArray<LogEvent>): void {
    for (const event of events) {
      const wasFound = this.#agent !== null
      this.#take(event)
      this.#after = event.seq
      // After the agent's start, events of all names are needed, so the rest of this page is read again.
      if (!wasFound && this.#agent !== null) return
    }
  }

  #take(event: LogEvent): void {
    // The payload is that of any event: both fields are read as unknown.
    const { agent_id: agent, thread } = (event.payload ?? {}) as {
      readonly agent_id?: unknown
      readonly thread?: unknown
    }
    if (event.name === "agent:started" && thread === this.#call) {
      this.#agent = String(agent)
      this.#hasEnded = false
    } else if (event.name === "agent:ended" && agent === this.#agent) {
      this.#hasEnded = true
      for (const frame of this.#frames.end(event.at)) this.conversation.apply(frame)
    } else for (const frame of this.#frames.framesOf(event)) this.conversation.apply(frame)
  }
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, PAUSE_MS)
    signal.addEventListener("abort", done)
  })
