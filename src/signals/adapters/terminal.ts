// Receives the signals of a run; writes a line for each that has a renderer, and the text of models in place as it arrives.
// Invariant: without colours no control character is written: neither of the adapter nor of a model's text.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Signal } from "../../schemas/signal.ts"
import { AdapterService, type Renderer, type RendererMap } from "../adapter.ts"
import { paintOf } from "./paint.ts"

/** Where to write: `process.stdout` is one. */
export interface TerminalOutput {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
}

export interface TerminalOptions {
  /** Over those for signals about the run; null shows nothing. A signal without a renderer is not shown. */
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
  const write = (text: string) => {
    if (text === "") return
    output.write(text)
    open = !text.endsWith("\n")
  }
  const show = (signal: Signal) => {
    const renderer = Object.hasOwn(known, signal.name) ? known[signal.name] : undefined
    // A renderer of the caller's knows the payload of its signal.
    const text = renderer?.(signal as Signal<never>, paint) ?? null
    if (signal.name === "text:delta") return write(text ?? "")
    if (open && (signal.name === "text:complete" || text !== null)) write("\n")
    if (text !== null) write(`${text}\n`)
  }
  return { process: (signal) => Effect.sync(() => show(signal)) }
}

export const terminalAdapterLayer = (options?: TerminalOptions): Layer.Layer<AdapterService> =>
  Layer.sync(AdapterService, () => terminalAdapter(options))

/** Text without what a terminal would carry out. */
const plain = (text: string): string => text.replace(CONTROLS, "")
// eslint-disable-next-line no-control-regex -- these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const field = (payload: unknown, name: string): string => {
  const value = isPlainObject(payload) ? payload[name] : undefined
  return typeof value === "string" ? plain(value) : ""
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
