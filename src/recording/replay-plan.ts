// Receives the signals of a recorded session, one after the other; collects those that came from outside as steps of a replay.
// Invariant: what the session did by itself is no step, because its replay does it by itself.
import { isPlainObject } from "../schemas/plain-object.ts"
import type * as Schema from "effect/Schema"
import type { ReplayStep } from "../schemas/rpc/recording-rpc.ts"
import type { Signal } from "../schemas/signal.ts"
import { RecordedMessages } from "./recorded-messages.ts"

export class PlanMaker {
  readonly steps: Array<ReplayStep> = []
  /** The number of turns that have ended. */
  results = 0
  #last: string | null = null
  #definitions: number | null = null
  readonly #messages = new RecordedMessages()

  /** Adds a signal; returns its step, or null when the signal did not come from outside. */
  add(signal: Signal): ReplayStep | null {
    const { name, payload } = signal
    const move = this.#messages.add(signal)
    const before = this.#last
    this.#last = name
    if (name.startsWith("sdk:result:")) this.results += 1
    if (name === "definitions:loaded") this.#definitions = versionIn(payload, "version")
    if (before === "session:changed" && isModelSwitch(name, payload)) this.#switched()
    if (!isFromOutside(name, payload)) return null
    const definitions = name === "turn:queued" ? (versionIn(payload, "definitions") ?? this.#definitions) : null
    const step = {
      name,
      payload: move ?? payload,
      results: this.results,
      ...(definitions === null ? {} : { definitions }),
    }
    this.steps.push(step)
    return step
  }

  /** Renames the last step: a PreModelSwitch hook after `session:changed` shows that `set_model` caused the change. */
  #switched(): void {
    const changed = this.steps.at(-1)
    if (changed?.name === "session:changed") this.steps.splice(-1, 1, { ...changed, name: "model:switched" })
  }
}

const versionIn = (payload: Schema.Json, field: string): number | null => {
  const version = isPlainObject(payload) ? payload[field] : undefined
  return typeof version === "number" && Number.isSafeInteger(version) ? version : null
}

/** Events that only clients cause. */
const ALWAYS: ReadonlySet<string> = new Set([
  "session:created",
  "workflow:start",
  "progress:changed",
  "head:moved",
  "tool:called",
])

/** True for events that clients caused: Perch's own have no actor, and imported prompts of another session never ran here. */
const isFromOutside = (name: string, payload: Schema.Json): boolean => {
  if (ALWAYS.has(name)) return true
  if (!isPlainObject(payload)) return false
  if (name === "session:changed") return payload["actor"] !== undefined
  return name === "turn:queued" && payload["actor"] !== undefined && payload["imported"] !== true
}

const isModelSwitch = (name: string, payload: Schema.Json): boolean =>
  name === "hook:fired" && isPlainObject(payload) && payload["hook_event_name"] === "PreModelSwitch"
