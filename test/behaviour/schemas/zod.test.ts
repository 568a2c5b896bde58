// Schemas as zod: from Effect (exact inside the profile, refused outside) and from JSON Schema (never narrower, and exact for
// supported keywords). test/behaviour/schemas/agreement.test.ts compares the first with Ajv over generated schemas.
import { Ajv } from "ajv"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { effectToZod, EffectToZodError } from "../../../src/schemas/sdk/adapters/effect-to-zod.ts"
import { jsonSchemaToZod } from "../../../src/schemas/sdk/adapters/json-schema-to-zod.ts"
import { builtInTools } from "../../../src/tools/registry.ts"

/** One instance for all schemas: each new one would compile the meta-schema again. */
const ajv = new Ajv({ strict: false, formats: { email: true }, addUsedSchema: false, code: { optimize: false } })

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

describe("an Effect Schema as zod", () => {
  it("has for each built-in tool's input the JSON Schema of the tool", () => {
    for (const tool of builtInTools) {
      const byEffect = effectToZod(tool.agentSchema.source)
      const { $schema: _, ...made } = z.toJSONSchema(byEffect)
      const [byTool, byZod] = [ajv.compile(tool.inputSchema), ajv.compile(made)]
      const value = fc.dictionary(
        fc.constantFrom(...Object.keys(Object(tool.inputSchema["properties"])), "more"),
        fc.oneof(
          fc.string(),
          fc.integer({ min: -2, max: 3 }),
          fc.boolean(),
          fc.constantFrom("content", [], ["a"], 0.5),
        ),
      )
      fc.assert(
        fc.property(value, (input) => {
          const decoded = Result.isSuccess(tool.agentSchema.decode(input))
          expect([byTool(input), byZod(input), accepts(byEffect, input)]).toEqual([decoded, decoded, decoded])
        }),
        { numRuns: 150 },
      )
      expect(made).toMatchObject({ type: "object", additionalProperties: false })
    }
  })

  it("counts UTF-16 units", () => {
    const schema = effectToZod(Schema.Struct({ a: Schema.String.check(Schema.isBetweenLength(2, 3)) }))
    expect(["a", "😀", "ab", "a😀", "😀😀", "abcd"].filter((a) => accepts(schema, { a }))).toEqual(["😀", "ab", "a😀"])
    expect(z.toJSONSchema(schema)).toMatchObject({ properties: { a: { minLength: 2, maxLength: 3 } } })
  })

  it("keeps descriptions", () => {
    const schema = Schema.Struct({ a: Schema.optionalKey(Schema.Int.annotate({ description: "How many." })) })
    expect(z.toJSONSchema(effectToZod(schema))).toMatchObject({ properties: { a: { description: "How many." } } })
  })

  it("treats `Schema.optional` as JSON does", () => {
    const schema = effectToZod(Schema.Struct({ a: Schema.optional(Schema.String) }))
    expect([{}, { a: "x" }, { a: null }, { a: 1 }].map((value) => accepts(schema, value))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it.each([
    ["a.b", Schema.Struct({ a: Schema.Struct({ b: Schema.Null }) }), /Null/],
    ["a[]", Schema.Struct({ a: Schema.Array(Schema.Unknown) }), /Unknown/],
    ["a|1", Schema.Struct({ a: Schema.Union([Schema.String, Schema.Literal(1)]) }), /no string/],
    ["a", Schema.Struct({ a: Schema.Tuple([Schema.String]) }), /tuple/],
    ["", Schema.Record(Schema.String, Schema.String), /record/],
    ["a", Schema.Struct({ a: Schema.NumberFromString }), /transformation/],
    ["a", Schema.Struct({ a: Schema.Finite.check(Schema.isMultipleOf(2)) }), /isMultipleOf/],
    ["a", Schema.Struct({ a: Schema.String.check(Schema.makeFilter((text) => text !== "x")) }), /code of its own/],
    ["a", Schema.Struct({ a: Schema.String.check(Schema.isTrimmed()) }), /isTrimmed/],
    ["a", Schema.Struct({ a: Schema.Date }), /Declaration|transformation/],
  ])("refuses what it can't say, with its path: %s", (path, schema, message) => {
    const refusal = (() => {
      try {
        return effectToZod(schema)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(EffectToZodError)
    expect(refusal).toMatchObject({ path, message: expect.stringMatching(message) })
  })
})

// ---- JSON Schema

type Json = Readonly<Record<string, unknown>>
const names = fc.constantFrom("a", "b", "c")

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constant({ type: "string" }),
  fc.constant({ type: "boolean" }),
  fc.constant({ type: "null" }),
  fc.constant({ type: ["string", "null"] }),
  fc.record({ type: fc.constantFrom("number", "integer"), minimum: fc.integer({ min: -2, max: 1 }) }),
  fc.record({ type: fc.constant("integer"), exclusiveMaximum: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant("string"), minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 4 }) }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom("x", "y", 1, null, true), { minLength: 1, maxLength: 3 }) }),
  fc.constant({ const: "x" }),
)

const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ type: fc.constant("array"), items: tie("schema"), maxItems: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(names, tie("schema"), { maxKeys: 3 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.constant(false),
      },
      { requiredKeys: ["type", "properties"] },
    ),
  ),
}))

