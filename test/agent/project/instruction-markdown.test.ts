// Which paths an instruction file imports; as the official CLI was observed to read them.
import { expect, it } from "vitest"
import { importsOf, withoutComments } from "../../../src/agent/project/instruction-markdown.ts"

it.each([
  ["a line of its own", "@docs/one.md", ["docs/one.md"]],
  ["in a sentence", "See @a.md and @./b/c.md\nand (@../d.md", ["a.md", "./b/c.md", "../d.md"]],
  ["an absolute path", "@/workspace/a.md", ["/workspace/a.md"]],
  ["a space, escaped", "@my\\ notes.md", ["my notes.md"]],
  ["an anchor", "@a.md#part", ["a.md"]],
  ["twice", "@a.md @a.md", ["a.md"]],
  ["a home directory", "@~/notes.md", []],
  ["an address", "mail me@example.com", []],
  ["code in a line", "`@a.md` and ``@b.md``", []],
  ["a fence", "```\n@a.md\n```\n@b.md", ["b.md"]],
  ["a fence with a language, and a longer one", "```md\n@a.md\n```\n~~~~\n@b.md\n~~~\n~~~~\n@c.md", ["c.md"]],
  ["a fence that does not end", "```\n@a.md", []],
  ["the sentence's own dot, which is part of the path", "@a.md.", ["a.md."]],
])("%s", (_name, text, expected) => {
  expect(importsOf(text)).toEqual(expected)
})

it.each([
  ["a line of its own", "a\n<!-- note -->\nb\n", "a\nb\n"],
  ["several lines", "<!-- one\ntwo\n-->\nb", "b"],
  ["the beginning of a line", "<!-- note --> a <!-- more --> b\n", " a  b\n"],
  ["a comment inside a line stays", "a <!-- note --> b\n- c <!-- d -->", "a <!-- note --> b\n- c <!-- d -->"],
  ["an indented one stays", "a\n  <!-- note -->\n", "a\n  <!-- note -->\n"],
  ["a code fence stays", "```\n<!-- note -->\n```\n<!-- x -->\nb", "```\n<!-- note -->\n```\nb"],
  ["one without an end stays", "<!-- note\n<!-- b\nc", "<!-- note\n<!-- b\nc"],
])("removes comments as the official SDK: %s", (_, text, expected) => {
  expect(withoutComments(text)).toBe(expected)
})

it("takes linear time for many comments without an end", () => {
  const text = "<!--\n".repeat(200_000)
  expect(withoutComments(text)).toBe(text)
  expect(withoutComments(`<!-- -->${"<!--".repeat(200_000)}`)).toBe("<!--".repeat(200_000))
})
