import { describe, expect, it } from "vitest"
import { base64Into, base64Length } from "../../../src/session/media/base64.ts"
import { png } from "../../support/values/images.ts"

describe("base64 of bytes", () => {
  it("equals that of Node, for every length and every byte", () => {
    const all = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), png(1000)])
    for (let from = 0; from < 8; from += 1) {
      for (let length = 0; length <= 300; length += 1) {
        const bytes = all.subarray(from, from + length)
        const written = base64Into(new Uint8Array(base64Length(length)), bytes)
        expect(Buffer.from(written).toString("latin1")).toBe(bytes.toString("base64"))
      }
    }
  })

  it("uses no more of its target than it needs, whatever the target contains", () => {
    const target = new Uint8Array(100).fill(120)
    const written = base64Into(target, Buffer.from("a"))
    expect(Buffer.from(written).toString("latin1")).toBe("YQ==")
    expect(target[4]).toBe(120)
  })
})
