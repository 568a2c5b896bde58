// A streaming Markdown text: earlier parts keep their blocks, and the final result equals that of the whole text.
import * as fc from "fast-check"
import { Lexer, type Tokens } from "marked"
import { expect, it } from "vitest"
import { completeDocument, type Document, readDocument } from "../../../../src/console/chat/markdown/blocks.ts"

const PIECES = [
  "# Title\n",
  "text ",
  "**bold** ",
  "\n",
  "\n\n",
  "- item\n",
  "  - inner\n",
  "- [ ] task\n",
  "1. one\n",
  "```ts\n",
  "const a = 1\n",
  "```\n",
  "> quote\n",
  "| a | b |\n",
  "| - | - |\n",
  "| 1 | 2 |\n",
  "---\n",
  "<div>\n",
  "</div>\n",
  "    indented\n",
  "\r\n",
  "2",
  ". ",
  "-",
  "#",
  "12",
  "|",
  "* ",
  "   - deep\n",
  "===\n",
]

const stream = (pieces: ReadonlyArray<string>): Document => {
  let document: Document | null = null
  let text = ""
  for (const piece of pieces) {
    text += piece
    document = readDocument(text, document)
  }
  return document ?? readDocument("")
}

it("parses a text that arrives in chunks like the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 25 }), (pieces) => {
      const { blocks, isExact } = stream(pieces)
      if (isExact) expect(blocks).toEqual([...Lexer.lex(pieces.join("").replace(/\r\n?/g, "\n"))])
    }),
    { numRuns: 3000 },
  )
})

it("keeps the blocks before the last one while the text grows", () => {
  const first = readDocument("# Title\n\nOne.\n\nTwo")
  const second = readDocument("# Title\n\nOne.\n\nTwo and three", first)
  expect(second.blocks[0]).toBe(first.blocks[0])
  expect(second.blocks[2]).toBe(first.blocks[2])
  expect(second.blocks.at(-1)?.raw).toBe("Two and three")
})

it.each([
  ["a tight list", "- one\n- two\n- thr", "ee\n- four\n"],
  ["a loose list", "1. one\n\n2. two\n\n3. three\n\n", "4. four"],
  ["a list with a list", "- one\n  - inner\n- two\n- three\n  - in", "ner\n"],
])("keeps the first items of %s while it grows", (_name, source, added) => {
  const first = readDocument(source)
  const second = readDocument(source + added, first)
  const [before, after] = [first, second].map(({ blocks }) => (blocks[0] as Tokens.List).items)
  expect(after?.[0] === before?.[0]).toBe(true)
  expect(second.blocks).toEqual([...Lexer.lex(source + added)])
})

it("keeps the first rows of a table while it grows", () => {
  const first = readDocument("| a | b |\n| - | -: |\n| 1 | 2 |\n| 3 | 4 |\n| 5")
  const second = readDocument(`${first.text} | 6 |\n| 7 | 8 |\n`, first)
  const [before, after] = [first, second].map(({ blocks }) => (blocks[0] as Tokens.Table).rows)
  expect(after?.[0] === before?.[0] && after?.[1] === before?.[1]).toBe(true)
  expect(second.blocks).toEqual([...Lexer.lex(second.text)])
})

it("joins a line whose beginning arrived alone with the block before it", () => {
  expect(stream(["see issue\n#", "12"]).blocks.map(({ type }) => type)).toEqual(["paragraph"])
  expect(stream(["1. one\n\n2", ". two"]).blocks.map(({ type }) => type)).toEqual(["list"])
})

it("joins a list that continues after a blank line", () => {
  const document = stream(["- one\n", "\n", "- two\n"])
  expect(document.blocks.map(({ type }) => type)).toEqual(["list"])
})

it("resolves reference links once the text is complete", () => {
  const pieces = ["See [it][1].\n\n", "[1]: https://example.com/\n"]
  const [paragraph] = completeDocument(stream(pieces), pieces.join("")).blocks
  expect(JSON.stringify(paragraph)).toContain('"href":"https://example.com/"')
})

it("resolves reference links in the beginning of a text, with the first definition of a label", () => {
  const text =
    "See [it][1] and [that][2].\r\n\r\n~~~\n[2]: https://code.example/\n~~~\n\n[1]: https://example.com/\n\n[1]: https://later.example/\n"
  const beginning = completeDocument(readDocument(text.slice(0, 30)), text)
  expect(beginning.blocks[0]).toMatchObject({
    tokens: [{}, { type: "link", href: "https://example.com/" }, { type: "text", raw: " and [that][2]." }],
  })
})

it("survives quotes that are too deeply nested for the lexer", () => {
  expect(readDocument(`${"> ".repeat(20_000)}end`).blocks).toMatchObject([{ type: "html" }])
})

it("survives lists that are too deeply nested for the lexer, and reads a long horizontal rule", () => {
  expect(readDocument(`${"1. - ".repeat(20_000)}end`).blocks).toMatchObject([{ type: "html" }])
  expect(readDocument(`${"- ".repeat(100)}\n`).blocks).toMatchObject([{ type: "hr" }])
})

it("stops looking for emphasis where none ends, and finds it in a long text", () => {
  const emphasis = (source: string) => JSON.stringify(readDocument(source).blocks[0]).split('"strong"').length - 1
  expect(emphasis(`**first** ${"~a~~ ".repeat(4000)} **last**`)).toBe(1)
  expect(emphasis("Some **bold** text, and 3 * 4 of a_name. ".repeat(500))).toBe(500)
})
