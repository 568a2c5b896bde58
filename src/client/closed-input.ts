// Receives a request of the server that comes when the SDK answers no more, since it closed the process's input; returns
// the answer in its place.
// Invariant: nobody waits for an answer that can't come, and a call that a guard would have judged does not run.

const CLOSED = "The client has closed its input and answers no more."

/** The line that answers, or null when the line asks nothing. */
export const answerInPlace = (json: string): string | null => {
  if (!json.includes('"control_request"')) return null
  const frame = JSON.parse(json) as {
    readonly type?: unknown
    readonly request_id?: unknown
    readonly request?: { readonly subtype?: unknown; readonly input?: { readonly hook_event_name?: unknown } }
  }
  if (frame.type !== "control_request" || typeof frame.request_id !== "string") return null
  const answer = answerTo(frame.request?.subtype, frame.request?.input?.hook_event_name)
  const response =
    answer === null
      ? { subtype: "error", request_id: frame.request_id, error: CLOSED }
      : { subtype: "success", request_id: frame.request_id, response: answer }
  return JSON.stringify({ type: "control_response", response })
}

const answerTo = (subtype: unknown, event: unknown): Record<string, unknown> | null => {
  if (subtype === "can_use_tool") return { behavior: "deny", message: CLOSED }
  if (subtype !== "hook_callback") return null
  return event === "PreToolUse" ? { decision: "block", reason: CLOSED } : {}
}
