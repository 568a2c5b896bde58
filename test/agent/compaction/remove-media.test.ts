// The conversation without images or documents that the API refused.
import { expect, it } from "vitest"
import { withoutMedia } from "../../../src/agent/compaction/remove-media.ts"
import type { ApiMessage } from "../../../src/agent/transcript/transcript.ts"
import { immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } }
const text = { type: "text", text: "look" }
const result = { type: "tool_result", tool_use_id: "t1", content: [text, image] }
const user = (...content: ApiMessage["content"]): ApiMessage => immutableMessage({ role: "user", content })
const answer: ApiMessage = immutableMessage({ role: "assistant", content: [{ type: "text", text: "seen" }] })

const REFUSED = { message: "too large" }
const removed = (name: string) => ({
  type: "text",
  text: `[${name} removed: the API could not process it (too large). Do not read it again as it is.]`,
})

it("has a text in place of the images of the last message with images, and keeps earlier ones", () => {
  const messages = [user(text, image), answer, user(image, text, image), answer, user(text)]
  const kept = [user(text, image), answer, user(removed("Image"), text, removed("Image")), answer, user(text)]
  expect(withoutMedia(messages, "image", REFUSED, false)).toEqual(kept)
})

it("has a text in place of an image in a tool result", () => {
  const kept = [user({ ...result, content: [text, removed("Image")] })]
  expect(withoutMedia([user(result)], "image", REFUSED, false)).toEqual(kept)
})

it("has no image at all when all are removed, and keeps documents", () => {
  const messages = [user(image), answer, user(result, document)]
  const kept = [user(removed("Image")), answer, user({ ...result, content: [text, removed("Image")] }, document)]
  expect(withoutMedia(messages, "image", REFUSED, true)).toEqual(kept)
  expect(withoutMedia(kept, "image", REFUSED, true)).toBeNull()
})
