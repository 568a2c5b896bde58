// Receives the signals of a run; writes a line for each signal that has a renderer, and the text of models inline as it arrives.
// Invariant: renderers receive payloads without control characters; without colours, no control character is written at all.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Signal } from "../../schemas/signal.ts"
import { textField } from "../../schemas/json/text-field.ts"
import { AdapterService, type Renderer, type RendererMap } from "../adapter.ts"
import { paintOf } from "./paint.ts"
import { plainJson, plainText } from "./plain.ts"

/** An output stream, such as `process.stdout`. */
export interface TerminalOutput {
  /** Calls `done` with an error when the text could not be written. */
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown
  readonly isTTY?: boolean
  /** Reports that the stream's reader has gone. The adapter listens, so that the error does not end the process. */
  readonly once?: (event: "error", listener: () => void) => unknown
}

/** Options of `terminalAdapter`: what it shows, and where. */
export interface TerminalOptions {
  /**
   * Override the built-in renderers for signals about the run; null hides a signal. Signals without a renderer are not shown.
   * Payloads have no control characters; with colours, the text that a renderer returns is written unchanged.
   */
  readonly renderers?: Readonly<Record<string, Renderer | null>>
  /** Whether to use colours. By default only on a terminal, and only if NO_COLOR is not set. */
  readonly colors?: boolean
  /** `process.stdout` by default. */
  readonly output?: TerminalOutput
}

/** An adapter that writes to a terminal, a file or a pipe. */
export const terminalAdapter = ({
  renderers = {},
  output = globalThis.process.stdout,
  colors = output.isTTY === true && !globalThis.process?.env["NO_COLOR"],
}: TerminalOptions = {}): AdapterService["Service"] => {
  const known = { ...ABOUT_THE_RUN, ...renderers }
  const paint = paintOf(colors)
  /** True while the last line has text but no line end. */
  let open = false
  /** True when the reader of a pipe has gone: the run continues without output. */
  let closed = false
  const written = (error?: Error | null) => {
    if (!error || closed) return
    closed = true
    output.once?.("error", () => undefined)
  }
  const write = (text: string) => {
    const shown = colors ? text : plainText(text)
    if (shown === "" || closed) return
    output.write(shown, written)
    open = !shown.endsWith("\n")
  }
  const show = (signal: Signal) => {
    const renderer = Object.hasOwn(known, signal.name) ? known[signal.name] : undefined
    // The caller's renderer knows the payload's type.
    const text = renderer?.({ ...signal, payload: plainJson(signal.payload) } as Signal<never>, paint) ?? null
    if (signal.name === "text:delta") return write(text ?? "")
    if (open && (signal.name === "text:complete" || text !== null)) write("\n")
    if (text !== null) write(`${text}\n`)
  }
  return { process: (signal) => Effect.sync(() => show(signal)) }
}

/** `terminalAdapter` as a layer. */
export const terminalAdapterLayer = (options?: TerminalOptions): Layer.Layer<AdapterService> =>
  Layer.sync(AdapterService, () => terminalAdapter(options))

const ABOUT_THE_RUN: RendererMap = {
  "agent:activated": ({ payload }, { cyan, dim }) =>
    `${cyan(textField(payload, "agent"))} ${dim(textField(payload, "trigger"))}`,
  "text:delta": ({ payload }) => textField(payload, "content"),
  "harness:error": ({ payload }, { red }) => red(textField(payload, "message")),
  "workflow:end": ({ payload }, { red }) => {
    const { error } = payload as { readonly error?: unknown }
    return error === undefined ? null : red(`${textField(error, "type")}: ${textField(error, "message")}`)
  },
}
