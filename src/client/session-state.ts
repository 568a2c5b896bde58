// Decides who receives the server's reports of the session's state. As in the official process, variables of the environment
// determine it: the app if one asks for that; otherwise, if another variable says that the SDK reads them, the SDK alone, which
// uses them to end `query()`. Without either, they are dropped.
// Invariant: every other line passes through as it is.
import { parsedLine, requestOf } from "./line-kinds.ts"
import type { OutgoingLines } from "./outgoing-lines.ts"

const isOn = (value: string | undefined): boolean => value === "1" || value === "true"

/** Who receives reports of the session's state: the app, only its SDK, or nothing. */
export type StateReports = "app" | "sdk" | "none"

export const stateReportsOf = (env: Readonly<Record<string, string | undefined>>): StateReports => {
  if (isOn(env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS)) return "app"
  return isOn(env.CLAUDE_CODE_SDK_READS_SESSION_STATE) ? "sdk" : "none"
}

/** The line to pass on: a report for the SDK alone is marked as such. Null for a report that nothing receives. */
export const deliveredLine = (json: string, receiver: StateReports): string | null => {
  if (receiver === "app" || !json.includes('"session_state_changed"')) return json
  const message = parsedLine(json)
  if (message.subtype !== "session_state_changed") return json
  return receiver === "sdk" ? JSON.stringify({ ...message, sdk_host_only: true }) : null
}

/** How long after the response to an interrupt no report that the session is idle is passed on, in milliseconds. */
const AFTER_INTERRUPT_MS = 100

/**
 * Holds back the report that the session is idle while a prompt of the SDK is on its way to the server, and while the app may still
 * send one because its interrupt was answered: the SDK would end its run on the report and answer none of the prompt's hooks and
 * questions. The official process reads such a prompt before it reports its state.
 */
export class IdleReports {
  /** Whether the server's last report was that no prompt is open. */
  isIdle = false
  readonly #outgoing: OutgoingLines
  readonly #pass: (json: string) => boolean
  readonly #interrupts = new Set<unknown>()
  #held: string | null = null
  /** Whether a prompt was on its way to the server since the report was held back. */
  #prompted = false
  #afterInterrupt: NodeJS.Timeout | undefined

  /** `pass` passes the report on; it returns false when stdout's buffer is full. */
  constructor(outgoing: OutgoingLines, pass: (json: string) => boolean) {
    this.#outgoing = outgoing
    this.#pass = pass
  }

  /** A line of the SDK on its way to the server. */
  sent(line: string): void {
    if (mayBePrompt(line)) this.#prompted = true
    if (line.includes('"interrupt"') && requestOf(line)?.subtype === "interrupt") {
      this.#interrupts.add(parsedLine(line).request_id)
    }
  }

  /** A line of the server on its way to the SDK. */
  passed(json: string): void {
    if (this.#interrupts.size === 0 || !json.startsWith('{"type":"control_response"')) return
    if (!this.#interrupts.delete(parsedLine(json).response?.request_id)) return
    clearTimeout(this.#afterInterrupt)
    this.#afterInterrupt = setTimeout(() => this.noPromptFollows(), AFTER_INTERRUPT_MS)
  }

  /** True if the line is such a report, and is held back. */
  hold(json: string): boolean {
    if (!this.#mustWait || !reportsIdle(json)) return false
    this.#prompted = this.#hasPrompt
    this.#held = json
    return true
  }

  /** The app has had the time to react to the response to its interrupt, or has closed the input. */
  noPromptFollows(): void {
    clearTimeout(this.#afterInterrupt)
    this.#afterInterrupt = undefined
    this.release()
  }

  /**
   * Passes the report on once the server has acknowledged every prompt, or drops it if one of them is open. Without a prompt, a busy
   * server runs a background command, for which no report is dropped. False when stdout's buffer is full.
   */
  release(): boolean {
    const report = this.#held
    if (report === null || this.#mustWait) return true
    this.#held = null
    return (this.#prompted && !this.isIdle) || this.#pass(report)
  }

  get #mustWait(): boolean {
    return this.#afterInterrupt !== undefined || this.#hasPrompt
  }

  get #hasPrompt(): boolean {
    return this.#outgoing.waiting.some(({ frame }) => mayBePrompt(frame))
  }
}

const mayBePrompt = (line: string): boolean => line.includes('"type":"user"')

const reportsIdle = (json: string): boolean => {
  if (!json.includes('"session_state_changed"')) return false
  const { subtype, state } = parsedLine(json)
  return subtype === "session_state_changed" && state === "idle"
}
