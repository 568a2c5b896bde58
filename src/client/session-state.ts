// Decides who receives the server's reports of the session's state. As in the official process, variables of the environment
// determine it: the app if one asks for that; otherwise, if another variable says that the SDK reads them, the SDK alone, which
// uses them to end `query()`. Without either, they are dropped.
// Invariant: every other line passes through as it is.
import { parsedLine } from "./line-kinds.ts"
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

/**
 * Holds back the report that the session is idle while a line of the SDK is on its way to the server. If that line is a prompt, the
 * SDK would end its run and answer none of its hooks and questions; the official process reads such a prompt before it reports its
 * state.
 */
export class IdleReports {
  #held: string | null = null

  /** True if the line is such a report, and is held back. */
  hold({ waiting }: OutgoingLines, json: string): boolean {
    if (waiting.length === 0 || !reportsIdle(json)) return false
    this.#held = json
    return true
  }

  /** The report, once the server has acknowledged every line and no prompt is open; null if there is none. */
  release({ waiting }: OutgoingLines, isIdle: boolean): string | null {
    if (waiting.length > 0) return null
    const report = isIdle ? this.#held : null
    this.#held = null
    return report
  }
}

const reportsIdle = (json: string): boolean => {
  if (!json.includes('"session_state_changed"')) return false
  const { subtype, state } = parsedLine(json)
  return subtype === "session_state_changed" && state === "idle"
}
