// Tools with unusable schemas: all of them are reported at once, with every violation.
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { makeTool, requireSound, type SchemaTool } from "../../../src/tools/make-tool.ts"
import { builtInTools, toolByName } from "../../../src/tools/registry.ts"
import type { Tool } from "../../../src/tools/tool.ts"

const tool = (name: string, schema: Schema.Top): SchemaTool => {
  const { agentSchema: _, decode: __, inputSchema: ___, schemaIssues: ____, ...definition } = toolByName("LS")!
  // The test neither decodes nor runs these tools.
  return makeTool(schema as Schema.Codec<unknown, unknown>, { ...definition, name } as Tool) as SchemaTool
}

const BAD = [
  tool("Pair", Schema.Struct({ at: Schema.Tuple([Schema.Finite, Schema.Finite]), when: Schema.Date })),
  tool("Fine", Schema.Struct({ name: Schema.String })),
  tool("List", Schema.Array(Schema.String)),
  tool("Deep", Schema.Struct({ a: Schema.Struct({ b: Schema.Array(Schema.Struct({ c: Schema.Null })) }) })),
  tool("Odd", Schema.Struct({ "not a name": Schema.String })),
]

describe("a server with bad tools", () => {
  it("does not start, and prints TOOL PATH: ISSUE for every violation of every tool", () => {
    const failure = (() => {
      try {
        return requireSound(BAD)
      } catch (error) {
        return error
      }
    })()
    // The message that V8 captured, which is what a runtime prints.
    const { stack = "" } = failure as Error
    const lines = stack.slice(0, stack.indexOf("\n    at ")).split("\n").slice(1)
    expect(lines).toEqual(
      expect.arrayContaining([
        "Pair $.at: tuple-unsupported",
        expect.stringMatching(/^Pair \$\.when: /),
        "List $: root-object-required",
        "Deep $.a.b[].c: null-literal-unsupported",
        expect.stringMatching(/^Odd \$\.not a name: /),
      ]),
    )
    expect(new Set(lines.map((line) => line.split(" ", 1)[0]))).toEqual(new Set(["Pair", "List", "Deep", "Odd"]))
  })

  it("accepts all built-in tools", () => {
    expect(builtInTools.flatMap(({ schemaIssues }) => schemaIssues)).toEqual([])
    expect(requireSound(builtInTools)).toBe(builtInTools)
  })
})
