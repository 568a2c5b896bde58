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
 * Holds back the report that the session is idle while a line of the SDK is on its way to the server, and while the app may still
 * send a prompt because its interrupt was answered. If there is such a prompt, the SDK would end its run on the report and answer
 * none of the prompt's hooks and questions; the official process reads the prompt before it reports its state.
 */
export class IdleReports {
  readonly #outgoing: OutgoingLines
  readonly #pass: (json: string) => boolean
  readonly #interrupts = new Set<unknown>()
  #held: string | null = null
  #afterInterrupt: NodeJS.Timeout | undefined

  /** `pass` drops the report if a prompt is open, else passes it on; it returns false when stdout's buffer is full. */
  constructor(outgoing: OutgoingLines, pass: (json: string) => boolean) {
    this.#outgoing = outgoing
    this.#pass = pass
  }

  /** A line of the SDK on its way to the server. */
  sent(line: string): void {
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
    if (this.#afterInterrupt === undefined && this.#outgoing.waiting.length === 0) return false
    if (!reportsIdle(json)) return false
    this.#held = json
    return true
  }

  /** The app has had the time to react to the response to its interrupt, or has closed the input. */
  noPromptFollows(): void {
    clearTimeout(this.#afterInterrupt)
    this.#afterInterrupt = undefined
    this.release()
  }

  /** Passes the report on once the server has acknowledged every line. False when stdout's buffer is full. */
  release(): boolean {
    const report = this.#held
    if (report === null || this.#afterInterrupt !== undefined || this.#outgoing.waiting.length > 0) return true
    this.#held = null
    return this.#pass(report)
  }
}

const reportsIdle = (json: string): boolean => {
  if (!json.includes('"session_state_changed"')) return false
  const { subtype, state } = parsedLine(json)
  return subtype === "session_state_changed" && state === "idle"
}
