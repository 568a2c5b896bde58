import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toolAmong, toolByName, callableToolsFor, toolsFor } from "../../../src/tools/registry.ts"
import { structuredOutputTool } from "../../../src/tools/declared/structured-output.ts"
import { fails, openContext, run } from "../tool-context.ts"

const { context } = openContext()
const format = (schema: Record<string, unknown>) => ({ type: "json_schema" as const, schema })
const answer = format({
  type: "object",
  properties: { answer: { type: "number" }, why: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
})

describe("StructuredOutput", () => {
  it("shows the model the caller's schema, and runs without an ask", () => {
    expect(structuredOutputTool(answer)).toMatchObject({
      name: "StructuredOutput",
      inputSchema: answer.schema,
      internal: true,
    })
  })

  it("returns a valid value unchanged", async () => {
    const value = { answer: 42, why: "x" }
    expect(await run(structuredOutputTool(answer), value, context)).toEqual({
      content: "The answer was accepted.",
      output: value,
    })
  })

  it("decodes any input: an invalid value is a failed run that lists every position", async () => {
    const tool = structuredOutputTool(answer)
    expect(await Effect.runPromise(tool.decode({ answer: "no" }))).toEqual({ answer: "no" })
    expect(await fails(tool, { answer: "no", why: 1, extra: 1 }, context)).toMatchObject({
      reason: "invalid_arguments",
      message:
        "The value does not match the output format:\n" +
        "answer: not number\nwhy: not string\nextra: unknown property",
    })
    expect(await fails(tool, null, context)).toMatchObject({
      message: expect.stringMatching(/\n\(the whole value\): not object$/),
    })
  })

  it("rejects invalid JSON before any hook is called", async () => {
    const { decode } = structuredOutputTool(answer)
    const error = await Effect.runPromise(Effect.flip(decode({ __unparsedToolInput: { raw: "{", len: 1 } })))
    expect(error.message).toContain("not valid JSON")
  })

  it("names positions in lists and objects", async () => {
    const nested = format({
      type: "object",
      properties: { rows: { type: "array", items: { $ref: "#/$defs/row" } } },
      $defs: { row: { type: "object", properties: { at: { type: "string", format: "date" }, n: { type: "null" } } } },
    })
    expect(
      (await fails(structuredOutputTool(nested), { rows: [{}, { at: "soon", n: 1 }] }, context)).message.split("\n"),
    ).toEqual(["The value does not match the output format:", "rows[1].at: format mismatch", "rows[1].n: not null"])
  })

  it("keeps its message short, whatever the names in the value", async () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}${"x".repeat(5000)}`, 1]))
    expect((await fails(structuredOutputTool(answer), { answer: 1, ...value }, context)).message.length).toBeLessThan(
      7000,
    )
  })
})

describe("an output format", () => {
  it("that was rejected but is still used fails every run with the reason", async () => {
    const tool = structuredOutputTool(format({ type: "array" }))
    expect(tool.inputSchema).toEqual({ type: "object", properties: {} })
    expect((await fails(tool, {}, context)).message).toContain("outputFormat.schema must describe an object")
  })
})

const NAMES = ["a", "b", "c"]
const leaf: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.constantFrom<Record<string, unknown>>(
    { type: "string" },
    { type: "string", minLength: 2 },
    { type: "string", pattern: "^[a-z]+$" },
    { type: ["string", "null"] },
    { type: "boolean" },
    { enum: ["x", 1, null] },
    { const: "x" },
    { not: { type: "null" } },
    {},
  ),
  fc.record({ type: fc.constantFrom("number", "integer"), minimum: fc.integer({ min: -2, max: 2 }) }),
)
const { schema: anySchema, object: objectSchema } = fc.letrec<{
  schema: Record<string, unknown>
  object: Record<string, unknown>
}>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ type: fc.constant("array"), items: tie("schema"), maxItems: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    tie("object"),
  ),
  object: fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom(...NAMES), tie("schema"), { maxKeys: 3 }),
      required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    },
    { requiredKeys: ["type", "properties"] },
  ),
}))
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>("x", "ab", "A", "", 1, 0, -3, 1.5, true, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, "z"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const anObject = fc.dictionary(fc.constantFrom(...NAMES, "z"), anyValue, { maxKeys: 4, noNullPrototype: true })

it("accepts exactly the values that ajv accepts", async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  void anySchema
  await fc.assert(
    fc.asyncProperty(objectSchema, fc.array(anObject, { minLength: 4, maxLength: 8 }), async (schema, values) => {
      const tool = structuredOutputTool(format(schema))
      const fits = ajv.compile(schema)
      for (const value of values) {
        const outcome = await Effect.runPromise(Effect.result(tool.run(value, context)))
        expect(outcome._tag).toBe(fits(value) ? "Success" : "Failure")
        if (outcome._tag === "Failure") expect(outcome.failure.message).toMatch(/\n.+: [a-z]/)
      }
    }),
    { numRuns: 200 },
  )
})

describe("the tools of a turn", () => {
  const mcp = ["mcp__calc__add", "mcp__calc__sub", "mcp__calculator__add"].map((name) => ({
    ...structuredOutputTool(answer),
    name,
    mcpServer: { name: name.split("__")[1] ?? "", source: "sdk" },
  }))
  const names = (options: Parameters<typeof toolsFor>[0]) => toolsFor(options, mcp).map((tool) => tool.name)

  it("include StructuredOutput if there is an output format, whatever else is chosen", () => {
    expect(names({}).at(-1)).toBe("mcp__calculator__add")
    expect(names({ outputFormat: answer }).at(-1)).toBe("StructuredOutput")
    expect(names({ tools: [], outputFormat: answer })).toEqual([...mcp.map((tool) => tool.name), "StructuredOutput"])
    expect(callableToolsFor({ outputFormat: answer }, []).map((tool) => tool.name)).not.toContain("StructuredOutput")
  })

  it("exclude the MCP tools, or all tools of a server, that disallowedTools names", () => {
    const left = (disallowedTools: ReadonlyArray<string>) => names({ tools: [], disallowedTools })
    expect(left(["mcp__calc__add"])).toEqual(["mcp__calc__sub", "mcp__calculator__add"])
    expect(left(["mcp__calc"])).toEqual(["mcp__calculator__add"])
    expect(left(["mcp__calc__*"])).toEqual(["mcp__calculator__add"])
    expect(left(["mcp", "calc"])).toEqual(mcp.map((tool) => tool.name))
  })

  it("are found by name and alias, with the session's own aliases applied once", () => {
    const tools = toolsFor({ outputFormat: answer }, mcp)
    const find = toolAmong(tools, { Bash: "mcp__calc__add", Sum: "Bash", find: "Read", X: "Y", Y: "Read" })
    expect(find("Bash")?.name).toBe("mcp__calc__add")
    expect(find("Sum")?.name).toBe("Bash")
    expect(find("find")?.name).toBe("Read")
    expect(find("ls")?.name).toBe("LS")
    expect(find("StructuredOutput")).toBe(tools.at(-1))
    expect([find("X"), find("constructor"), find("mcp__calc__mul")]).toEqual([undefined, undefined, undefined])
    expect(toolByName("toString")).toBeUndefined()
  })
})
