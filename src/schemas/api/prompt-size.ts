// Receives a prompt; returns why it is too large for a turn, or undefined.
import { base64Size } from "../base64-size.ts"
import { base64ImageSize, isTooLarge, MAX_SIDE } from "../image-size.ts"

/** The most bytes of a body, and of a line of the control protocol, with prompts, messages or tool results. */
export const PROMPT_BODY = 20 * 1024 * 1024
/** The most characters of all texts of a prompt together. */
export const TEXT_LIMIT = 2_000_000
/** The most bytes of one image. */
const IMAGE_LIMIT = 5 * 1024 * 1024

/** The advice for a prompt of too many bytes. */
export const INTO_WORKSPACE =
  "Write it into the session's workspace (`PUT /v1/sessions/{id}/files/{path}`) and name the path in the prompt: the Read tool reads texts in pieces, and images."

export interface SizeIssue {
  readonly field: string
  readonly what: string
  /** What the client can do about it. */
  readonly advice: string
}

interface Source {
  readonly type?: unknown
  readonly data?: unknown
}

export const promptSizeIssue = (prompt: unknown): SizeIssue | undefined => {
  if (typeof prompt === "string") return textIssue(prompt.length)
  if (!Array.isArray(prompt)) return undefined
  let texts = 0
  for (const [index, block] of prompt.entries()) {
    // The schema of the route has checked that blocks are objects.
    const { type, text, source } = block as { type?: unknown; text?: unknown; source?: Source }
    if (typeof text === "string") texts += text.length
    if (source?.type === "text" && typeof source.data === "string") texts += source.data.length
    if (type !== "image" || typeof source?.data !== "string") continue
    const bytes = base64Size(source.data)
    if (bytes > IMAGE_LIMIT) {
      const what = `an image has at most ${IMAGE_LIMIT} bytes (5 MiB), and this one has ${bytes}`
      return { field: `prompt[${index}]`, what, advice: INTO_WORKSPACE }
    }
    const size = base64ImageSize(source.data)
    if (size !== null && isTooLarge(size)) {
      const what = `an image has at most ${MAX_SIDE} pixels along each side, and this one has ${size.width} x ${size.height}`
      return { field: `prompt[${index}]`, what, advice: "Scale it down, or cut it into several images." }
    }
  }
  return textIssue(texts)
}

const textIssue = (length: number): SizeIssue | undefined =>
  length <= TEXT_LIMIT
    ? undefined
    : {
        field: "prompt",
        what: `a prompt's texts have at most ${TEXT_LIMIT} characters, and these have ${length}`,
        advice: INTO_WORKSPACE,
      }
