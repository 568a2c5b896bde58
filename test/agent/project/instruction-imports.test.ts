// Which paths an instruction file imports; as the official CLI was observed to read them.
import { expect, it } from "vitest"
import { importsOf } from "../../../src/agent/project/instruction-imports.ts"

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
