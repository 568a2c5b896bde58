// Receives the events of a session in order; returns the bus events of opencode about its state: busy, idle, retry, error.
// Invariant: a session is busy while any prompt is queued or running; the events from the earliest open prompt on suffice.
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { MessageError } from "../../schemas/parts.ts"
import { messageErrorOf, retryErrorOf, stopErrorOf } from "../parts/part-errors.ts"
import type { BusEvent, BusStatus } from "./bus-event.ts"

export class SessionStatus {
  readonly #sessionID: string
  /** Turns that have not ended. */
  readonly #open = new Set<string>()
  /** The status of a failed request that will be retried; null once its answer has arrived. */
  #retry: BusStatus | null = null
  /** Turns whose error has been sent. */
  readonly #failed = new Set<string>()

  constructor(sessionID: string) {
    this.#sessionID = sessionID
  }

  /** The current status: idle, busy or retry. */
  get current(): BusEvent {
    return this.#status(this.#open.size === 0 ? { type: "idle" } : (this.#retry ?? { type: "busy" }))
  }

  apply(event: LogEvent): ReadonlyArray<BusEvent> {
    const { turn } = event
    if (event.name === EventNames.headMoved) return this.#cleared()
    if (turn === null) return []
    if (event.name === EventNames.turnQueued) return event.payload.imported === true ? [] : this.#started(turn)
    if (event.name === EventNames.turnJoined) return this.#ended(event.payload.turn)
    if (event.name === EventNames.turnCancelled) return this.#ended(turn)
    if (isTurnResult(event)) return [...this.#failure(event), ...this.#ended(turn), ...this.#retryEnded()]
    return event.parent_tool_use_id === null ? this.#inTurn(event, turn) : []
  }

  #inTurn(event: LogEvent, turn: string): ReadonlyArray<BusEvent> {
    if (event.name === "sdk:system/api_retry") {
      const { attempt, retry_delay_ms: delay } = event.payload
      const { message } = retryErrorOf(event.payload).data
      this.#retry = { type: "retry", attempt, message, next: event.at + delay }
      return [this.#status(this.#retry)]
    }
    if (event.name === "sdk:system/compact_boundary")
      return [{ type: "session.compacted", properties: { sessionID: this.#sessionID } }]
    if (event.name === EventNames.turnPatched)
      return [{ type: "session.diff", properties: { sessionID: this.#sessionID, diff: event.payload.diffs } }]
    if (event.name !== "sdk:assistant" && event.name !== EventNames.callFinished) return []
    const error = event.name === "sdk:assistant" ? messageErrorOf(event.payload) : undefined
    return [...this.#retryEnded(), ...(error === undefined ? [] : this.#error(turn, error))]
  }

  #started(turn: string): ReadonlyArray<BusEvent> {
    const wasIdle = this.#open.size === 0
    this.#open.add(turn)
    return wasIdle ? [this.#status({ type: "busy" })] : []
  }

  #ended(turn: string): ReadonlyArray<BusEvent> {
    this.#failed.delete(turn)
    return this.#open.delete(turn) && this.#open.size === 0 ? this.#idle() : []
  }

  /** After the head has moved, no turn is queued or running. */
  #cleared(): ReadonlyArray<BusEvent> {
    const wasBusy = this.#open.size > 0
    this.#open.clear()
    return wasBusy ? this.#idle() : []
  }

  #idle(): ReadonlyArray<BusEvent> {
    this.#retry = null
    return [this.#status({ type: "idle" }), { type: "session.idle", properties: { sessionID: this.#sessionID } }]
  }

  #retryEnded(): ReadonlyArray<BusEvent> {
    if (this.#retry === null) return []
    this.#retry = null
    return [this.#status({ type: "busy" })]
  }

  #failure(event: LogEvent): ReadonlyArray<BusEvent> {
    const { name, turn } = event
    if (turn === null || name === "sdk:result/success" || !isTurnResult(event)) return []
    if (event.name === "sdk:result/error_during_execution") return this.#error(turn, stopErrorOf(event.payload))
    const errors = "errors" in event.payload ? event.payload.errors : []
    return this.#error(turn, { name: "UnknownError", data: { message: errors?.[0] ?? event.payload.subtype } })
  }

  /** Sends at most one error per turn. */
  #error(turn: string, error: MessageError): ReadonlyArray<BusEvent> {
    if (this.#failed.has(turn)) return []
    this.#failed.add(turn)
    return [{ type: "session.error", properties: { sessionID: this.#sessionID, error } }]
  }

  #status(status: BusStatus): BusEvent {
    return { type: "session.status", properties: { sessionID: this.#sessionID, status } }
  }
}
