// Receives the issue of one field of a request; returns the sentence for the client: the expected value, the kind of value
// that was sent, and what was probably meant.
// Invariant: of a value that was sent, only the kind is named; field names are truncated by the caller.
import { didYouMean, nearest } from "../../schemas/errors/nearest.ts"
import { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { FieldIssue } from "../../schemas/errors/union-issues.ts"

/** The sentence about a field; `place` is its path, or for the whole input its name, such as "the request body". */
export const wordingOf = (issue: FieldIssue, place: string, value: unknown): string => {
  const { kind, expected, literals, known, message } = issue
  if (kind === "unknown")
    return `${place}: is not a known field${meantBy(String(issue.path.at(-1)), issue, known ?? [])}`
  if (kind === "missing") {
    if (issue.path.length === 0 && expected !== undefined) return `${capital(place)} must have ${expected}`
    return `${place} is missing${expected === undefined ? "" : `: it is ${expected}`}`
  }
  if (kind === "type" && expected !== undefined) {
    const meant = typeof value === "string" && literals !== undefined ? nearest(value, literals) : undefined
    const suggestion = meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`
    return `${capital(place)} must be ${expected}.${literals === undefined ? ` Got ${kindOf(value)}.` : suggestion}`.replace(
      /\.$/,
      "",
    )
  }
  if ((value === "" || (Array.isArray(value) && value.length === 0)) && message.endsWith("length of at least 1")) {
    return `${place} must not be empty`
  }
  return `${place}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

const capital = (place: string): string => (place.startsWith("the ") ? `T${place.slice(1)}` : place)

const kindOf = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) return "a list"
  return typeof value === "string" || typeof value === "number" ? `a ${typeof value}` : "an object"
}

const PROMPT = ". The prompt is sent as `prompt`: a text or content blocks"
const STREAM = ". To stream the answer send the header `Accept: text/event-stream`"
const GO_ON = ". To continue a session send the prompt to POST /v1/sessions/{id}/query"

/** Top-level fields of other APIs, and their counterparts here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  messages: `${PROMPT}; the session remembers the conversation. Earlier messages go into \`history\` of POST /v1/sessions`,
  message: PROMPT,
  input: PROMPT,
  text: PROMPT,
  content: PROMPT,
  question: PROMPT,
  query: PROMPT,
  stream: STREAM,
  async: ". To get an immediate response send the header `Prefer: respond-async`",
  background: ". To get an immediate response send the header `Prefer: respond-async`",
  session: GO_ON,
  session_id: GO_ON,
  sessionId: GO_ON,
  conversation_id: GO_ON,
  thread_id: GO_ON,
  system: ". The system prompt is options.systemPrompt",
  system_prompt: ". The system prompt is options.systemPrompt",
  idempotency_key: ". It is the header `Idempotency-Key`",
}

const meantBy = (name: string, { path }: FieldIssue, known: ReadonlyArray<string>): string => {
  const top = path.length === 1
  const close = nearest(name, known)
  if (top && known.includes("prompt") && close !== "prompt" && Object.hasOwn(ELSEWHERE, name))
    return ELSEWHERE[name] ?? ""
  if (top && known.includes("options")) {
    const option = Object.hasOwn(SessionOptions.fields, name) ? name : undefined
    if (option !== undefined) return `. It is an option: send options.${option}`
  }
  if (close === undefined) return ""
  const parent = path.slice(0, -1).filter((step) => typeof step === "string")
  const placed = path.slice(0, -1).every((step) => typeof step === "string") ? [...parent, close].join(".") : close
  return didYouMean(placed)
}