/** Unsupported keywords. */
const foreign = fc.constantFrom<Json>(
  { pattern: "^x" },
  { format: "email" },
  { allOf: [{ minLength: 2 }] },
  { not: { const: "x" } },
  { patternProperties: { "^a": { type: "string" } } },
  { dependentRequired: { a: ["b"] } },
  { minProperties: 1 },
  { uniqueItems: true },
)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("x", "y", "", "😀", "abc", "abcde", 0, 1, 1.5, 3, -2, null, true, false),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** A value that is often valid, derived from the schema itself. */
const sample = (of: Json, any: unknown, depth = 0): unknown => {
  if (depth > 6) return any
  if (Array.isArray(of["enum"])) return of["enum"][0]
  if ("const" in of) return of["const"]
  if (Array.isArray(of["anyOf"])) return sample(Object(of["anyOf"].at(-1)), any, depth + 1)
  switch (of["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries(Object(of["properties"])).map(([name, inner]) => [name, sample(Object(inner), any, depth + 1)]),
      )
    case "array":
      return [sample(Object(of["items"]), any, depth + 1)]
    case "string":
      return "ab"
    case "boolean":
      return false
    case "number":
    case "integer":
      return typeof of["exclusiveMaximum"] === "number" ? of["exclusiveMaximum"] - 1 : 1
    default:
      return any
  }
}

describe("a JSON Schema as zod", () => {
  it("accepts and rejects as Ajv does, for supported keywords", () => {
    let [valid, all] = [0, 0]
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 12, maxLength: 16 }), (given, values) => {
        const byAjv = ajv.compile(given)
        const byZod = jsonSchemaToZod(given)
        for (const one of [...values, ...values.map((any) => sample(given, any))]) {
          all += 1
          if (byAjv(one)) valid += 1
          expect({ one, accepted: accepts(byZod, one) }).toEqual({ one, accepted: byAjv(one) })
        }
      }),
      { numRuns: 450 },
    )
    expect(all).toBeGreaterThan(10_000)
    expect(valid / all).toBeGreaterThan(0.25)
    expect(valid / all).toBeLessThan(0.75)
  })

  it("never rejects what the schema allows, whatever else the schema contains", () => {
    fc.assert(
      fc.property(schema, foreign, fc.array(value, { minLength: 20, maxLength: 30 }), (given, more, values) => {
        const whole = { ...given, ...more }
        const byAjv = ajv.compile(whole)
        const byZod = jsonSchemaToZod(whole)
        for (const one of [...values, sample(given, "x")]) {
          if (byAjv(one)) expect({ one, whole, accepted: accepts(byZod, one) }).toEqual({ one, whole, accepted: true })
        }
      }),
      { numRuns: 150 },
    )
  })

  it("accepts anything for an invalid or too deep schema", () => {
    for (const none of [null, true, "x", {}, { type: "file" }, { $ref: "#/x" }, { enum: [{}] }, { anyOf: [] }]) {
      expect(accepts(jsonSchemaToZod(none), { any: ["thing"] })).toBe(true)
    }
    let deep: Json = { type: "string" }
    for (let level = 0; level < 50_000; level += 1) deep = { type: "array", items: deep }
    expect(accepts(jsonSchemaToZod(deep), [[[]]])).toBe(true)
    expect(accepts(jsonSchemaToZod(deep), "x")).toBe(false)
  })

  it("requires required keys that have no schema", () => {
    const made = jsonSchemaToZod({ type: "object", required: ["a"] })
    expect([{}, { a: 1 }, { b: 1 }].map((one) => accepts(made, one))).toEqual([false, true, false])
  })
})
