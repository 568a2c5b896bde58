// Receives what a call returned; returns the content of its tool result.
// Invariant: the Messages API accepts the content. The API refuses texts of only white space, errors without content, and
// images with too many pixels; such a result would make it refuse every later request of the session.
import { hasTooManyPixels, MAX_SIDE } from "../../schemas/image-size.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

const NO_OUTPUT = "(The tool returned no output.)"
const NO_REASON = "(The call failed, and no reason was given.)"

export const resultContent = (content: unknown, isError: boolean): unknown => {
  const nothing = isError ? NO_REASON : NO_OUTPUT
  if (typeof content === "string") return isBlank(content) ? nothing : content
  if (!Array.isArray(content)) return content
  if (content.length > 0 && !content.some((block) => isBlankText(block) || isTooLarge(block))) return content
  const shown = content.filter((block) => !isBlankText(block)).map((block) => (isTooLarge(block) ? LEFT_OUT : block))
  return shown.length === 0 ? nothing : shown
}

const LEFT_OUT = { type: "text", text: `[An image of more than ${MAX_SIDE} pixels along a side was left out]` }

const isTooLarge = (block: unknown): boolean => {
  if (!isPlainObject(block) || block["type"] !== "image" || !isPlainObject(block["source"])) return false
  const { data } = block["source"]
  return typeof data === "string" && hasTooManyPixels(data)
}

const isBlank = (text: string): boolean => !/\S/.test(text)

const isBlankText = (block: unknown): boolean =>
  isPlainObject(block) && block["type"] === "text" && typeof block["text"] === "string" && isBlank(block["text"])
