import { expect, it } from "vitest"
import { messageJson, messageText } from "../../../src/console/chat/message-text.ts"

const part = (type: string, text: string, more: object = {}) => ({ id: text, messageID: "msg_1", type, text, ...more })

it("copies the written text, without thinking and what the loop added", () => {
  const parts = [
    part("reasoning", "hm"),
    part("text", "One"),
    part("text", "note", { synthetic: true }),
    part("text", "Two"),
  ]
  expect(messageText(parts)).toBe("One\n\nTwo")
})

it("copies the message as JSON", () => {
  const info = { id: "msg_1", role: "user" as const, time: { created: 1 } }
  expect(JSON.parse(messageJson(info, [part("text", "One")]))).toMatchObject({
    info: { id: "msg_1" },
    parts: [{ text: "One" }],
  })
})
