// Which media of the conversation an error of the API is about.
import { expect, it } from "vitest"
import { refusedMedia } from "../../src/model/refused-media.ts"

it.each([
  ["messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes", "image"],
  ["messages.3.content.0.tool_result.content.0.image.source.base64.data: invalid base64 data", "image"],
  ["messages.2.content.1.image: image cannot be empty", "image"],
  ["Could not process image", "image"],
  ["messages.4.content.1.pdf.source.base64.data: The PDF specified was not valid.", "document"],
  ["A maximum of 100 PDF pages may be provided.", "document"],
  ["Could not process PDF", "document"],
  ["prompt is too long: 210000 tokens > 200000 maximum", null],
  ["messages.0.content.1.text: text content blocks must be non-empty", null],
])("%s", (message, media) => {
  expect(refusedMedia({ status: 400, message })).toBe(media)
  expect(refusedMedia({ status: 500, message })).toBeNull()
})
