// Forms of MCP servers, and the values that users enter.
import { describe, expect, it } from "vitest"
import { isForm, readForm } from "../../../src/session/asks/elicited-form.ts"

const form = (properties: Record<string, object>, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
})

const FITS: ReadonlyArray<[object, string | number | boolean | ReadonlyArray<string>]> = [
  [{ type: "string" }, ""],
  [{ type: "string", minLength: 1, maxLength: 1 }, "🙂"],
  [{ type: "string", format: "email" }, "ada@example.com"],
  [{ type: "string", format: "uri" }, "https://example.com/a?b=c"],
  [{ type: "string", format: "date" }, "2028-02-29"],
  [{ type: "string", format: "date-time" }, "2026-01-31T12:00:00+01:00"],
  [{ type: "string", format: "some-other" }, "anything"],
  [{ type: "string", enum: ["a", "b"], enumNames: ["A", "B"] }, "b"],
  [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a"],
  [{ type: "number", minimum: 0, maximum: 1 }, 0.5],
  [{ type: "integer" }, -3],
  [{ type: "boolean" }, false],
  [{ type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1 }, ["b"]],
  [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, []],
]

const FAILS: ReadonlyArray<[object, string | number | boolean | ReadonlyArray<string>, string]> = [
  [{ type: "string" }, 1, "must be a string"],
  [{ type: "string", minLength: 2 }, "a", "must have at least 2 characters"],
  [{ type: "string", maxLength: 1 }, "ab", "must have at most 1 characters"],
  [{ type: "string", format: "email" }, "ada", "must be an email address"],
  [{ type: "string", format: "uri" }, "example", "must be a URI"],
  [{ type: "string", format: "date" }, "2026-02-29", "must be a date such as 2026-01-31"],
  [{ type: "string", format: "date-time" }, "2026-01-31", "must be a date and time such as 2026-01-31T12:00:00Z"],
  [{ type: "string", enum: ["a"] }, "b", "must be one of the form's choices"],
  [{ type: "number", minimum: 1 }, 0, "must be at least 1"],
  [{ type: "number", maximum: 1 }, 2, "must be at most 1"],
  [{ type: "integer" }, 1.5, "must be an integer"],
  [{ type: "boolean" }, "yes", "must be true or false"],
  [{ type: "array", items: { type: "string", enum: ["a"] } }, ["c"], "must contain only the form's choices"],
  [{ type: "array", items: { type: "string", enum: ["a"] }, minItems: 1 }, [], "must have at least 1 choices"],
  [
    { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 1 },
    ["a", "b"],
    "must have at most 1 choices",
  ],
  [{ type: "array", items: { type: "string" } }, "a", "must be a list of texts"],
]

describe("a user's values", () => {
  it.each(FITS)("fit a field that is %j: %j", (field, value) => {
    expect(isForm(form({ it: field }))).toBe(true)
    expect(readForm(form({ it: field }, ["it"]), { it: value })).toEqual({ content: { it: value } })
  })

  it.each(FAILS)("do not fit a field that is %j: %j", (field, value, why) => {
    expect(readForm(form({ it: field }), { it: value })).toEqual({ problem: why, field: "content.it" })
  })

  it("include every required field of the form, and no other", () => {
    const both = form({ a: { type: "string" }, b: { type: "boolean" } }, ["a"])
    expect(readForm(both, { b: true })).toMatchObject({
      problem: "is missing: the form requires it",
      field: "content.a",
    })
    expect(readForm(both, { a: "x", c: 1 })).toMatchObject({ field: "content.c" })
    expect(readForm(both, { a: "x", constructor: "y" })).toMatchObject({ field: "content.constructor" })
    expect(readForm(both, { a: "x" })).toEqual({ content: { a: "x" } })
    expect(readForm(undefined, {})).toEqual({ content: {} })
  })

  it("are completed with the form's defaults", () => {
    const defaults = form(
      {
        name: { type: "string", default: "Ada" },
        age: { type: "integer", default: 36 },
        verified: { type: "boolean", default: true },
      },
      ["name", "age"],
    )
    expect(readForm(defaults, { age: 20 })).toEqual({ content: { name: "Ada", age: 20, verified: true } })
  })
})

describe("a form", () => {
  it.each([
    ["nested", form({ a: { type: "object", properties: {} } })],
    ["of another type", form({ a: { type: "null" } })],
    ["no object", { type: "array" }],
    ["a list of objects", form({ a: { type: "array", items: { type: "object" } } })],
  ])("that is %s can't be filled in", (_, schema) => {
    expect(isForm(schema)).toBe(false)
  })
})
