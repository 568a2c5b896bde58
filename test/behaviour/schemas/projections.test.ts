import { Ajv2020 } from "ajv/dist/2020.js"
import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { agentSchema } from "../../../src/schemas/agent-schema/agent-schema.ts"
import type { Provider } from "../../../src/schemas/agent-schema/projections/projection.ts"
import { builtInTools } from "../../../src/tools/registry.ts"
import { objectSpec, toSchema } from "../../schemas/agent-schema/generate.ts"
import { agUiRules, anthropicRules, geminiRules, openAiRules } from "../../schemas/agent-schema/provider-rules.ts"

const ajv = new Ajv2020({ logger: false })
const valid = (schema: Record<string, unknown>): ReadonlyArray<string> =>
  ajv.validateSchema(schema) === true ? [] : [ajv.errorsText()]

type Rules = (schema: Record<string, unknown>) => ReadonlyArray<string>
const RULES: Readonly<Record<Provider, Rules>> = {
  anthropic: (schema) => [...valid(schema), ...anthropicRules(schema)],
  openai: (schema) => [...valid(schema), ...openAiRules(schema)],
  gemini: geminiRules,
  "ag-ui": (schema) => [...valid(schema), ...agUiRules(schema)],
}
const PROVIDERS = Object.keys(RULES) as ReadonlyArray<Provider> // RULES has a key for every Provider

describe("every built-in tool's projection follows the rules of", () => {
  it.each(PROVIDERS)("%s", (provider) => {
    // One provider accepts no function without parameters.
    const isTaken = (name: string) => provider !== "gemini" || !["TaskList", "EnterPlanMode"].includes(name)
    expect(builtInTools.length).toBeGreaterThan(10)
    for (const { name, agentSchema: schema } of builtInTools.filter((tool) => isTaken(tool.name))) {
      const projection = schema.project(provider)
      expect({ name, broken: RULES[provider](projection.schema), issues: projection.issues }).toEqual({
        name,
        broken: [],
        issues: [],
      })
    }
  })
})

describe("every schema of the profile that is projected without issues follows the rules of", () => {
  it.each(PROVIDERS)("%s", (provider) => {
    let clean = 0
    fc.assert(
      fc.property(objectSpec, (spec) => {
        const { schema, issues } = agentSchema(toSchema(spec)).project(provider)
        if (issues.length > 0) return
        clean += 1
        expect({ schema, broken: RULES[provider](schema) }).toEqual({ schema, broken: [] })
      }),
      { numRuns: 300 },
    )
    expect(clean).toBeGreaterThan(100)
  })
})

const text = { type: "string" }
const closed = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
const nested = (levels: number): Record<string, unknown> => closed({ a: levels === 0 ? text : nested(levels - 1) })
const upper = (properties: Record<string, unknown>, more = {}) => ({ type: "OBJECT", properties, ...more })

