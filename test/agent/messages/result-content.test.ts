import { expect, it } from "vitest"
import { resultContent } from "../../../src/agent/messages/result-content.ts"

const text = (value: string) => ({ type: "text", text: value })
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }

it("content that is not empty becomes the content of its tool result", () => {
  for (const content of ["x", " x ", [text("a"), image], [image]])
    expect(resultContent(content, false)).toEqual(content)
})

it("an image with too many pixels is replaced by a text that explains it", () => {
  const header = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
  const data = Buffer.from([...header, 0, 0, 0x20, 0, 0, 0, 0, 1]).toString("base64")
  const wide = { type: "image", source: { type: "base64", media_type: "image/png", data } }
  expect(resultContent([text("a"), wide], false)).toEqual([
    text("a"),
    text("[An image of more than 8000 pixels along a side was left out]"),
  ])
})

it("blank texts are dropped, and a result without any other content gets a text that says so", () => {
  expect(resultContent([text(" "), image, text("")], true)).toEqual([image])
  for (const content of ["", " \n\t", "\u00a0", [], [text("")], [text(""), text("\n")]]) {
    expect(resultContent(content, false)).toBe("(The tool returned no output.)")
    expect(resultContent(content, true)).toBe("(The call failed, and no reason was given.)")
  }
})
