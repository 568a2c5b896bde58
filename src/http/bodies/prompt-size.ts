// Receives a decoded body that may have a prompt; refuses one with a text or an image that is too large for a turn.
// Invariant: a body that is accepted fits into one call of a session's object (32 MiB), however its texts are encoded.
import * as Effect from "effect/Effect"
import { INTO_WORKSPACE, promptSizeIssue, type SizeIssue } from "../../schemas/api/prompt-size.ts"
import { ApiError } from "../errors/errors.ts"

/** The most bytes of a body in a call to a session's object, which leaves room for the call's other arguments. */
const CALL_LIMIT = 30 * 1024 * 1024

export const checkPromptSize = (body: unknown): Effect.Effect<void, ApiError> => {
  const issue = issueOf(body)
  return issue === undefined ? Effect.void : Effect.fail(tooLarge(issue))
}

const tooLarge = ({ field, what, advice }: SizeIssue): ApiError =>
  new ApiError({
    type: "request_too_large",
    message: `${field}: ${what}. ${advice}`,
    ...(field.includes(" ") ? {} : { field }),
  })

const issueOf = (body: unknown): SizeIssue | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const issue = promptSizeIssue(Reflect.get(body, "prompt"))
  if (issue !== undefined) return issue
  const size = callSize(body)
  if (size <= CALL_LIMIT) return undefined
  const what = `takes ${size} bytes in memory, and one call takes at most ${CALL_LIMIT} (30 MiB)`
  return { field: "The request body", what, advice: INTO_WORKSPACE }
}

/** The approximate bytes of a value in a call: a text with any character beyond Latin-1 takes two bytes per character. */
const callSize = (value: unknown): number => {
  if (typeof value === "string") return /[\u0100-\uffff]/.test(value) ? value.length * 2 : value.length
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + callSize(item) + 4, 0)
  if (typeof value !== "object" || value === null) return 8
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + callSize(item) + 8, 0)
}
