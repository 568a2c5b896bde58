// Blocks of a reply: where they end, and that they are a function of the text.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Block, type BlockChunking, BlockChunker } from "../../../../src/views/reply/blocks/block-chunker.ts"
import { fenceAt } from "../../../../src/views/reply/blocks/fences.ts"

const blocksOf = (chunking: BlockChunking, ...deltas: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const chunker = new BlockChunker(chunking)
  const blocks = deltas.flatMap((delta) => chunker.append(delta))
  return [...blocks, ...chunker.flush()]
}

const textsOf = (...args: Parameters<typeof blocksOf>) => blocksOf(...args).map(({ text }) => text)

/** Blocks of a text that was buffered until its end. */
const forced = (chunking: BlockChunking, text: string) => {
  const chunker = new BlockChunker(chunking)
  chunker.hold(text)
  return chunker.flush().map((block) => block.text)
}

const early = (chunking: BlockChunking, text: string) => new BlockChunker(chunking).append(text).map((one) => one.text)

const X = (length: number) => "x".repeat(length)
const code = (lines: number) => Array.from({ length: lines }, (_, n) => `line ${n}`).join("\n")

interface Case {
  readonly rule: string
  readonly chunking: BlockChunking
  readonly text: string
  readonly blocks: ReadonlyArray<string>
}

