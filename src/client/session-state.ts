// Marks reports of the session's state as meant for the SDK alone, as the official process does for an SDK whose
// environment announces that it reads them: `query()` then uses them to end its run and does not yield them to the app.
// Invariant: every other line passes through as it is.

const isOn = (value: string | undefined): boolean => value === "1" || value === "true"

/** Whether the app receives reports of the state: it asked for them, or its SDK does not handle them itself. */
export const showsState = (env: Readonly<Record<string, string | undefined>>): boolean =>
  isOn(env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS) || !isOn(env.CLAUDE_CODE_SDK_READS_SESSION_STATE)

export const markedForSdk = (json: string): string => {
  if (!json.includes('"session_state_changed"')) return json
  try {
    const message: unknown = JSON.parse(json)
    if (typeof message !== "object" || message === null || !("subtype" in message)) return json
    if (message.subtype !== "session_state_changed") return json
    return JSON.stringify({ ...message, sdk_host_only: true })
  } catch {
    // No JSON: the line is passed on unchanged, and the SDK reports it.
    return json
  }
}
