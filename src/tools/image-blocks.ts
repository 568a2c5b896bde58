// Receives base64 that is declared to be an image; returns it as blocks of a tool result.
// Invariant: every image block is one that the Messages API accepts; any other image is replaced by a text.
import { isBase64 } from "../schemas/base64.ts"
import { hasTooManyPixels } from "../schemas/image-size.ts"
import type { ToolResultBlock } from "./tool.ts"

/** The most characters of base64: of one image, as the Messages API accepts it, and of all images of a result. */
const MAX_IMAGE = 5_000_000
export const MAX_IMAGES = 10_000_000

/** True for base64 of an image that the Messages API refuses because of its size. */
export const isTooLargeToShow = (data: string): boolean => data.length > MAX_IMAGE || hasTooManyPixels(data)

/** Returns an image block and a text with its source, or only a text with the reason why it can't be shown. */
export const imageBlocks = (source: string, data: string, mimeType: string): ReadonlyArray<ToolResultBlock> => {
  const type = imageType(data)
  if (type === undefined || isTooLargeToShow(data)) {
    const why = type === undefined ? "it is not PNG, JPEG, GIF or WebP" : "it is too large"
    return [{ type: "text", text: `[Image of type ${mimeType} from ${source}: it can't be shown here, ${why}]` }]
  }
  return [
    { type: "image", source: { type: "base64", media_type: type, data } },
    { type: "text", text: `[Image: source: ${source}]` },
  ]
}

/** The image type according to the first bytes, not the declared type: the Messages API refuses an image of another type. */
export const imageType = (data: string): string | undefined => {
  if (!isBase64(data)) return undefined
  if (data.startsWith("iVBORw0KGgo")) return "image/png"
  if (data.startsWith("/9j/")) return "image/jpeg"
  if (data.startsWith("R0lGOD")) return "image/gif"
  // "RIFF", four bytes of length, "WEBP" without its first letter.
  return data.startsWith("UklGR") && data.slice(12, 16) === "RUJQ" ? "image/webp" : undefined
}
