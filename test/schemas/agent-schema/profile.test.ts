import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { AgentSchema, agentSchema } from "../../../src/schemas/agent-schema/agent-schema.ts"
import { AgentSchemaProfileError } from "../../../src/schemas/agent-schema/errors.ts"
import { profileIssues } from "../../../src/schemas/agent-schema/profile.ts"

const Text = Schema.String
class Klass extends Schema.Class<Klass>("Klass")({ a: Text }) {}
interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({ children: Schema.Array(Schema.suspend(() => Tree)) })
const symbol = Symbol("key")
const at = (field: Schema.Top) => Schema.Struct({ a: field })

/** A schema, and the position at which it violates the profile. */
const VIOLATIONS: ReadonlyArray<readonly [issue: string, schema: Schema.Top, path: string]> = [
  ["root-object-required", Text, "$"],
  ["root-object-required", Schema.Array(Text), "$"],
  ["root-object-required", Schema.Union([at(Text), Schema.Struct({ b: Text })]), "$"],
  ["transformation-unsupported", at(Schema.NumberFromString), "$.a"],
  ["transformation-unsupported", at(Text).pipe(Schema.encodeKeys({ a: "b" })), "$"],
  ["default-unsupported", at(Text.pipe(Schema.withConstructorDefault(Effect.succeed("x")))), "$.a"],
  ["default-unsupported", at(Text.pipe(Schema.withDecodingDefaultKey(Effect.succeed("x")))), "$.a"],
  ["default-unsupported", at(Text.annotate({ default: "x" })), "$.a"],
  ["examples-unsupported", at(Text.annotate({ examples: ["x"] })), "$.a"],
  ["brand-unsupported", at(Text.pipe(Schema.brand("Id"))), "$.a"],
  ["brand-unsupported", at(Schema.optionalKey(Schema.Array(Text.pipe(Schema.brand("Id"))))), "$.a[]"],
  ["refinement-unsupported", at(Text.check(Schema.isTrimmed())), "$.a"],
  ["refinement-unsupported", at(Text.check(Schema.makeFilter((text: string) => text !== "x"))), "$.a"],
  ["refinement-unsupported", at(Schema.Finite.check(Schema.isMultipleOf(2))), "$.a"],
  ["refinement-unsupported", at(Schema.Finite.check(Schema.isGreaterThan(2))), "$.a"],
  ["refinement-unsupported", at(Schema.Array(Text).check(Schema.isUnique())), "$.a"],
  ["refinement-unsupported", at(Text).check(Schema.isMinProperties(1)), "$"],
  ["index-signature-unsupported", Schema.Record(Text, Text), "$"],
  ["index-signature-unsupported", at(Schema.StructWithRest(at(Text), [Schema.Record(Text, Text)])), "$.a"],
  ["non-string-property-unsupported", Schema.Struct({ [symbol]: Text }), "$"],
  ["reserved-property-unsupported", Schema.Struct({ constructor: Text }), "$"],
  ["empty-object-unsupported", at(Schema.Struct({})), "$.a"],
  ["tuple-unsupported", at(Schema.Tuple([Text, Text])), "$.a"],
  ["tuple-unsupported", at(Schema.NonEmptyArray(Text)), "$.a"],
  ["array-item-missing", at(Schema.Tuple([])), "$.a"],
  ["empty-union-unsupported", at(Schema.Union([])), "$.a"],
  ["one-of-union-unsupported", at(Schema.Union([Text, Schema.Finite], { mode: "oneOf" })), "$.a"],
  ["recursive-schema-unsupported", Tree, "$.children[]"],
  ["template-literal-unsupported", at(Schema.TemplateLiteral(["a", Text])), "$.a"],
  ["declaration-schema-unsupported", at(Schema.Date), "$.a"],
  ["declaration-schema-unsupported", at(Schema.toType(Klass)), "$.a"],
  ["null-literal-unsupported", at(Schema.NullOr(Text)), "$.a|1"],
  ["non-string-literal-unsupported", at(Schema.Literal(1)), "$.a"],
  ["non-string-literal-unsupported", at(Schema.Literals(["a", true])), "$.a|1"],
  ["raw-json-schema-unsupported", at(Text.annotate({ format: "email" })), "$.a"],
  ["raw-json-schema-unsupported", at(Text.annotate({ jsonSchema: { type: "string" } })), "$.a"],
  [
    "raw-json-schema-unsupported",
    at(Text.check(Schema.isMinLength(1, { toJsonSchema: () => ({ minLength: 2 }) }))),
    "$.a",
  ],
  ["pattern-flags-unsupported", at(Text.check(Schema.isPattern(/a/i))), "$.a"],
  ["pattern-without-u-flag-unsupported", at(Text.check(Schema.isPattern(/^.$/))), "$.a"],
  ["second-pattern-unsupported", at(Text.check(Schema.isPattern(/a/), Schema.isPattern(/b/))), "$.a"],
  ["Undefined-unsupported", at(Schema.optional(Text)), "$.a|1"],
  ["Void-unsupported", at(Schema.Void), "$.a"],
  ["Never-unsupported", at(Schema.Never), "$.a"],
  ["Unknown-unsupported", at(Schema.Unknown), "$.a"],
  ["Any-unsupported", at(Schema.Any), "$.a"],
  ["BigInt-unsupported", at(Schema.BigInt), "$.a"],
  ["Symbol-unsupported", at(Schema.Symbol), "$.a"],
  ["ObjectKeyword-unsupported", at(Schema.ObjectKeyword), "$.a"],
  ["UniqueSymbol-unsupported", at(Schema.UniqueSymbol(symbol)), "$.a"],
  ["Enum-unsupported", at(Schema.Enum({ A: "a" })), "$.a"],
]

