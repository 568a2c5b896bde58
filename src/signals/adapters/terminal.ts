// Receives the signals of a run; writes a line for each that has a renderer, and the text of models in place as it arrives.
// Invariant: a model's text has no control characters when a renderer receives it, and without colours none is written at all.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Signal } from "../../schemas/signal.ts"
import { AdapterService, type Renderer, type RendererMap } from "../adapter.ts"
import { paintOf } from "./paint.ts"
import { plainJson, plainText } from "./plain.ts"

/** Where to write: `process.stdout` is one. */
export interface TerminalOutput {
  /** Calls `done` with an error when the text could not be written. */
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown
  readonly isTTY?: boolean
  /** How a stream reports that its reader has gone: the adapter takes the report of a text of its own. */
  readonly once?: (event: "error", listener: () => void) => unknown
}

/** What `terminalAdapter` shows, and where. */
export interface TerminalOptions {
  /**
   * Over those for signals about the run; null shows nothing. A signal without a renderer is not shown. Payloads come
   * without control characters; what a renderer returns is written as it is where there are colours.
   */
  readonly renderers?: Readonly<Record<string, Renderer | null>>
  /** By default colours are used on a terminal, unless NO_COLOR is set. */
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
  /** True while a text without a line end is on the last line. */
  let open = false
  /** True when the reader of a pipe has gone: the run goes on without it. */
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
    // A renderer of the caller's knows the payload of its signal.
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

const field = (payload: unknown, name: string): string => {
  const value = isPlainObject(payload) ? payload[name] : undefined
  return typeof value === "string" ? value : ""
}

const ABOUT_THE_RUN: RendererMap = {
  "agent:activated": ({ payload }, { cyan, dim }) =>
    `${cyan(field(payload, "agent"))} ${dim(field(payload, "trigger"))}`,
  "text:delta": ({ payload }) => field(payload, "content"),
  "harness:error": ({ payload }, { red }) => red(field(payload, "message")),
  "workflow:end": ({ payload }, { red }) => {
    const { error } = payload as { readonly error?: unknown }
    return error === undefined ? null : red(`${field(error, "type")}: ${field(error, "message")}`)
  },
}
