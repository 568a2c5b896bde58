import { describe, expect, it } from "vitest"
import { withoutQuotes } from "../../src/tools/quoted-parameters.ts"

const of = (property: unknown, given: unknown, more: object = {}): unknown => {
  const input = withoutQuotes({ type: "object", properties: { a: property }, ...more }, { a: given, b: "1" })
  return (input as { readonly a: unknown }).a
}

const NUMBER = { type: "number" }
const LIST = { type: "array", items: NUMBER }
const OBJECT = { type: "object", properties: { k: NUMBER } }

/** A property's schema, the text that a model wrote, and the value that the official SDK makes of it. */
const READ: ReadonlyArray<readonly [schema: unknown, text: string, value: unknown]> = [
  [NUMBER, "1", 1],
  [NUMBER, "-1.5", -1.5],
  [{ type: "integer" }, "2", 2],
  [{ type: "boolean" }, "true", true],
  [{ type: "boolean" }, "false", false],
  [LIST, "[1,2]", [1, 2]],
  [LIST, " [1]", [1]],
  [LIST, '["1"]', ["1"]],
  [OBJECT, '{"k":"1"}', { k: "1" }],
  [{ type: ["number", "null"] }, "5", 5],
  [{ anyOf: [NUMBER, { type: "null" }] }, "1", 1],
  [{ anyOf: [NUMBER, { type: "boolean" }] }, "1", 1],
  [{ const: 5 }, "5", 5],
  [{ enum: [1, 2] }, "2", 2],
]

const KEPT: ReadonlyArray<readonly [schema: unknown, given: unknown]> = [
  [NUMBER, "4.50"],
  [NUMBER, "007"],
  [NUMBER, " 4 "],
  [NUMBER, "-2e3"],
  [NUMBER, "0x10"],
  [NUMBER, "12345678901234567890"],
  [NUMBER, "Infinity"],
  [NUMBER, "NaN"],
  [NUMBER, ""],
  [NUMBER, "abc"],
  [NUMBER, "true"],
  [{ type: "boolean" }, "True"],
  [{ type: "boolean" }, "1"],
  [{ type: "string" }, "5"],
  [{ type: "string" }, '{"a":1}'],
  [LIST, "1"],
  [LIST, "[1"],
  [LIST, ["1"]],
  [OBJECT, "{bad"],
  [OBJECT, { k: "1" }],
  [{ type: ["number", "null"] }, "null"],
  [{ anyOf: [NUMBER, { type: "string" }] }, "1"],
  [{ enum: ["1", 2] }, "2"],
  [{}, "5"],
  [true, "5"],
]

describe("a quoted parameter", () => {
  it.each(READ)("of %j written as %j is read as %j", (schema, text, value) => {
    expect(of(schema, text)).toEqual(value)
  })

  it.each(KEPT)("of %j stays when it is %j", (schema, given) => {
    expect(of(schema, given)).toBe(given)
  })

  it("is read by the schema that a reference names", () => {
    const $defs = { list: { $ref: "#/$defs/numbers" }, numbers: LIST }
    expect(of({ $ref: "#/$defs/list" }, "[1]", { $defs })).toEqual([1])
    expect(of({ $ref: "#/$defs/none" }, "[1]", { $defs })).toBe("[1]")
    expect(of({ $ref: "#/$defs/a" }, "[1]", { $defs: { a: { $ref: "#/$defs/a" } } })).toBe("[1]")
  })
})

describe("an input without quoted parameters", () => {
  it("is returned as it is", () => {
    for (const input of [{ a: 1, z: "1" }, "text", null, 5, [1]]) {
      expect(withoutQuotes({ properties: { a: NUMBER } }, input)).toBe(input)
    }
  })
})
