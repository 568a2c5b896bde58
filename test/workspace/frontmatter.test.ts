// Fields of Markdown files, in the forms that people write.
import { describe, expect, it } from "vitest"
import { namesIn, readFrontmatter, textIn } from "../../src/workspace/frontmatter.ts"
import { cpuTime } from "../support/values/cpu-time.ts"

const fieldsOf = (...lines: ReadonlyArray<string>) =>
  readFrontmatter(["---", ...lines, "---", "body"].join("\n")).fields

describe("a file", () => {
  it.each([
    ["without fields", "just text\n---\nmore"],
    ["whose fields do not end", "---\nname: x\nbody"],
    ["that is empty", ""],
  ])("%s is all body", (_name, text) => {
    expect(readFrontmatter(text)).toEqual({ fields: {}, body: text, issues: [] })
  })

  it("has its fields removed, with either line end and a byte order mark", () => {
    expect(readFrontmatter("\uFEFF---\r\nname: x\r\n---\r\nbody\r\nmore")).toEqual({
      fields: { name: "x" },
      body: "body\nmore",
      issues: [],
    })
  })
})

describe("a field", () => {
  it.each([
    ["a text", ["a: some text: with a colon"], "some text: with a colon"],
    ["a quoted text", ['a: "one, \\"two\\"\\n"'], 'one, "two"\n'],
    ["a text in single quotes", ["a: 'it''s # here'"], "it's # here"],
    ["a text with a comment", ["a: text # comment"], "text"],
    ["true", ["a: true"], true],
    ["false", ["a: False"], false],
    ["a quoted truth value", ['a: "true"'], "true"],
    ["a list in brackets", ['a: [x, "y, z", w]'], ["x", "y, z", "w"]],
    ["a list of lines", ["a:", "  - x", "  - 'y'"], ["x", "y"]],
    ["a list without indentation", ["a:", "- x", "- y"], ["x", "y"]],
    ["a text of several lines", ["a: |", "  one", "    two", "  three"], "one\n  two\nthree"],
    ["a folded text", ["a: >-", "  one", "  two"], "one two"],
    ["a text that goes on", ["a: one", "  two"], "one two"],
    ["nothing", ["a:"], ""],
    ["what is no list", ["a: [unclosed"], "[unclosed"],
  ])("is %s", (_name, lines, expected) => {
    expect(fieldsOf(...lines)["a"]).toEqual(expected)
  })

  it("that can't be parsed is reported, and the others apply", () => {
    const { fields, issues } = readFrontmatter("---\nname: x\n{what is this}\nmodel: y\n---\n")
    expect(fields).toEqual({ name: "x", model: "y" })
    expect(issues).toEqual(["has a line that is not a field: {what is this}"])
  })
})

it("a value with a long run of spaces is parsed in one pass", () => {
  const spent = cpuTime()
  const value = `a${" ".repeat(200_000)}b`
  expect(fieldsOf(`name: ${value} # not this`)).toEqual({ name: value })
  expect(spent()).toBeLessThan(4_000)
})

describe("names in a field", () => {
  it.each([
    ["Read, Bash(git add:*, x), Grep", ["Read", "Bash(git add:*, x)", "Grep"]],
    [
      ["Read", "Grep"],
      ["Read", "Grep"],
    ],
    ["", []],
    [true, undefined],
    [undefined, undefined],
  ])("%o", (value, expected) => {
    expect(namesIn(value)).toEqual(expected)
  })

  it("a blank text has none", () => {
    expect([textIn("  "), textIn(" x "), textIn(["x"])]).toEqual([undefined, "x", undefined])
  })
})
