import { describe, expect, it } from "vitest"
import { base64Of } from "../../../src/session/media/base64.ts"
import { png } from "../../support/values/images.ts"

describe("base64 of bytes", () => {
  it("is that of Node, for every length and every byte", () => {
    const all = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), png(1000)])
    for (let from = 0; from < 8; from += 1) {
      for (let length = 0; length <= 300; length += 1) {
        const bytes = all.subarray(from, from + length)
        expect(Buffer.from(base64Of(bytes)).toString("latin1")).toBe(bytes.toString("base64"))
      }
    }
  })
})
