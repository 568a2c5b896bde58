// A streaming Markdown text: earlier parts keep their blocks, and the final result equals that of the whole text.
import * as fc from "fast-check"
import { Lexer } from "marked"
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
]

const stream = (pieces: ReadonlyArray<string>): Document => {
  let document: Document | null = null
  let text = ""
  for (const piece of pieces) {
    text += piece
    document = readDocument(text, document)
  }
  return completeDocument(document ?? readDocument(""))
}

it("parses a text that arrives in chunks like the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 25 }), (pieces) => {
      const whole = [...Lexer.lex(pieces.join("").replace(/\r\n?/g, "\n"))]
      expect(
        stream(pieces)
          .blocks.map(({ raw }) => raw)
          .join(""),
      ).toBe(whole.map(({ raw }) => raw).join(""))
    }),
  )
})

it("keeps the blocks before the last one while the text grows", () => {
  const first = readDocument("# Title\n\nOne.\n\nTwo")
  const second = readDocument("# Title\n\nOne.\n\nTwo and three", first)
  expect(second.blocks[0]).toBe(first.blocks[0])
  expect(second.blocks[2]).toBe(first.blocks[2])
  expect(second.blocks.at(-1)?.raw).toBe("Two and three")
})

it("joins a list that continues after a blank line", () => {
  const document = stream(["- one\n", "\n", "- two\n"])
  expect(document.blocks.map(({ type }) => type)).toEqual(["list"])
})

it("resolves reference links once the text is complete", () => {
  const pieces = ["See [it][1].\n\n", "[1]: https://example.com/\n"]
  const [paragraph] = stream(pieces).blocks
  expect(JSON.stringify(paragraph)).toContain('"href":"https://example.com/"')
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
