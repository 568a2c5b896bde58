import { describe, expect, test } from "vitest"
import {
  hexRows,
  imageType,
  lineEndOf,
  partText,
  sizeOfRange,
  textOf,
} from "../../../../src/console/workspace/file/file-content.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

describe("the type of a file", () => {
  test("text keeps its byte order mark", () => {
    expect(textOf(utf8("\uFEFFhé\r\n"))).toBe("\uFEFFhé\r\n")
  })

  test("the name of an inherited property is not an image extension", () => {
    expect(["a.png", "a.constructor", "a.valueof"].map((path) => imageType(path, 1))).toEqual([
      "image/png",
      undefined,
      undefined,
    ])
  })

  test("bytes that are not UTF-8, or contain a NUL, are not text", () => {
    expect(textOf(new Uint8Array([0xff, 0xfe, 0x41]))).toBeNull()
    expect(textOf(utf8("a\0b"))).toBeNull()
  })

  test("a part of a text may split a character at its ends", () => {
    const bytes = utf8(`é${"text ".repeat(40)}é`)
    expect(partText(bytes.subarray(1, -1))).toContain("text text")
    expect(partText(new Uint8Array(400).fill(0xff))).toBeNull()
  })

  test("lines end as all of the text's do, otherwise with a line feed only", () => {
    expect(lineEndOf("a\r\nb\r\n")).toBe("\r\n")
    expect(lineEndOf("a\r\nb\n")).toBe("\n")
    expect(lineEndOf("a")).toBe("\n")
  })

  test("images are detected by their names, up to a size", () => {
    expect(imageType("/a/B.PNG", 10)).toBe("image/png")
    expect(imageType("/a/b.svg", 10)).toBe("image/svg+xml")
    expect(imageType("/a/b.png", 1e9)).toBeUndefined()
    expect(imageType("/a/png", 10)).toBeUndefined()
  })

  test("bytes are shown sixteen in a row", () => {
    expect(hexRows(utf8("Perch\n 0123456789"))).toEqual([
      { offset: "000000", hex: "50 65 72 63 68 0a 20 30 31 32 33 34 35 36 37 38", text: "Perch. 012345678" },
      { offset: "000010", hex: "39", text: "9" },
    ])
  })

  test("a range names the whole size", () => {
    expect(sizeOfRange("bytes 0-9/1234")).toBe(1234)
    expect(sizeOfRange(null)).toBeNull()
  })
})
