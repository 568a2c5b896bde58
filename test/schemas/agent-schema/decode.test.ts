import { Result, Schema } from "effect"
import { expect, it } from "vitest"
import { agentSchema } from "../../../src/schemas/agent-schema/agent-schema.ts"

const schema = agentSchema(
  Schema.Struct({
    x: Schema.String.check(Schema.isMaxLength(2), Schema.isPattern(/^.*$/u)),
    n: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
    f: Schema.optionalKey(Schema.Number),
    e: Schema.optionalKey(Schema.Literals(["a", "b"])),
    list: Schema.optionalKey(
      Schema.Array(
        Schema.Union([
          Schema.Struct({ kind: Schema.Literal("one"), a: Schema.String }),
          Schema.Struct({ kind: Schema.Literal("two"), b: Schema.Finite }),
        ]),
      ).check(Schema.isMinLength(1)),
    ),
  }),
)

const issuesOf = (value: unknown): ReadonlyArray<string> => {
  const result = schema.decode(value)
  return Result.isSuccess(result) ? [] : result.failure.issues
}

it.each<[unknown, ReadonlyArray<string>]>([
  [{ x: "ab" }, []],
  [{ x: "ab", n: 5, f: 1.5, e: "b", list: [{ kind: "two", b: 1 }] }, []],
  [null, ["$:not-object"]],
  [[], ["$:not-object"]],
  [{}, ["$.x:missing-property"]],
  [{ x: 1 }, ["$.x:not-string"]],
  [{ x: "abc" }, ["$.x:too-long"]],
  // A character outside the basic plane is two UTF-16 units.
  [{ x: "𝒳" }, []],
  [{ x: "𝒳a" }, ["$.x:too-long"]],
  [{ x: "a\n" }, ["$.x:pattern-mismatch"]],
  [{ x: "a", y: 1 }, ["$.y:unknown-property"]],
  [{ x: "a", n: 6 }, ["$.n:out-of-range"]],
  [{ x: "a", n: 1.5 }, ["$.n:not-integer"]],
  [{ x: "a", n: null }, ["$.n:not-number"]],
  [JSON.parse('{"x":"a","f":1e999}'), ["$.f:not-number"]],
  [{ x: "a", e: "c" }, ["$.e:not-in-enum"]],
  [{ x: "a", list: [] }, ["$.list:too-short"]],
  [{ x: "a", list: [{ kind: "two", b: "1" }] }, ["$.list[0].b:not-number"]],
  [{ x: 1, n: "2", z: 0 }, ["$.z:unknown-property", "$.x:not-string", "$.n:not-number"]],
])("%j gives %j", (value, issues) => {
  expect(issuesOf(value)).toEqual(issues)
})

it("truncates the list of a value with very many issues", () => {
  expect(issuesOf(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1])))).toHaveLength(100)
})
