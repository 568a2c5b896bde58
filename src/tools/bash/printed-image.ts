// Receives the output of a command; when it is nothing but a data URI of an image, returns the image for the model, as the
// official SDK does.
// Invariant: a returned image is one that the Messages API accepts.
import { imageType, isTooLargeToShow } from "../image-blocks.ts"
import type { ToolResultBlock } from "../tool.ts"

/** The image that was printed, or why it can't be shown. */
export type PrintedImage = { readonly block: ToolResultBlock } | { readonly why: string }

const URI = /^data:image\/[a-z0-9.+_-]+;base64,([^\r\n]+)$/i

/** Null for an output that is not a data URI of an image. `output` has no blanks around it. */
export const printedImage = (output: string): PrintedImage | null => {
  const data = URI.exec(output)?.[1]
  if (data === undefined) return null
  const type = imageType(data)
  if (type === undefined) return { why: "it is not PNG, JPEG, GIF or WebP in base64" }
  if (isTooLargeToShow(data)) return { why: "it is too large" }
  return { block: { type: "image", source: { type: "base64", media_type: type, data } } }
}