const rows: ReadonlyArray<Case> = [
  {
    rule: "a text shorter than the lower bound is one block",
    chunking: { minChars: 50, maxChars: 100 },
    text: "Hi.\n\nThere.",
    blocks: ["Hi.\n\nThere."],
  },
  {
    rule: "a text of the upper bound's length is one block",
    chunking: { minChars: 5, maxChars: 10 },
    text: X(10),
    blocks: [X(10)],
  },
  {
    rule: "a block ends with its paragraph",
    chunking: { minChars: 5, maxChars: 100 },
    text: "First one.\n\nSecond one.",
    blocks: ["First one.", "Second one."],
  },
  {
    rule: "a paragraph that ends before the lower bound is no break",
    chunking: { minChars: 8, maxChars: 100 },
    text: "One.\n\nTwo two.\n\nThree.",
    blocks: ["One.\n\nTwo two.", "Three."],
  },
  {
    rule: "without a paragraph's end the last line's end within the bounds counts",
    chunking: { minChars: 5, maxChars: 20 },
    text: "aaaaaaa\nbbbbbbb\nccccccc\nddd",
    blocks: ["aaaaaaa\nbbbbbbb", "ccccccc\nddd"],
  },
  {
    rule: "without a line's end the last sentence's end counts",
    chunking: { minChars: 5, maxChars: 20 },
    text: "One one. Two two. Three three.",
    blocks: ["One one. Two two.", "Three three."],
  },
  {
    rule: "without a sentence's end white space counts",
    chunking: { minChars: 5, maxChars: 12 },
    text: "alpha beta gamma delta",
    blocks: ["alpha beta", "gamma delta"],
  },
  {
    rule: "without white space a block ends at the upper bound",
    chunking: { minChars: 5, maxChars: 10 },
    text: X(25),
    blocks: [X(10), X(10), X(5)],
  },
  {
    rule: "white space before the lower bound is no break",
    chunking: { minChars: 5, maxChars: 10 },
    text: `ab ${X(12)}`,
    blocks: [`ab ${X(7)}`, X(5)],
  },
  {
    rule: "`newline`: a block ends with its line",
    chunking: { minChars: 3, maxChars: 100, breakPreference: "newline" },
    text: "one.\ntwo. two\nthree",
    blocks: ["one.", "two. two", "three"],
  },
  {
    rule: "`newline`: a sentence's end is no break",
    chunking: { minChars: 3, maxChars: 14, breakPreference: "newline" },
    text: "One. Two three four",
    blocks: ["One. Two three", "four"],
  },
  {
    rule: "`sentence`: a block ends with its sentence",
    chunking: { minChars: 3, maxChars: 100, breakPreference: "sentence" },
    text: "One. Two? Three! Four",
    blocks: ["One.", "Two?", "Three!", "Four"],
  },
  {
    rule: "`sentence`: a mark within a word ends nothing",
    chunking: { minChars: 3, maxChars: 100, breakPreference: "sentence" },
    text: "Version 3.14 is out. Next",
    blocks: ["Version 3.14 is out.", "Next"],
  },
  {
    rule: "`sentence`: a mark before the lower bound ends nothing",
    chunking: { minChars: 8, maxChars: 100, breakPreference: "sentence" },
    text: "One. Two two. Three",
    blocks: ["One. Two two.", "Three"],
  },
  {
    rule: "one white space and the newlines behind a break are left out, an indent is not",
    chunking: { minChars: 3, maxChars: 100 },
    text: "one\n\n\n\n  two",
    blocks: ["one", "  two"],
  },
  {
    rule: "the same block may come twice in a row",
    chunking: { minChars: 3, maxChars: 100 },
    text: "again\n\nagain",
    blocks: ["again", "again"],
  },
  {
    rule: "`flushOnParagraph`: a paragraph goes out below the lower bound",
    chunking: { minChars: 50, maxChars: 100, flushOnParagraph: true },
    text: "A.\n\nB.\n\nC.",
    blocks: ["A.", "B.", "C."],
  },
  {
    rule: "`flushOnParagraph`: a blank line may have spaces and tabs",
    chunking: { minChars: 50, maxChars: 100, flushOnParagraph: true },
    text: "A.\n \t\nB.",
    blocks: ["A.", "B."],
  },
  {
    rule: "`flushOnParagraph`: a separator at the beginning stays with the next paragraph",
    chunking: { minChars: 50, maxChars: 100, flushOnParagraph: true },
    text: "\n\nA.\n\nB.",
    blocks: ["\n\nA.", "B."],
  },
  {
    rule: "`flushOnParagraph`: a paragraph that is too long is cut as without it",
    chunking: { minChars: 1, maxChars: 10, flushOnParagraph: true },
    text: "alpha beta gamma\n\nB.",
    blocks: ["alpha beta", "gamma", "B."],
  },
  {
    rule: "a blank line inside a fence is no break",
    chunking: { minChars: 3, maxChars: 100 },
    text: "```\na\n\nb\n```\n\nend",
    blocks: ["```\na\n\nb\n```", "end"],
  },
  {
    rule: "a block ends before a fence that would not fit",
    chunking: { minChars: 5, maxChars: 40 },
    text: `Some text\n\`\`\`js\n${code(4)}\n\`\`\``,
    blocks: ["Some text", `\`\`\`js\n${code(4)}\n\`\`\``],
  },
  {
    rule: "a fence that is too long is closed, and opened again with its info string",
    chunking: { minChars: 5, maxChars: 40 },
    text: `\`\`\`js title\n${code(6)}\n\`\`\``,
    blocks: ["```js title\nline 0\nline 1\nline 2\n```", "```js title\nline 3\nline 4\nline 5\n```"],
  },
  {
    rule: "tildes fence as well",
    chunking: { minChars: 5, maxChars: 30 },
    text: `~~~~\n${code(5)}\n~~~~`,
    blocks: ["~~~~\nline 0\nline 1\nline 2\n~~~~", "~~~~\nline 3\nline 4\n~~~~"],
  },
  {
    rule: "fewer marks than the opening ones close nothing",
    chunking: { minChars: 5, maxChars: 100 },
    text: "````\n```\n\nstill\n````\n\nout",
    blocks: ["````\n```\n\nstill\n````", "out"],
  },
  {
    rule: "a fence that closes right behind a cut is not opened again",
    chunking: { minChars: 5, maxChars: 22 },
    text: "```\nabcdefghij\nkl\n```\nend",
    blocks: ["```\nabcdefghij\nkl\n```", "end"],
  },
  {
    rule: "a link is not cut at its white space",
    chunking: { minChars: 5, maxChars: 30 },
    text: "See here [a long name](https://e.com/abc) now",
    blocks: ["See here", "[a long name](https://e.com/ab", "c) now"],
  },
  {
    rule: "a pair of surrogates is not cut",
    chunking: { minChars: 1, maxChars: 5 },
    text: "aaaa\u{1f600}bb",
    blocks: ["aaaa", "\u{1f600}bb"],
  },
  {
    rule: "blank text is no block",
    chunking: { minChars: 1, maxChars: 10 },
    text: "\n\n   \n",
    blocks: [],
  },
]

