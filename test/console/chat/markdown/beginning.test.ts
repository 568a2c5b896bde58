// The beginning of a long Markdown text: where it ends, and that its parts together are the whole text.
import { expect, it } from "vitest"
import { readBeginning } from "../../../../src/console/chat/markdown/beginning.ts"
import { type Document, readDocument } from "../../../../src/console/chat/markdown/blocks.ts"

const LINE = "Some **bold** text and more words.\n\n"

it("ends at the end of a line, and grows to the whole text without parsing its first blocks again", () => {
  const text = LINE.repeat(400)
  const first = readBeginning(text, 2000)
  expect(first.text.length).toBeLessThanOrEqual(2000)
  expect(text.startsWith(first.text)).toBe(true)
  expect(first.text.endsWith("\n")).toBe(true)
  let document: Document = first
  for (let length = 4000; document.text.length < text.length; length += 2000)
    document = readBeginning(text, length, document)
  expect(document.text).toBe(text)
  expect(document.blocks[0]).toBe(first.blocks[0])
  expect(document.blocks).toEqual(readDocument(text).blocks)
})

it("cuts a long line at the end of a word, or between two characters", () => {
  expect(readBeginning("word and more ".repeat(1000), 2000).text).toMatch(/^(word and more )+(word |word and )?$/)
  expect(readBeginning("🌍".repeat(1000), 501).text).toBe("🌍".repeat(250))
})

it("does not cut a text that is not much longer", () => {
  const text = LINE.repeat(40)
  expect(readBeginning(text, 1000).text).toBe(text)
})

it.each([
  ["a fence", "````js", "```\nconst value = 1", "````"],
  ["a fence of tildes", "~~~", "  ~~\nconst value = 1", "~~~~"],
  ["a block that is indented", "    const", "    value\n\n    = 1", "    end"],
])("shows all of the code in %s", (_name, first, line, last) => {
  const code = [first, ...Array.from({ length: 200 }, () => line), last].join("\n")
  const document = readBeginning(`Code:\n\n${code}\n\n${LINE.repeat(400)}`, 2000)
  const found = document.blocks.find(({ type }) => type === "code")?.raw.trimEnd()
  expect(found === code).toBe(true)
  expect(document.text.length).toBeLessThan(code.length + 100)
})

it("code that is not closed extends to the end of the text", () => {
  const text = `\`\`\`\n${"const value = 1\n".repeat(400)}`
  expect(readBeginning(text, 2000).text).toBe(text)
})