describe("the profile", () => {
  it.each(VIOLATIONS)("names %s", (issue, schema, path) => {
    expect(profileIssues(schema)).toContainEqual({ path, issue })
  })

  it("reports every violation at once", () => {
    const schema = Schema.Struct({
      when: Schema.Date,
      maybe: Schema.NullOr(Schema.Finite),
      list: Schema.Array(Schema.Struct({ big: Schema.BigInt, id: Text.pipe(Schema.brand("Id")) })),
    })
    const issues = [
      { path: "$.when", issue: "declaration-schema-unsupported" },
      { path: "$.maybe|1", issue: "null-literal-unsupported" },
      { path: "$.list[].big", issue: "BigInt-unsupported" },
      { path: "$.list[].id", issue: "brand-unsupported" },
    ]
    expect(() => agentSchema(schema)).toThrow(AgentSchemaProfileError)
    expect(profileIssues(schema)).toEqual(issues)
    try {
      agentSchema(schema)
    } catch (error) {
      expect(error).toMatchObject({ _tag: "AgentSchemaProfileError", issues })
      expect(String(error)).toContain("$.list[].big: BigInt-unsupported")
    }
  })

  it("accepts an AgentSchema unchanged", () => {
    const wrapped = agentSchema(Schema.Struct({ a: Text }))
    expect(wrapped).toBeInstanceOf(AgentSchema)
    expect(agentSchema(wrapped)).toBe(wrapped)
  })
})

describe("the closed JSON Schema", () => {
  it("describes what the schema accepts, with titles and descriptions", () => {
    const schema = agentSchema(
      Schema.Struct({
        text: Text.annotate({ title: "Text", description: "What to say." }).check(
          Schema.isMinLength(1),
          Schema.isMaxLength(9),
          Schema.isPattern(/^[a-z]+$/),
        ),
        count: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })).annotate({ description: "How often." }),
        ),
        whole: Schema.Int,
        ratio: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
        flag: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Of the key." }),
        one: Schema.Literal("x"),
        some: Schema.Literals(["a", "b"]),
        either: Schema.Union([Text, Schema.Array(Schema.Finite)]),
        list: Schema.Array(Schema.Struct({ name: Text })).check(Schema.isMaxLength(3)),
      }).annotate({ description: "All of it." }),
    )
    expect(schema.jsonSchema).toEqual({
      type: "object",
      description: "All of it.",
      properties: {
        text: {
          type: "string",
          title: "Text",
          description: "What to say.",
          minLength: 1,
          maxLength: 9,
          pattern: "^[a-z]+$",
        },
        count: { type: "integer", minimum: 0, maximum: 9, description: "How often." },
        whole: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        ratio: { type: "number", minimum: 0 },
        flag: { type: "boolean", description: "Of the key." },
        one: { type: "string", enum: ["x"] },
        some: { type: "string", enum: ["a", "b"] },
        either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] },
        list: {
          type: "array",
          maxItems: 3,
          items: {
            type: "object",
            properties: { name: { type: "string" } },
            required: ["name"],
            additionalProperties: false,
          },
        },
      },
      required: ["text", "whole", "ratio", "one", "some", "either", "list"],
      additionalProperties: false,
    })
  })
})
