import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type ReceivedSchema, readJsonSchema } from "../../../src/schemas/agent-schema/json-schema-dialect.ts"
import { isPlainPattern } from "../../../src/schemas/agent-schema/re2-pattern.ts"
import { anthropicRules } from "./provider-rules.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const read = (schema: unknown): ReceivedSchema => Result.getOrThrow(readJsonSchema(schema))
const refused = (schema: unknown): ReadonlyArray<string> => {
  const result = readJsonSchema(schema)
  return Result.isFailure(result) ? result.failure.issues.map(({ path, issue }) => `${path}: ${issue}`) : []
}
const object = (properties: Record<string, unknown>, more = {}) => ({ type: "object", properties, ...more })

describe("accepts what the Messages API accepts, and checks values", () => {
  it.each<[string, unknown, unknown, ReadonlyArray<string>]>([
    ["integer", { type: "integer" }, 1.5, ["$.a:not-integer"]],
    ["null in a type list", { type: ["string", "null"] }, null, []],
    ["a type list", { type: ["string", "null"] }, 1, ["$.a:not-string-or-null"]],
    ["format", { type: "string", format: "date" }, "2026-02-30", ["$.a:format-mismatch"]],
    ["nullable", { type: "string", nullable: true }, null, []],
    ["nullable list", { type: ["string", "number"], nullable: true }, true, ["$.a:not-string-or-number-or-null"]],
    ["nullable alone", { enum: ["x"], nullable: true }, null, ["$.a:not-in-enum"]],
    ["$ref", { $ref: "#/$defs/name" }, 3, ["$.a:not-string"]],
    ["a $ref under definitions", { $ref: "#/definitions/odd~1name" }, 3, ["$.a:not-boolean"]],
    ["nested oneOf", { oneOf: [{ type: "string" }, { type: "number" }] }, true, ["$.a:no-union-member"]],
    ["nested allOf", { allOf: [{ minimum: 1 }, { maximum: 3 }] }, 4, ["$.a:above-maximum"]],
    ["nested anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, null, []],
    ["not", { not: { const: 1 } }, 1, ["$.a:value-not-allowed"]],
    ["const", { const: "x" }, "y", ["$.a:not-in-enum"]],
    ["enum of anything", { enum: [1, null, { b: 1 }] }, { b: 1 }, []],
    ["pattern", { type: "string", pattern: "^\\u0061+/$" }, "b", ["$.a:pattern-mismatch"]],
    ["lengths in UTF-16 units", { type: "string", minLength: 2, maxLength: 2 }, "𝒳", []],
    ["a text that is too long", { type: "string", maxLength: 1 }, "𝒳", ["$.a:too-long"]],
    ["lengths next to allOf", { allOf: [{ minLength: 1 }], maxLength: 2 }, "abc", ["$.a:too-long"]],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["$.a[1]:unknown-property"]],
    ["draft-07 tuples", { items: [{ type: "string" }] }, [1], ["$.a[0]:not-string"]],
    ["uniqueItems", { uniqueItems: true }, [1, 1], ["$.a:items-not-unique"]],
    [
      "additionalProperties",
      object({}, { additionalProperties: { type: "number" } }),
      { b: "x" },
      ["$.a.b:not-number"],
    ],
    ["patternProperties", { patternProperties: { "^x-": { type: "number" } } }, { "x-b": "x" }, ["$.a.x-b:not-number"]],
    ["closed objects", object({}, { additionalProperties: false }), { b: 1 }, ["$.a.b:unknown-property"]],
    [
      "names that every object has",
      object({}, { required: ["constructor"] }),
      {},
      ["$.a.constructor:missing-property"],
    ],
    ["unknown keywords", { type: "string", nullable: true, "x-note": {} }, "a", []],
  ])("%s", (_, schema, value, issues) => {
    const definitions = { $defs: { name: { type: "string" } }, definitions: { "odd/name": { type: "boolean" } } }
    const received = read({
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({ a: schema }),
      ...definitions,
    })
    expect(received.validate({ a: value })).toEqual(issues)
    expect(anthropicRules(received.jsonSchema)).toEqual([])
    expect(received.jsonSchema).not.toHaveProperty("$schema")
    expect(received.merged).toBe(false)
  })

  it("checks recursive trees", () => {
    const tree = { type: "object", properties: { next: { $ref: "#/$defs/tree" } }, additionalProperties: false }
    const { validate } = read({ ...object({ root: { $ref: "#/$defs/tree" } }), $defs: { tree } })
    expect(validate({ root: { next: { next: {} } } })).toEqual([])
    expect(validate({ root: { next: { next: { other: 1 } } } })).toEqual(["$.root.next.next.other:unknown-property"])
  })

  it("names the error in a closed object, and not the known property that contains it", () => {
    const inner = object({ b: { type: "string" }, c: { type: "integer" } }, { additionalProperties: false })
    const { validate } = read(
      object({ a: inner, d: { anyOf: [inner, { type: "null" }] } }, { additionalProperties: false }),
    )
    expect(validate({ a: { b: 1, c: "x", e: 1 }, d: { b: 1 }, f: 1 })).toEqual([
      "$.a.b:not-string",
      "$.a.c:not-integer",
      "$.a.e:unknown-property",
      "$.d:no-union-member",
      "$.f:unknown-property",
    ])
  })

  it("names each property that another one requires", () => {
    const { validate } = read({ dependentRequired: { a: ["b", "c"], d: ['q"t'] } })
    expect(validate({ a: 1, d: 1 })).toEqual(["$.b:missing-property", "$.c:missing-property", '$.q"t:missing-property'])
    expect(validate({ a: 1, b: 1, c: 1 })).toEqual([])
  })

  it("accepts only objects at the root, even if the schema does not require one", () => {
    const { jsonSchema, validate } = read({ properties: { a: { type: "string" } }, required: ["a"] })
    expect(jsonSchema["type"]).toBe("object")
    expect(read({}).jsonSchema).toEqual({ type: "object", properties: {} })
    expect(validate("text")).toEqual(["$:not-object"])
    expect(validate({})).toEqual(["$.a:missing-property"])
    expect(validate(JSON.parse('{"a":"x","b":1e999}'))).toEqual(["$.b:not-number"])
  })
})

