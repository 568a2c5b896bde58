// Receives a failed model request; returns which kind of media in the conversation the API refused.
import type { ModelError } from "./messages-api.ts"

/** The type of the refused content block. */
export type RefusedMedia = "image" | "document"

/** As the API's path: `messages.2.content.1.image.source.base64.data`, also inside a tool result. */
const IMAGE_PATH = /^messages\.\d+\.content\.\d+\.(?:tool_result\.content\.\d+\.)?image\b/
const DOCUMENT_PATH = /^messages\.\d+\.content\.\d+\.(?:tool_result\.content\.\d+\.)?(?:document|pdf)\b/

/** Null when the error has another cause. */
export const refusedMedia = ({ status, message }: Pick<ModelError, "status" | "message">): RefusedMedia | null => {
  if (status !== 400) return null
  if (IMAGE_PATH.test(message) || /\bimage (exceeds|dimensions exceed)|could not process image/i.test(message))
    return "image"
  const isDocument = DOCUMENT_PATH.test(message) || /\bPDF (pages|specified)\b|could not process PDF/i.test(message)
  return isDocument ? "document" : null
}