describe("blocks", () => {
  it.each(rows)("$rule", ({ chunking, text, blocks }) => {
    expect(textsOf(chunking, text)).toEqual(blocks)
    expect(textsOf(chunking, ...text)).toEqual(blocks)
  })

  it("wait for the lower limit, and for their preferred end", () => {
    expect(early({ minChars: 10, maxChars: 100 }, "One.\n\nTwo")).toEqual([])
    expect(early({ minChars: 3, maxChars: 100 }, "One. Two\n")).toEqual([])
    expect(early({ minChars: 3, maxChars: 100 }, "One.\n\nTwo")).toEqual(["One."])
    expect(early({ minChars: 3, maxChars: 10, breakPreference: "newline" }, "One. Two")).toEqual([])
  })

  it("of a buffered text end at the best break, and the rest at its first break", () => {
    const chunking = { minChars: 100, maxChars: 12 }
    expect(forced({ ...chunking, minChars: 1 }, "short\n\ntext")).toEqual(["short\n\ntext"])
    expect(forced({ minChars: 1, maxChars: 12 }, "one\n\ntwo\n\nthree\n\nfour")).toEqual([
      "one\n\ntwo",
      "three",
      "four",
    ])
    expect(forced({ minChars: 1, maxChars: 12, breakPreference: "sentence" }, "One. Two. Three. Four. Five")).toEqual([
      "One. Two.",
      "Three. Four.",
      "Five",
    ])
  })

  it("have consistent limits", () => {
    expect(textsOf({ minChars: 0, maxChars: 0 }, "abc")).toEqual(["a", "b", "c"])
    expect(textsOf({ minChars: 3.9, maxChars: 2 }, "abcdef")).toEqual(["abc", "def"])
  })
})

const fence = fc
  .record({
    marker: fc.constantFrom("```", "~~~", "````"),
    info: fc.constantFrom("", "js", "ts title"),
    lines: fc.array(fc.constantFrom("let a = 1", "", "  return b;", "[[reply_to_current]]", X(70)), { maxLength: 12 }),
  })
  .map(({ marker, info, lines }) => [marker + info, ...lines, marker].join("\n"))
const paragraph = fc
  .array(fc.constantFrom("word", "End.", "Really?", "[a link](https://e.com/x)", "\u{1f600}", X(40)), {
    minLength: 1,
    maxLength: 14,
  })
  .map((words) => words.join(" "))
const document = fc
  .array(fc.oneof(paragraph, fence), { minLength: 1, maxLength: 8 })
  .chain((parts) =>
    fc
      .array(fc.constantFrom("\n", "\n\n", "\n \n\n"), { minLength: parts.length, maxLength: parts.length })
      .map((gaps) => parts.map((part, index) => part + gaps[index]).join("")),
  )
const chunkings = fc
  .record({
    minChars: fc.integer({ min: 1, max: 90 }),
    more: fc.integer({ min: 30, max: 200 }),
    breakPreference: fc.constantFrom("paragraph" as const, "newline" as const, "sentence" as const),
    flushOnParagraph: fc.boolean(),
  })
  .map(({ more, ...chunking }) => ({ ...chunking, maxChars: chunking.minChars + more }))

const pieces = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...places].map((place, index) => text.slice(place, places[index]))
}

/** Newlines after a block are dropped as they arrive, before it is known whether the text continues. */
const placed = (blocks: ReadonlyArray<Block>) => blocks.map(({ text, start, end }) => ({ text, start, end }))

describe("for any text", () => {
  it("blocks are the same for any split, keep to the limits, and balance their fences", () => {
    fc.assert(
      fc.property(document, chunkings, fc.array(fc.nat(), { maxLength: 30 }), (text, chunking, cuts) => {
        const blocks = blocksOf(chunking, text)
        expect(placed(blocksOf(chunking, ...pieces(text, cuts)))).toEqual(placed(blocks))
        expect(placed(blocksOf(chunking, ...text))).toEqual(placed(blocks))
        for (const block of blocks) {
          expect(block.text.length).toBeLessThanOrEqual(chunking.maxChars)
          expect(fenceAt(`${block.text}\n`, block.text.length + 1)).toBeNull()
        }
      }),
      { numRuns: 300 },
    )
  })

  it("concatenated blocks equal the text, except for white space and the lines of a split fence", () => {
    fc.assert(
      fc.property(document, chunkings, (text, chunking) => {
        const blocks = blocksOf(chunking, text)
        let end = 0
        for (const block of blocks) {
          expect(text.slice(end, block.start)).toMatch(/^(?:\s|[`~]{3,4}\s*$)*$/)
          const own = text.slice(block.start, block.end).trim()
          const [first = "", ...rest] = own.split("\n")
          expect(block.text.includes(own) || block.text.includes(rest.join("\n")) || first === own).toBe(true)
          end = block.end
        }
        expect(text.slice(end)).toMatch(/^(?:\s|[`~]{3,4}\s*$)*$/)
      }),
      { numRuns: 300 },
    )
  })
})
