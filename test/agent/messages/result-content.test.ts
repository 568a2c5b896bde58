import { expect, it } from "vitest"
import { resultContent } from "../../../src/agent/messages/result-content.ts"

const text = (value: string) => ({ type: "text", text: value })
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }

it("a content with something in it is the content of its tool result", () => {
  for (const content of ["x", " x ", [text("a"), image], [image]])
    expect(resultContent(content, false)).toEqual(content)
})

it("blank texts are left out, and a result of nothing else says so", () => {
  expect(resultContent([text(" "), image, text("")], true)).toEqual([image])
  for (const content of ["", " \n\t", "\u00a0", [], [text("")], [text(""), text("\n")]]) {
    expect(resultContent(content, false)).toBe("(The tool gave no output.)")
    expect(resultContent(content, true)).toBe("(The call failed, and no reason was given.)")
  }
})
