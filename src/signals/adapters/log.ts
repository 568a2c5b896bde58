// Receives the signals of a run; writes each as a line of JSON with a level.
// Invariant: a line is one JSON object without line breaks and control characters, so that any log collector can read it.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { isObserved, type Signal } from "../../schemas/signal.ts"
import { AdapterService } from "../adapter.ts"

const LEVELS = ["debug", "info", "error"] as const
export type LogLevel = (typeof LEVELS)[number]

/** Options of `logAdapter`: what it writes, and where. */
export interface LogOptions {
  /** Receives a line without a line break; `console.log` by default. */
  readonly write?: (line: string) => void
  /** The lowest level that is written; `info` by default, which omits signals about turns, such as pieces of text. */
  readonly level?: LogLevel
  /** Whether lines contain payloads; true by default. */
  readonly payloads?: boolean
}

/** An adapter that writes a log of JSON lines: `{level, time, signal, id, source?, payload?}`. */
export const logAdapter = ({
  write = (line) => globalThis.console.log(line),
  level: least = "info",
  payloads = true,
}: LogOptions = {}): AdapterService["Service"] => ({
  process: (signal) =>
    Effect.sync(() => {
      const level = levelOf(signal)
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
      const { id, name, payload, timestamp, source } = signal
      const line = { level, time: timestamp, signal: name, id, source, payload: payloads ? payload : undefined }
      write(JSON.stringify(line).replace(UNESCAPED, escaped))
    }),
})

/** `logAdapter` as a layer. */
export const logAdapterLayer = (options?: LogOptions): Layer.Layer<AdapterService> =>
  Layer.sync(AdapterService, () => logAdapter(options))

/** Line breaks and control characters that JSON does not require to be escaped. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

const levelOf = ({ name, payload }: Signal): LogLevel => {
  if (name === "harness:error") return "error"
  if (name === "workflow:end") return isPlainObject(payload) && payload["reason"] === "error" ? "error" : "info"
  return isObserved(name) ? "debug" : "info"
}
