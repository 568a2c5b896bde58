// Receives the messages that the official SDK's `query` yields in one run; returns them as the events that views read.
// Invariant: the events have the same facts as a session's log of such a run. The end of an answer, which messages do not
// report, is derived from the stream events.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { ViewEvent } from "../../views/live/live-view.ts"

type Fields = Readonly<Record<string, unknown>>

interface Answer {
  readonly id: string
  readonly model: string
  usage: Fields
  stopReason: string | null
}

export class SdkEvents {
  readonly #turn: string
  readonly #now: () => number
  #seq = 0
  /** The answer that is being streamed, by subagent; null is the main thread. */
  readonly #answers = new Map<string | null, Answer>()

  constructor(turn: string, now: () => number) {
    this.#turn = turn
    this.#now = now
  }

  start(run: { readonly runId: string; readonly timeoutMs: number }, reply: ReplySettings): ReadonlyArray<ViewEvent> {
    const facts = { run_id: run.runId, timeout_ms: run.timeoutMs }
    return [
      this.#event("turn:queued", { prompt: "", options: { reply }, run: facts }, null),
      this.#event("run:started", { ...facts, runtime: "live" }, null),
    ]
  }

  timedOut(runId: string): ReadonlyArray<ViewEvent> {
    return [this.#event("run:timed_out", { run_id: runId }, null)]
  }

  ofMessage(message: Fields): ReadonlyArray<ViewEvent> {
    const { type, subtype, parent_tool_use_id: under } = message
    const parent = typeof under === "string" ? under : null
    const name = typeof subtype === "string" ? `sdk:${String(type)}/${subtype}` : `sdk:${String(type)}`
    if (name === "sdk:stream_event") {
      const streamed = this.#event(name, message, parent, true)
      return [...this.#streamed(message["event"] as Fields, parent), streamed] // the Messages API's event
    }
    const event = this.#event(name, message, parent)
    // Only the server has the restarted conversation, so `messages` is empty.
    return name === "sdk:system/compact_boundary"
      ? [event, this.#event("conversation:restarted", { cause: "compact", messages: [] }, parent)]
      : [event]
  }

  /** The event of the log that a stream event completes. The fields are those of the Messages API's stream. */
  #streamed(event: Fields, parent: string | null): ReadonlyArray<ViewEvent> {
    const answer = this.#answers.get(parent)
    switch (event["type"]) {
      case "message_start": {
        // These are the fields of the message that the Messages API starts with.
        const { id, model, usage } = event["message"] as { id: string; model: string; usage: Fields }
        this.#answers.set(parent, { id, model, usage, stopReason: null })
        return []
      }
      case "message_delta": {
        if (answer === undefined) return []
        // A stream event of the Messages API, as the SDK passes it on.
        const { delta, usage } = event as { delta?: { stop_reason?: string | null }; usage?: Fields }
        answer.usage = { ...answer.usage, ...usage }
        answer.stopReason = delta?.stop_reason ?? null
        return []
      }
      case "message_stop": {
        if (answer === undefined) return []
        this.#answers.delete(parent)
        const { id: message_id, model, usage, stopReason: stop_reason } = answer
        return [this.#event("call:finished", { message_id, model, usage, stop_reason, wasted: false }, parent)]
      }
      default:
        return []
    }
  }

  #event(name: string, payload: unknown, parent: string | null, streams = false): ViewEvent {
    if (!streams) this.#seq += 1
    const place = {
      seq: streams ? null : this.#seq,
      at: this.#now(),
      turn: this.#turn,
      uuid: `${this.#turn}:${this.#seq}`,
    }
    // Views read only fields that the SDK's messages and the facts above have.
    return { ...place, name, parent, payload } as unknown as ViewEvent
  }
}
