// Nested fields of a file's frontmatter, in the forms in which people write hooks.
import { describe, expect, it } from "vitest"
import { nestedField } from "../../src/workspace/nested-field.ts"

const hooksOf = (...lines: ReadonlyArray<string>) =>
  nestedField(["---", "name: x", "hooks:", ...lines, "model: haiku", "---", "body"].join("\n"), "hooks")

const GUARD = { matcher: "Bash|Write", hooks: [{ type: "http", url: "https://x.example/a#b", timeout: 2.5 }] }
const LINES = [
  "  PreToolUse: # before",
  '    - matcher: "Bash|Write"',
  "      hooks:",
  "        # a comment",
  "        - type: http",
  "          url: https://x.example/a#b",
  "          timeout: 2.5",
]

describe("a nested field", () => {
  it.each([
    ["mappings and lists of lines", LINES, { PreToolUse: [GUARD] }],
    [
      "lists at the column of their name",
      ["  Stop:", "  - hooks: []", "  - matcher: ''"],
      { Stop: [{ hooks: [] }, { matcher: "" }] },
    ],
    ["JSON for a part", [`  PreToolUse: ${JSON.stringify([GUARD])}`], { PreToolUse: [GUARD] }],
    ["a dash alone, and plain items", ["  a:", "    -", "      b: true", "    - c"], { a: [{ b: true }, "c"] }],
    ["quoted keys, and values without any", ["  \"x-a\": '1'", "  b:"], { "x-a": "1", b: null }],
  ])("is read with %s", (_name, lines, value) => {
    expect(hooksOf(...lines)).toEqual(value)
  })

  it("can be JSON on one line or several", () => {
    const json = JSON.stringify({ PreToolUse: [GUARD] }, null, 2).split("\n")
    expect(nestedField(["---", `hooks: ${json[0]}`, ...json.slice(1, -1), "  }", "---"].join("\n"), "hooks")).toEqual({
      PreToolUse: [GUARD],
    })
  })

  it.each([
    ["nothing below it", []],
    ["a line that is not a field", ["  PreToolUse:", "    - a: b", "    odd"]],
    ["a column that begins nothing", ["  a: b", "     c: d"]],
    ["a text of several lines", ["  a: |", "    b"]],
    ["an anchor", ["  a: &b c"]],
    ["broken JSON", ["  a: {b"]],
  ])("with %s is not read", (_name, lines) => {
    expect(hooksOf(...lines)).toBeNull()
  })

  it("that is missing is undefined", () => {
    expect(nestedField("---\nname: x\n---\nhooks:\n  a: b", "hooks")).toBeUndefined()
    expect(nestedField("hooks:\n  a: b", "hooks")).toBeUndefined()
  })
})
