// Decides which of the server's lines the SDK sees, and keeps how the last prompt ended.
// Invariant: the SDK gets each line of the log once and each control request once, however often the connection breaks.
import type { Frame } from "./numbered-frames.ts"
import { type ParsedLine, parsedLine } from "./line-kinds.ts"

type Line = Extract<Frame, { readonly kind: "line" }>

/** How many request ids are remembered: more than a session has open at once, so older ones are answered already. */
const REMEMBERED = 10_000

export class LineGate {
  #highest: number | undefined
  #known: number | undefined
  readonly #requests = new Set<string>()
  #failed = false

  /** The highest seq that was passed on. */
  get highest(): number | undefined {
    return this.#highest
  }

  /** Whether the last result that was passed on was an error. */
  get failed(): boolean {
    return this.#failed
  }

  /** Called for each new connection: lines that were passed on before it are not passed on again. */
  reopen(): void {
    this.#known = this.#highest
  }

  /** Whether the SDK gets this line. */
  admit({ seq, json }: Line): boolean {
    if (seq !== undefined) {
      if (this.#known !== undefined && seq <= this.#known) return false
      this.#highest = Math.max(this.#highest ?? 0, seq)
    }
    // Most lines are neither, and are passed on without being parsed.
    if (json.includes('"control_')) return this.#admitControl(parsedLine(json))
    if (json.includes('"result"')) this.#noteResult(parsedLine(json))
    return true
  }

  #admitControl({ type, request_id: id }: ParsedLine): boolean {
    if (typeof id !== "string") return true
    if (type === "control_cancel_request") return this.#requests.has(id)
    if (type !== "control_request") return true
    if (this.#requests.has(id)) return false
    this.#requests.add(id)
    const [oldest = id] = this.#requests
    if (this.#requests.size > REMEMBERED) this.#requests.delete(oldest)
    return true
  }

  #noteResult({ type, is_error }: ParsedLine): void {
    if (type === "result") this.#failed = is_error === true
  }
}
