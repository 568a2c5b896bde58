// Answers the server's requests in place of an SDK that closed the process's input: those that arrive after that, and
// those that the SDK received before and left unanswered.
// Invariant: the server never waits for a response that can't come, and a tool call that the app would have judged does not run.
import { parsedLine } from "./line-kinds.ts"

const CLOSED = "The client has closed its input and answers no more."

/** The requests of the server that the SDK has not answered yet. */
export class ServerRequests {
  /** The lines of the requests, by id, until they are answered or withdrawn. */
  readonly #lines = new Map<string, string>()

  /** A line of the server on its way to the SDK. */
  passed(json: string): void {
    if (json.includes('"control_request"')) {
      const { type, request_id: id } = parsedLine(json)
      if (type === "control_request" && typeof id === "string") this.#lines.set(id, json)
    } else if (this.#lines.size > 0 && json.includes('"control_cancel_request"')) {
      const { type, request_id: id } = parsedLine(json)
      if (type === "control_cancel_request") this.#lines.delete(String(id))
    }
  }

  /** A line of the SDK on its way to the server. */
  sent(line: string): void {
    if (this.#lines.size === 0 || !line.includes('"control_response"')) return
    for (const id of this.#lines.keys()) if (line.includes(JSON.stringify(id))) this.#lines.delete(id)
  }

  /** Returns the responses to all open requests, and forgets them. */
  close(): ReadonlyArray<string> {
    const answers = [...this.#lines.values()].flatMap((json) => answerInPlace(json) ?? [])
    this.#lines.clear()
    return answers
  }
}

/** The requests of the SDK that the server has not answered yet. */
export class SdkRequests {
  readonly #ids = new Set<string>()

  get areOpen(): boolean {
    return this.#ids.size > 0
  }

  /** A line of the SDK on its way to the server. */
  sent(line: string): void {
    if (!line.includes('"control_request"')) return
    const { type, request_id: id } = parsedLine(line)
    if (type === "control_request" && typeof id === "string") this.#ids.add(id)
  }

  /** A line of the server on its way to the SDK. */
  passed(json: string): void {
    if (this.#ids.size === 0 || !json.startsWith('{"type":"control_response"')) return
    const { response } = parsedLine(json)
    if (typeof response?.request_id === "string") this.#ids.delete(response.request_id)
  }
}

/** Returns the control response to a line; null when the line is no control request. */
export const answerInPlace = (json: string): string | null => {
  if (!json.includes('"control_request"')) return null
  const frame = parsedLine(json)
  if (frame.type !== "control_request" || typeof frame.request_id !== "string") return null
  const answer = answerTo(frame.request?.subtype, frame.request?.input?.hook_event_name)
  const response =
    answer === null
      ? { subtype: "error", request_id: frame.request_id, error: CLOSED }
      : { subtype: "success", request_id: frame.request_id, response: answer }
  return JSON.stringify({ type: "control_response", response })
}

/** Returns a hook's output; null is an error response, with which a permission request denies the call. */
const answerTo = (subtype: unknown, event: unknown): Record<string, unknown> | null => {
  if (subtype !== "hook_callback") return null
  return event === "PreToolUse" ? { decision: "block", reason: CLOSED } : {}
}