describe("the rules reject", () => {
  it.each<[Provider, Record<string, unknown>, string]>([
    ["anthropic", { anyOf: [closed({})] }, "anyOf at the root"],
    ["anthropic", closed({ "a b": text }), "property name a b"],
    ["anthropic", closed({ a: { type: "text" } }), "must be equal to one of the allowed values"],
    ["openai", closed({ a: text }, []), "$: a not required"],
    ["openai", { ...closed({ a: text }), additionalProperties: true }, "$: open object"],
    ["openai", closed({ a: { type: "string", minLength: 1 } }), "$.a: keyword minLength"],
    ["openai", closed({ a: { allOf: [text] } }), "$.a: keyword allOf"],
    ["openai", closed({ a: { type: ["string", "null"], enum: ["x"] } }), "$.a: null in type and enum disagree"],
    ["openai", closed({ a: { type: "string", pattern: "(?=a)" } }), "$.a: look-around"],
    ["openai", nested(11), "nested too deep"],
    ["openai", closed({ a: { type: "string", enum: Array.from({ length: 1001 }, String) } }), "too many enum values"],
    ["gemini", upper({ a: text }), "$.a: no type of the enum"],
    ["gemini", upper({ a: { type: "STRING" } }, { additionalProperties: false }), "$: field additionalProperties"],
    ["gemini", upper({ a: { type: "INTEGER", enum: ["1"] } }), "$.a: field enum"],
    ["gemini", upper({ a: { description: "d", anyOf: [{ type: "STRING" }] } }), "$.a: other fields than anyOf"],
    ["gemini", upper({ "-n": { type: "STRING" } }), "$: parameter name -n"],
    [
      "gemini",
      upper({ a: { type: "ARRAY", items: { type: "STRING" }, maxItems: 3 } }),
      "$.a: maxItems is no int64 text",
    ],
    ["gemini", upper({}), "$: no properties"],
    ["gemini", upper({ a: { type: "STRING" } }, { required: ["b"] }), "$: required: b unknown"],
    ["ag-ui", { type: "object", properties: {} }, "no required"],
    ["ag-ui", closed({}, ["a"]), "required: a unknown"],
  ])("%s %j: %s", (provider, schema, broken) => {
    expect(RULES[provider](schema).join("\n")).toContain(broken)
  })
})

describe("a projection", () => {
  it("to OpenAI makes optional properties nullable and required", () => {
    const schema = agentSchema(
      Schema.Struct({
        a: Schema.String.check(Schema.isMinLength(1)),
        b: Schema.optionalKey(Schema.Literals(["x", "y"])),
        c: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
        d: Schema.optionalKey(Schema.Struct({ e: Schema.optionalKey(Schema.Boolean) })),
      }),
    )
    expect(schema.project("openai").schema).toEqual(
      closed({
        a: text,
        b: { type: ["string", "null"], enum: ["x", "y", null] },
        c: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
        d: { ...closed({ e: { type: ["boolean", "null"] } }), type: ["object", "null"] },
      }),
    )
  })

  it("to OpenAI names the limit that is exceeded", () => {
    const many = Schema.Struct(
      Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`p${index}`, Schema.Boolean])),
    )
    expect(agentSchema(many).project("openai").issues).toEqual([{ path: "$", issue: "too-many-properties" }])
    const values = Array.from({ length: 1001 }, (_, index) => `v${index}`)
    const choice = Schema.Struct({ a: Schema.Literals(values) })
    expect(agentSchema(choice).project("openai").issues).toEqual([{ path: "$", issue: "too-many-enum-values" }])
    const long = Schema.Struct({ a: Schema.Literals(values.slice(0, 300).map((value) => value.padEnd(60))) })
    expect(agentSchema(long).project("openai").issues).toEqual([{ path: "$.a", issue: "enum-too-long" }])
    let deep: Schema.Codec<unknown, unknown> = Schema.String
    for (let level = 0; level < 12; level += 1) deep = Schema.Struct({ a: deep })
    expect(agentSchema(deep).project("openai").issues).toEqual([
      { path: `$${".a".repeat(10)}`, issue: "nesting-too-deep" },
    ])
  })

  it("to Gemini renames properties if necessary, and lists the new names", () => {
    const grep = builtInTools.find(({ name }) => name === "Grep")!.agentSchema.project("gemini")
    expect(grep.renamed).toEqual({ "$._B": "-B", "$._A": "-A", "$._C": "-C", "$._n": "-n", "$._i": "-i", "$._o": "-o" })
    expect(grep.schema).toMatchObject({
      type: "OBJECT",
      required: ["pattern"],
      properties: { pattern: { type: "STRING", maxLength: "4096" }, _n: { type: "BOOLEAN" } },
    })
    const clash = agentSchema(Schema.Struct({ "-a": Schema.String, _a: Schema.String, "+a": Schema.String }))
    expect(clash.project("gemini").renamed).toEqual({ "$._a_2": "-a", "$._a_3": "+a" })
    expect(agentSchema(Schema.Struct({})).project("gemini").issues).toEqual([
      { path: "$", issue: "empty-object-unsupported" },
    ])
  })
})
