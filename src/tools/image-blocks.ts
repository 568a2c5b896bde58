// Receives base64 that is declared to be an image; returns it as blocks of a tool result.
// Invariant: what is shown as an image the Messages API takes; anything else is named in a text.
import { hasTooManyPixels } from "../schemas/image-size.ts"
import type { ToolResultBlock } from "./tool.ts"

/** Characters of base64: of one image as the Messages API takes it, and of all images of a result. */
const MAX_IMAGE = 5_000_000
export const MAX_IMAGES = 10_000_000

/** The image and the text that names where it is from. */
export const imageBlocks = (source: string, data: string, mimeType: string): ReadonlyArray<ToolResultBlock> => {
  const type = imageType(data)
  const isLarge = data.length > MAX_IMAGE || hasTooManyPixels(data)
  if (type === undefined || isLarge) {
    const why = type === undefined ? "it is not PNG, JPEG, GIF or WebP" : "it is too large"
    return [{ type: "text", text: `[Image of type ${mimeType} from ${source}: it can't be shown here, ${why}]` }]
  }
  return [
    { type: "image", source: { type: "base64", media_type: type, data } },
    { type: "text", text: `[Image: source: ${source}]` },
  ]
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const isBase64 = (data: string): boolean => data.length % 4 === 0 && BASE64.test(data)

/** The image type by the first bytes, whatever the server declares: the Messages API refuses an image by another name. */
export const imageType = (data: string): string | undefined => {
  if (!isBase64(data)) return undefined
  if (data.startsWith("iVBORw0KGgo")) return "image/png"
  if (data.startsWith("/9j/")) return "image/jpeg"
  if (data.startsWith("R0lGOD")) return "image/gif"
  // "RIFF", four bytes of length, "WEBP" without its first letter.
  return data.startsWith("UklGR") && data.slice(12, 16) === "RUJQ" ? "image/webp" : undefined
}
