import { describe, expect, it } from "vitest"
import { valueOf } from "../../../src/model/offline/offline-value.ts"

const TEXT = expect.stringContaining("Perch's offline model, not by Claude")

describe("a value of a schema", () => {
  it("uses the prompt's lines with its fields' names, and otherwise the first choice", () => {
    const schema = {
      type: "object",
      properties: {
        taskId: { type: "string" },
        outcome: { type: "string", enum: ["success", "failure", "partial"] },
        summary: { type: "string" },
        notes: { type: "string" },
      },
      required: ["taskId", "outcome", "summary"],
    }
    const prompt = "Carry this out.\n\ntaskId: task-7\nTask: sweep\ntaskId: task-8"
    expect(valueOf(schema, prompt)).toEqual({ taskId: "task-7", outcome: "success", summary: TEXT })
    expect(valueOf(schema, `${prompt}\n- outcome: partial`)).toMatchObject({ outcome: "partial" })
    expect(valueOf(schema, `${prompt}\noutcome: none of them`)).toMatchObject({ outcome: "success" })
  })

  it.each([
    [{ type: "array", items: { type: "integer", minimum: 3 } }, [3]],
    [{ type: "array", items: { type: "string" }, maxItems: 0 }, []],
    [{ const: 7 }, 7],
    [{ anyOf: [{ type: "null" }, { type: "string" }] }, null],
    [{ type: ["boolean", "null"] }, true],
    [{ $ref: "#/$defs/A~1B", $defs: { "A/B": { type: "number" } } }, 0],
    [{}, TEXT],
    [null, TEXT],
  ])("of %j is %j", (schema, value) => expect(valueOf(schema, "")).toEqual(value))

  it("of a recursive schema is finite", () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] }
    expect(JSON.stringify(valueOf(schema, ""))).toContain('{"next":null}')
  })

  it("of numbers in the prompt are numbers", () => {
    const schema = { type: "object", properties: { round: { type: "integer" } }, required: ["round"] }
    expect(valueOf(schema, "round: 2")).toEqual({ round: 2 })
    expect(valueOf(schema, "round: two")).toEqual({ round: 0 })
  })
})
