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