describe("a root that is not a plain object", () => {
  const union = {
    title: "Act",
    oneOf: [
      object(
        { kind: { const: "move" }, to: { type: "string" } },
        { required: ["kind", "to"], additionalProperties: false },
      ),
      { $ref: "#/$defs/stop" },
    ],
    $defs: {
      stop: object(
        { kind: { const: "stop" }, at: { type: "integer" } },
        { required: ["kind"], additionalProperties: false },
      ),
    },
  }

  it("that is a union of objects becomes one object, and values are checked against the union", () => {
    const { jsonSchema, merged, validate } = read(union)
    expect(merged).toBe(true)
    expect(jsonSchema).toEqual({
      type: "object",
      title: "Act",
      properties: {
        kind: { anyOf: [{ const: "move" }, { const: "stop" }] },
        to: { type: "string" },
        at: { type: "integer" },
      },
      required: ["kind"],
      additionalProperties: false,
      $defs: union.$defs,
    })
    expect(anthropicRules(jsonSchema)).toEqual([])
    expect(validate({ kind: "stop", at: 1 })).toEqual([])
    expect(validate({ kind: "move", at: 1 })).toEqual(["$:no-union-member"])
  })

  it("that requires one of several properties keeps its own", () => {
    const { jsonSchema, validate } = read({
      ...object({ a: { type: "string" }, b: { type: "string" } }, { additionalProperties: false }),
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    })
    expect(jsonSchema).toMatchObject({ properties: { a: { type: "string" }, b: { type: "string" } } })
    expect(jsonSchema).not.toHaveProperty("anyOf")
    expect(jsonSchema).not.toHaveProperty("required")
    expect(validate({})).toEqual(["$:no-union-member"])
    expect(validate({ b: "x" })).toEqual([])
  })

  it("that is an allOf or a reference is merged", () => {
    const base = object({ a: { type: "string" } }, { required: ["a"] })
    const both = read({ allOf: [{ $ref: "#/$defs/base" }, object({ b: {} }, { required: ["b"] })], $defs: { base } })
    expect(both.jsonSchema).toMatchObject({ type: "object", properties: { a: { type: "string" }, b: {} } })
    expect(both.jsonSchema["required"]).toEqual(["a", "b"])
    expect(both.validate({ a: "x" })).toEqual(["$.b:missing-property"])
    expect(read({ $ref: "#/$defs/base", $defs: { base } }).jsonSchema).toMatchObject(base)
  })

  it("may omit members that are not objects", () => {
    expect(read({ anyOf: [{ type: "null" }, object({ a: {} })] }).jsonSchema).toMatchObject({ properties: { a: {} } })
  })
})

