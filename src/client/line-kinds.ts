// Recognizes the kinds of lines, from the SDK or the server, that the process treats specially.
import { requestOf } from "./closed-input.ts"

/** Whether a line of the server is the result of a turn. */
export const isResult = (json: string): boolean =>
  json.includes('"type":"result"') && (JSON.parse(json) as { readonly type?: unknown }).type === "result"

/** Whether a line of the SDK asks for the end of the session. */
export const endsSession = (line: string): boolean =>
  line.includes('"end_session"') && requestOf(line)?.subtype === "end_session"

/** Whether a line of the server is a permission question. */
export const isQuestion = (json: string): boolean =>
  json.startsWith('{"type":"control_request"') && json.includes('"subtype":"can_use_tool"')
