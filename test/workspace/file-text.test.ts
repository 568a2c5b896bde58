import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeText, isText, markedAs, plainText, textOf, utf8Of } from "../../src/workspace/file-text.ts"

const bytesOf = (...parts: ReadonlyArray<number>): Uint8Array => Uint8Array.from(parts)
const MARKS = {
  "utf-8": [],
  "utf-8 with a mark": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe, 0x41, 0],
  "utf-16be": [0xfe, 0xff],
}

describe.each(Object.entries(MARKS))("the text of a file in %s", (_name, mark) => {
  it("is encoded to the bytes that it was decoded from", () => {
    const before = bytesOf(...mark)
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (any) => {
        const text = any.replace(/^\uFEFF+/, "")
        const bytes = encodeText(markedAs(text, before), before)
        expect(isText(bytes)).toBe(true)
        expect(encodeText(textOf(bytes), bytes)).toEqual(bytes)
        expect(plainText(textOf(bytes))).toBe(plainText(text))
        expect(Buffer.from(utf8Of(bytes)).toString()).toBe(text)
      }),
    )
  })
})

describe("bytes", () => {
  it.each([
    ["UTF-32", bytesOf(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0)],
    ["a lone byte", bytesOf(0xe9)],
    ["half a character of UTF-16", bytesOf(0xff, 0xfe, 0x41)],
    ["half a pair of UTF-16", bytesOf(0xfe, 0xff, 0xd8, 0x3d)],
  ])("that are no text are known as such: %s", (_name, bytes) => {
    expect(isText(bytes)).toBe(false)
  })

  it("are not copied if they are already UTF-8", () => {
    const bytes = bytesOf(0x41, 0x42)
    expect(utf8Of(bytes)).toBe(bytes)
  })
})

it("a long run of carriage returns is scanned once", () => {
  const text = "\r".repeat(300_000)
  expect(plainText(`${text}x`)).toBe(`${text}x`)
  expect(plainText(`a${text}\nb`)).toBe("a\nb")
})