describe("lists why the API would refuse", () => {
  it.each<[unknown, ReadonlyArray<string>]>([
    [null, ["#: root-object-required"]],
    [true, ["#: root-object-required"]],
    [[], ["#: root-object-required"]],
    [{ type: "string" }, ["#: root-object-required"]],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, ["#: root-object-required"]],
    [object({ a: { type: "text" } }), ["#/properties/a: type-invalid"]],
    [object({ a: { required: true } }), ["#/properties/a: required-invalid"]],
    [object({ a: { exclusiveMinimum: true } }), ["#/properties/a: exclusiveMinimum-invalid"]],
    [object({ a: { anyOf: [] } }), ["#/properties/a: anyOf-invalid"]],
    [object({ a: { minLength: -1 }, b: 3 }), ["#/properties/a: minLength-invalid", "#/properties/b: schema-required"]],
    [{ type: "object", properties: [] }, ["#: properties-invalid"]],
    [
      object({ "a b": {}, "": {} }),
      ["#/properties/a b: property-name-unsupported", "#/properties/: property-name-unsupported"],
    ],
    [JSON.parse('{"type":"object","properties":{"__proto__":{}}}'), ["#: property-name-unsupported"]],
    [object({ a: { $ref: "#/$defs/none" } }), ["#/properties/a: ref-unresolved"]],
    [object({ a: { $ref: "https://example.com/a.json" } }), ["#/properties/a: remote-ref-unsupported"]],
    [
      object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { $ref: "#/$defs/a" } } }),
      ["#/$defs/a: endless-ref-unsupported"],
    ],
    [object({ a: {} }, { anyOf: [{ $ref: "#" }] }), ["#: endless-ref-unsupported"]],
    [object({ a: { description: "x".repeat(300_000) } }), ["#: too-large"]],
  ])("%j", (schema, issues) => {
    expect(refused(schema)).toEqual(issues)
  })

  it("of schemas that are too deep or have too many parts", () => {
    let deep: unknown = {}
    for (let level = 0; level < 60; level += 1) deep = { items: deep }
    expect(refused(object({ a: deep }))).toEqual(["#: too-deep"])
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    expect(refused(object({ a: { const: deep } }))).toEqual(["#: too-deep"])
    const wide = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`p${index}`, true]))
    expect(refused(object(wide))).toEqual(["#: too-large"])
  })
})

describe("the cost of a check is limited", () => {
  it("a pattern that backtracks exponentially in a RegExp takes linear time", () => {
    const { validate, unchecked } = read(object({ a: { type: "string", pattern: "^(a+)+$" } }))
    const spent = cpuTime()
    expect(validate({ a: `${"a".repeat(50_000)}!` })).toEqual(["$.a:pattern-mismatch"])
    expect(spent()).toBeLessThan(4_000)
    expect(unchecked).toEqual([])
  })

  it("what RE2 does not support, and names that need more than a plain pattern, are sent but not checked", () => {
    const received = read(
      object({
        a: { type: "string", pattern: "^(?=a)" },
        b: object({ c: { type: "string" } }, { patternProperties: { "^(a+)+$": {} }, additionalProperties: false }),
        d: { type: "string", format: "url" },
        e: { type: "string", format: "__proto__" },
      }),
    )
    expect(received.unchecked).toEqual([
      { path: "#/properties/a", issue: "pattern-unchecked" },
      { path: "#/properties/b", issue: "pattern-properties-unchecked" },
      { path: "#/properties/d", issue: "format-unchecked" },
      { path: "#/properties/e", issue: "format-unchecked" },
    ])
    expect(received.validate({ a: "b", b: { aaa: 1 }, d: "x", e: "x" })).toEqual([])
    expect(received.validate({ b: { c: 1 } })).toEqual(["$.b.c:not-string"])
    expect(received.jsonSchema).toMatchObject({ properties: { a: { pattern: "^(?=a)" } } })
  })

  it("a schema that doubles its work at every step is aborted", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `d${index}`,
        index === 29
          ? { type: "string" }
          : { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    )
    const { validate } = read(object({ a: { $ref: "#/$defs/d0" } }, { $defs }))
    expect(validate({ a: "x" })).toEqual(["$:too-costly-to-check"])
    expect(validate({})).toEqual([])
  })

  it("a root that requires an unbounded number of members is rejected", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `d${index}`,
        index === 29
          ? object({ a: {} })
          : { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    )
    expect(refused({ $ref: "#/$defs/d0", $defs })).toEqual(["#: too-large"])
  })

  it("values that are too deep, too large or too long to compare are rejected", () => {
    const { validate } = read(object({ a: {}, b: { uniqueItems: true } }))
    let deep: unknown = 1
    for (let level = 0; level < 200; level += 1) deep = [deep]
    expect(validate({ a: deep })[0]).toMatch(/:too-deep$/)
    expect(read({}).validate({ a: Array.from({ length: 200_000 }, () => 1) })[0]).toMatch(/:too-large$/)
    expect(validate({ b: Array.from({ length: 3000 }, (_, index) => index) })).toEqual(["$.b:too-many-items"])
  })

  it("at most fifty issues are named", () => {
    const { validate } = read(object({}, { additionalProperties: { type: "string" } }))
    expect(validate(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 1])))).toHaveLength(50)
  })

  it("plain patterns have no groups and at most one repetition", () => {
    expect(["^x-", "^[a-z]+$", "\\d", "^S_.*$", "abc"].map(isPlainPattern)).toEqual([true, true, true, true, true])
    expect(["(a+)+", "a+b+", "a|b", "a{2,}", "(?=a)", "\\1", "[", "x".repeat(300)].filter(isPlainPattern)).toEqual([])
  })
})
