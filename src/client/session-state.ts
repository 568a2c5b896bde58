// Marks reports of the session's state as meant for the SDK alone, as the official process does for an SDK whose
// environment announces that it reads them: `query()` then uses them to end its run and does not yield them to the app.
// Invariant: every other line passes through as it is.
import { parsedLine } from "./line-kinds.ts"
import type { OutgoingLines } from "./outgoing-lines.ts"

const isOn = (value: string | undefined): boolean => value === "1" || value === "true"

/** Whether the app receives reports of the state: it asked for them, or its SDK does not handle them itself. */
export const showsState = (env: Readonly<Record<string, string | undefined>>): boolean =>
  isOn(env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS) || !isOn(env.CLAUDE_CODE_SDK_READS_SESSION_STATE)

export const markedForSdk = (json: string): string => {
  if (!json.includes('"session_state_changed"')) return json
  const message = parsedLine(json)
  return message.subtype === "session_state_changed" ? JSON.stringify({ ...message, sdk_host_only: true }) : json
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
