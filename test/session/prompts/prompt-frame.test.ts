import { expect, it } from "vitest"
import { promptOf } from "../../../src/session/prompts/prompt-frame.ts"

const TURN = "0192f0c1-2345-7abc-8def-0123456789ab"
const frame = (type: string, data: string) => ({
  type: "user",
  message: { role: "user", content: [{ type, source: { type: "base64", media_type: mediaTypes[type], data } }] },
})
const mediaTypes: Readonly<Record<string, string>> = { image: "image/png", document: "application/pdf" }

it.each([
  ["image", "data:image/png;base64,AAAA"],
  ["image", "AAA"],
  ["image", "AAAA\nAAAA"],
  ["document", "JVBERi0"],
  ["document", ""],
])("the %s %j of a user frame is refused, because it is not base64", (type, data) => {
  expect(promptOf(frame(type, data), TURN)).toMatch(/^prompt\[0\]\.source\.data is not valid base64\. Send the bytes/)
})

it("media of a user frame in base64 are a prompt", () => {
  expect(promptOf(frame("image", "iVBORw0KGgo="), TURN)).toMatchObject({ turn: TURN, onBusy: "queue" })
})

it.each([
  [null, "prompt"],
  [
    [
      { type: "text", text: "a" },
      { type: "text", text: 1 },
    ],
    "prompt[1].text",
  ],
  [
    [{ type: "image", source: { type: "base64", media_type: "image/bmp", data: "AAAA" } }],
    "prompt[0].source.media_type",
  ],
  [[{ type: "tool_result", tool_use_id: "t1", content: "a" }], "prompt[0].type"],
])("the content %j of a user frame is refused by the field %s", (content, field) => {
  expect(promptOf({ type: "user", message: { role: "user", content } }, TURN)).toBe(
    `${field}: the content of a user message is a text, or 1 to 200 text, image and document blocks`,
  )
})

it("a user frame without blocks is an empty prompt", () => {
  expect(promptOf({ type: "user", message: { role: "user", content: [] } }, TURN)).toMatchObject({ prompt: "" })
})
