// Receives a decoded body that may hold a prompt; refuses one with a text or an image that no turn can take.
// Invariant: what passes fits into one call of a session's object (32 MiB), however its texts are stored in memory.
import * as Effect from "effect/Effect"
import { ApiError } from "../errors/errors.ts"

/** Bytes of a body that holds prompts, messages or results of tools. */
export const PROMPT_BODY = 20 * 1024 * 1024
/** Characters of a prompt's texts together. */
const TEXT_LIMIT = 2_000_000
/** Bytes of one image. */
const IMAGE_LIMIT = 5 * 1024 * 1024
/** Bytes of a call to a session's object, with room for what else is in it. */
const CALL_LIMIT = 30 * 1024 * 1024

const WORKSPACE =
  "Write it into the session's workspace (`PUT /v1/sessions/{id}/files/{path}`) and name the path in the prompt: the Read tool reads texts in pieces, and images."

export const checkPromptSize = (body: unknown): Effect.Effect<void, ApiError> => {
  const refused = refusalOf(body)
  return refused === undefined ? Effect.void : Effect.fail(refused)
}

const tooLarge = (field: string, what: string): ApiError =>
  new ApiError({
    type: "request_too_large",
    message: `${field}: ${what}. ${WORKSPACE}`,
    ...(field.includes(" ") ? {} : { field }),
  })

const refusalOf = (body: unknown): ApiError | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const prompt: unknown = Reflect.get(body, "prompt")
  if (typeof prompt === "string" && prompt.length > TEXT_LIMIT) return tooMuchText(prompt.length)
  if (Array.isArray(prompt)) {
    let texts = 0
    for (const [index, block] of prompt.entries()) {
      // The route's schema has checked that blocks are objects.
      const { type, text, source } = block as { type?: unknown; text?: unknown; source?: { data?: unknown } }
      if (typeof text === "string") texts += text.length
      if (type !== "image" || typeof source?.data !== "string") continue
      const bytes = Math.floor((source.data.length * 3) / 4)
      if (bytes > IMAGE_LIMIT) {
        return tooLarge(
          `prompt[${index}]`,
          `an image has at most ${IMAGE_LIMIT} bytes (5 MiB), and this one has ${bytes}`,
        )
      }
    }
    if (texts > TEXT_LIMIT) return tooMuchText(texts)
  }
  const size = callSize(body)
  if (size <= CALL_LIMIT) return undefined
  return tooLarge(
    "The request body",
    `takes ${size} bytes in memory, and one call takes at most ${CALL_LIMIT} (30 MiB)`,
  )
}

const tooMuchText = (length: number): ApiError =>
  tooLarge("prompt", `a prompt's texts have at most ${TEXT_LIMIT} characters, and these have ${length}`)

/** Bytes of the texts of a value in a call: a text with any character beyond Latin-1 takes two for each. */
const callSize = (value: unknown): number => {
  if (typeof value === "string") return /[\u0100-\uffff]/.test(value) ? value.length * 2 : value.length
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + callSize(item) + 4, 0)
  if (typeof value !== "object" || value === null) return 8
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + callSize(item) + 8, 0)
}
