// The limits of JSON: which texts pass, what remains of a truncated text, and that a text and its value get the same verdict.
import fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  boundsOfValue,
  withoutDeepLevels,
  LEFT_OUT,
  parseJson,
  parsePiece,
  wellFormedJson,
} from "../../src/schemas/bounded-json.ts"
import { DEEP_VALUES } from "../support/values/deep-values.ts"

const faultOf = (json: string) => {
  const parsed = parseJson(json)
  return Result.isSuccess(parsed) ? null : parsed.failure.fault
}

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe("the bounds of JSON", () => {
  it.each(DEEP_VALUES)("check $name", ({ json, fault }) => {
    expect(faultOf(json)).toBe(fault)
  })

  it.each(DEEP_VALUES.filter(({ name }) => !name.includes("never closed")))("judge its value too: $name", (one) => {
    if (one.fault !== "syntax") expect(boundsOfValue(JSON.parse(one.json))?.fault ?? null).toBe(one.fault)
  })

  it("accept any value of ordinary size like the parser", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (json) => {
        const parsed = parseJson(json)
        if (Result.isSuccess(parsed)) expect(parsed.success).toEqual(JSON.parse(json))
        else expect(parsed.failure.fault).toBe("key")
      }),
    )
  })
})

describe("a truncated text", () => {
  it("is the same up to the depth, and has a placeholder for deeper values", () => {
    expect(withoutDeepLevels('{"a":[1,{"b":"]"}],"c":2}'.padEnd(30), 1)).toBe(`{"a":"${LEFT_OUT}","c":2}     `)
    expect(withoutDeepLevels('[[["x"]],[],{"k":{}}, 5]', 2)).toBe(`[["${LEFT_OUT}"],[],{"k":"${LEFT_OUT}"}, 5]`)
    expect(withoutDeepLevels("[[[1]]]", 7)).toBe("[[[1]]]")
  })

  it("is still JSON, no deeper than requested, for any value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 12 }), fc.integer({ min: 1, max: 6 }), (json, depth) => {
        const cut: unknown = JSON.parse(withoutDeepLevels(json, depth))
        expect(depthOf(cut)).toBeLessThanOrEqual(Math.max(depth, json.length <= 2 * depth ? depth : 0))
        if (depthOf(JSON.parse(json)) <= depth) expect(cut).toEqual(JSON.parse(json))
      }),
    )
  })
})

describe("a lone surrogate", () => {
  /** Every text, including lone surrogates and escapes. */
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("\ud83d", "\ude00", "\\", "\\u", "ud800", "\\ud800", '"', "x", "\n"), { maxLength: 12 })
      .map((all) => all.join("")),
  )

  it("becomes U+FFFD in outside input, in values and in keys", () => {
    fc.assert(
      fc.property(texts, texts, (key, value) => {
        fc.pre(key !== "__proto__")
        const json = JSON.stringify({ [key]: [value, { deep: value }] })
        const shown = value.toWellFormed()
        expect(parseJson(json)).toEqual(Result.succeed({ [key.toWellFormed()]: [shown, { deep: shown }] }))
        expect(parsePiece(json)).toEqual(Result.succeed(JSON.parse(json)))
      }),
    )
  })

  it("becomes U+FFFD in the text of a value that a process wrote, and nothing else changes", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(wellFormedJson(JSON.stringify([text])))).toEqual([text.toWellFormed()])
      }),
    )
  })
})
