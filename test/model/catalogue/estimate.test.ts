import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateTokens } from "../../../src/model/catalogue/estimate.ts"

const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })
const document = (data: string, type = "base64") => ({ type: "document", source: { type, data } })

describe("an estimate of tokens", () => {
  it("is a quarter of a text's characters", () => {
    expect(estimateTokens("")).toBe(0)
    expect(estimateTokens("x".repeat(400))).toBe(100)
  })

  it("of a JSON value grows with its JSON, and is well below its length", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(estimateTokens(value)).toBeLessThanOrEqual(JSON.stringify(value).length / 2 + 1)
        expect(estimateTokens([value, value])).toBeGreaterThanOrEqual(estimateTokens(value))
      }),
    )
    expect(estimateTokens({ file_path: "/workspace/a.txt" })).toBe(7)
    expect(estimateTokens(undefined)).toBe(0)
  })

  it("counts an image as a constant, wherever it is and however many bytes it has", () => {
    expect(estimateTokens(image("A".repeat(1_000_000)))).toBe(estimateTokens(image("A")))
    const result = { type: "tool_result", tool_use_id: "t", content: [image("A".repeat(1_000_000))] }
    expect(estimateTokens(result)).toBeGreaterThanOrEqual(1600)
    expect(estimateTokens(result)).toBeLessThan(1700)
  })

  it("counts a document by its pages, and one of plain text by its characters", () => {
    expect(estimateTokens(document("A".repeat(250_000)))).toBe(3 * estimateTokens(document("A")))
    expect(estimateTokens(document("A".repeat(4000), "text"))).toBeGreaterThan(1000)
    expect(estimateTokens(document("A".repeat(4000), "text"))).toBeLessThan(1100)
  })
})
