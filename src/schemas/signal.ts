// A signal: a named fact or request with a JSON payload, an id, a time and a source.
// Invariant: a stamped signal is within the limits of this file: its name is valid and its payload is JSON of at most 256 KiB
// and 100 levels.
import * as Schema from "effect/Schema"
import { boundsOfValue } from "./bounded-json.ts"

const MAX_NAME = 256
/** The most bytes of JSON that a payload may have. */
export const MAX_PAYLOAD_BYTES = 256 * 1024

const NAME = /^[\w.-]{1,64}(?::[\w.-]{1,64})*$/

/** Segments of 1 to 64 letters, digits and `_ . -`, joined by colons; 256 characters at most. */
export const SignalName = Schema.String.check(
  Schema.isMaxLength(MAX_NAME),
  Schema.isPattern(NAME, {
    message: `Expected segments of 1 to 64 letters, digits and _ . - joined by colons, ${MAX_NAME} characters at most`,
  }),
).annotate({ identifier: "SignalName", description: "Segments joined by colons, such as `task:completed`." })

/** The source of a signal. A signal without `parent` came from outside the run. */
export const SignalSource = Schema.Struct({
  agent: Schema.optionalKey(Schema.String.annotate({ description: "The agent that emitted it." })),
  harness: Schema.optionalKey(Schema.String.annotate({ description: "The harness that the agent ran with." })),
  parent: Schema.optionalKey(Schema.String.annotate({ description: "The id of the signal that was being processed." })),
}).annotate({ identifier: "SignalSource" })
export type SignalSource = typeof SignalSource.Type

/** What a handler or an agent returns; the runtime adds id, time and source. */
export const Emitted = Schema.Struct({
  name: SignalName,
  payload: Schema.Json,
}).annotate({ identifier: "EmittedSignal" })
export type Emitted<T = Schema.Json> = { readonly name: string; readonly payload: T }

export const Signal = Schema.Struct({
  id: Schema.String,
  name: SignalName,
  payload: Schema.Json,
  /** ISO 8601. */
  timestamp: Schema.String,
  source: Schema.optionalKey(SignalSource),
}).annotate({ identifier: "Signal" })
export type Signal<T = Schema.Json> = {
  readonly id: string
  readonly name: string
  readonly payload: T
  readonly timestamp: string
  readonly source?: SignalSource
}

/** An emitted signal with its source, not yet stamped with id and time. */
export type Sourced = Emitted & { readonly source: SignalSource }

const encoder = new TextEncoder()

/** Why a signal can't be emitted, as a sentence; null when it can. */
export const signalFault = (name: string, payload: unknown): string | null => {
  if (name.length > MAX_NAME || !NAME.test(name)) {
    return `A signal's name must be segments of 1 to 64 letters, digits and _ . - joined by colons. Got ${JSON.stringify(name.slice(0, 80))}.`
  }
  const refusal = boundsOfValue(payload)
  if (refusal !== null) return `The payload of ${name} ${refusal.message}.`
  const other = otherThanJson(payload)
  if (other !== null) return `The payload of ${name} is not JSON: it has ${other}.`
  const text = JSON.stringify(payload)
  const isLarge = text.length > MAX_PAYLOAD_BYTES || encoder.encode(text).length > MAX_PAYLOAD_BYTES
  return isLarge ? `The payload of ${name} is larger than ${MAX_PAYLOAD_BYTES / 1024} KiB.` : null
}

/** The first part of a value that JSON can't represent, in words, or null. A field may be undefined: JSON leaves it out. */
const otherThanJson = (value: unknown): string | null => {
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const part = open.pop()
    if (typeof part === "number" && !Number.isFinite(part)) return `the number ${part}`
    if (part === null || ["string", "boolean", "number"].includes(typeof part)) continue
    if (typeof part !== "object") return part === undefined ? "the value undefined" : `a ${typeof part}`
    if (Array.isArray(part)) for (const item of part) open.push(item)
    else if (isPlain(part)) {
      for (const field of Object.values(part)) if (field !== undefined) open.push(field)
    } else return `an object of the class ${part.constructor.name}`
  }
  return null
}

/** True for an object that is no instance of a class: one from a literal or from JSON, also of another realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A copy of a payload that `signalFault` accepts, for the log: later changes by the emitter don't affect it. */
export const payloadCopy = (payload: Schema.Json): Schema.Json =>
  // A JSON value that is serialized and parsed is JSON.
  JSON.parse(JSON.stringify(payload)) as Schema.Json

/** Signals about a run that reach adapters, logs and recordings, but never handlers or agents. */
const OBSERVED: ReadonlySet<string> = new Set([
  "agent:activated",
  "harness:start",
  "harness:end",
  "harness:error",
  "text:delta",
  "text:complete",
  "workflow:end",
])

/** True for the names of signals that the runtime emits about a run. Handlers and agents can neither emit nor receive them. */
export const isObserved = (name: string): boolean => OBSERVED.has(name)
