// A long Markdown text that streams: what an update parses is bounded, nothing is lost, and code stays whole.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { type Growing, readGrowing } from "../../../../src/console/chat/markdown/growing.ts"

const MAX_PARSED = 1000
const STEP = 170

/** The results while the text streams. */
const stream = (text: string): ReadonlyArray<Growing> => {
  const all: Array<Growing> = []
  for (let end = STEP; end < text.length + STEP; end += STEP)
    all.push(readGrowing(text.slice(0, end), all.at(-1) ?? null, MAX_PARSED))
  return all
}

/** The result when the text arrives at once. */
const burst = (text: string): Growing => readGrowing(text, null, MAX_PARSED)

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "")
const line = (n: number) => `Line ${n} with **bold** text.`
const lines = (amount: number, of: (n: number) => string) => Array.from({ length: amount }, (_, n) => of(n)).join("")

it.each([
  ["a paragraph", lines(400, (n) => `${line(n)}\n`)],
  ["a paragraph in one line", lines(400, (n) => `${line(n)} `)],
  ["a list in an item", lines(400, (n) => `${"  ".repeat(n === 0 ? 0 : 1 + (n % 4))}- ${line(n)}\n`)],
  ["a quote", lines(400, (n) => `> ${line(n)}\n`)],
  ["paragraphs in an item", `- first\n\n${lines(400, (n) => `  ${line(n)}\n\n`)}`],
])("an update of %s parses a bounded part of it, and loses nothing", (_name, text) => {
  const all = stream(text)
  expect(Math.max(...all.map(({ open }) => open.parsedAgain))).toBeLessThan(2 * MAX_PARSED + 2 * STEP)
  expect(all.at(-1)?.blocks[0]).toBe(all.at(-20)?.blocks[0])
  const read = all.at(-1)?.blocks.map(({ raw }) => raw) ?? []
  expect(words(read.join("\n"))).toEqual(words(text))
})

it("a text that arrives at once is divided too, but not between its items and paragraphs", () => {
  expect(burst(lines(400, (n) => `${line(n)}\n`)).past.length).toBeGreaterThan(2)
  expect(burst(lines(400, (n) => `- ${line(n)}\n`)).blocks.map(({ type }) => type)).toEqual(["list"])
  expect(burst(lines(400, (n) => `${line(n)}\n\n`)).past).toEqual([])
})

it("a list that is divided continues as a list, and what follows it is outside", () => {
  const list = lines(100, (n) => `${"  ".repeat(n === 0 ? 0 : 2 + (n % 2))}- ${line(n)}\n`)
  const { blocks, past } = stream(`${list}\nThe end:\n\n    code\n`).at(-1)!
  expect(past.length).toBeGreaterThan(0)
  expect(blocks.map(({ type }) => type).filter((type) => type !== "space")).toEqual([
    ...past.map(() => "list"),
    "list",
    "paragraph",
    "code",
  ])
})

it.each([
  ["code", `~~~py\n${lines(300, (n) => `    # line ${n}\n`)}`],
  ["code in an item", `- first\n\n  ~~~\n${lines(300, (n) => `  # line ${n}\n`)}`],
  ["a table", `| a |\n| - |\n${lines(300, (n) => `| ${n} |\n`)}`],
])("%s is not divided", (_name, text) => {
  const { blocks, past } = stream(text).at(-1)!
  expect([blocks.length, past.length]).toEqual([1, 0])
})

it("the blocks of a text that grows keep no earlier version of it in memory", () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void // the flag makes it one
  const text = lines(500, (n) => `${line(n).repeat(15)}\n\n`)
  collect()
  const before = process.memoryUsage().heapUsed
  let growing: Growing | null = null
  let received = ""
  for (let at = 0; at < text.length; at += STEP) {
    received += text.slice(at, at + STEP)
    growing = readGrowing(received, growing)
  }
  collect()
  const grown = process.memoryUsage().heapUsed - before
  expect(growing?.blocks.length).toBeGreaterThan(500)
  // The blocks themselves take about 20 bytes for each character.
  expect(grown / text.length).toBeLessThan(60)
})
