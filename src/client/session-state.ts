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
 * Holds back the report that the session is idle while a prompt of the SDK is on its way to the server: the SDK would end its run and
 * answer none of the prompt's hooks and questions. The official process reads such a prompt before it reports its state.
 */
export class IdleReports {
  #held: string | null = null

  /** True if the line is such a report, and is held back. */
  hold(outgoing: OutgoingLines, json: string): boolean {
    if (!hasPrompt(outgoing) || !reportsIdle(json)) return false
    this.#held = json
    return true
  }

  /** The report, once the server has acknowledged every prompt and none is open; null if there is none. */
  release(outgoing: OutgoingLines, isIdle: boolean): string | null {
    if (hasPrompt(outgoing)) return null
    const report = isIdle ? this.#held : null
    this.#held = null
    return report
  }
}

/** Whether a line that is not acknowledged may be a prompt. */
const hasPrompt = ({ waiting }: OutgoingLines): boolean => waiting.some(({ frame }) => frame.includes('"type":"user"'))

const reportsIdle = (json: string): boolean => {
  if (!json.includes('"session_state_changed"')) return false
  const { subtype, state } = parsedLine(json)
  return subtype === "session_state_changed" && state === "idle"
}
