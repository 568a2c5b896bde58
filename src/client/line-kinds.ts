// Parses lines of the SDK and the server, and recognizes the kinds that the process treats specially.
// Invariant: nothing is assumed about a line. One that is no JSON object has no fields, and is passed on unchanged, so that its
// receiver reports it.

/** The fields of a line that this process uses. Their values have not been checked. */
export interface ParsedLine {
  readonly type?: unknown
  readonly subtype?: unknown
  readonly state?: unknown
  readonly is_error?: unknown
  readonly uuid?: unknown
  readonly message?: unknown
  readonly parent_tool_use_id?: unknown
  readonly tool_use_result?: unknown
  readonly timestamp?: unknown
  readonly isReplay?: unknown
  readonly isSynthetic?: unknown
  readonly shouldQuery?: unknown
  readonly title?: unknown
  readonly compact_metadata?: {
    readonly trigger?: unknown
    readonly pre_tokens?: unknown
    readonly preserved_messages?: { readonly anchor_uuid: string; readonly uuids: ReadonlyArray<string> }
  }
  readonly request_id?: unknown
  readonly response?: { readonly request_id?: unknown }
  readonly request?: { readonly subtype?: unknown; readonly input?: { readonly hook_event_name?: unknown } }
}

export const parsedLine = (line: string): ParsedLine => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    // No JSON.
    return {}
  }
}

/** The request of a control request line; undefined for any other line. */
export const requestOf = (line: string): ParsedLine["request"] => {
  const { type, request } = parsedLine(line)
  return type === "control_request" ? request : undefined
}

/** Whether a line of the server is the result of a turn. */
export const isResult = (json: string): boolean =>
  json.includes('"type":"result"') && parsedLine(json).type === "result"

/** Whether a line of the SDK asks for the end of the session. */
export const endsSession = (line: string): boolean =>
  line.includes('"end_session"') && requestOf(line)?.subtype === "end_session"

/** Whether a line of the server is a permission question. */
export const isQuestion = (json: string): boolean =>
  json.startsWith('{"type":"control_request"') && json.includes('"subtype":"can_use_tool"')
