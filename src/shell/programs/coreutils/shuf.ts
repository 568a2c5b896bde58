// shuf as in GNU: prints lines, arguments or a range of numbers in random order.
// Invariant: each item is printed once, unless -r is given; a range is never materialized to select a few of its numbers.
import type { Command } from "just-bash/browser"
import { bytes, linesOf, program, readInput, readOptions, spendLines, UsageError, why } from "../program.ts"

const OPTIONS = {
  flags: "erz",
  values: "ino",
  long: {
    echo: "e",
    "input-range": "i=",
    "head-count": "n=",
    output: "o=",
    repeat: "r",
    "zero-terminated": "z",
    "random-source": "source=",
  },
}
const MAX_ITEMS = 300_000

const randomBelow = (count: number): number => Math.floor(Math.random() * count)

/** Returns `wanted` different numbers below `count` in random order: a shuffle that stores only the swapped places. */
const places = (count: number, wanted: number): ReadonlyArray<number> => {
  const moved = new Map<number, number>()
  return Array.from({ length: wanted }, (_, at) => {
    const other = at + randomBelow(count - at)
    const taken = moved.get(other) ?? other
    moved.set(other, moved.get(at) ?? at)
    return taken
  })
}

const rangeOf = (text: string): readonly [number, number] => {
  const [, from = "", to = ""] = /^(\d+)-(\d+)$/.exec(text) ?? []
  if (from === "" || Number(from) > Number(to) + 1 || !Number.isSafeInteger(Number(to)))
    throw new UsageError(`invalid input range: '${text}'`)
  return [Number(from), Number(to) - Number(from) + 1]
}

export const shufProgram: Command = program("shuf", async (args, context) => {
  const options = readOptions(args, OPTIONS)
  if (options.value("source") !== undefined) throw new UsageError("--random-source is not possible here")
  const [range, limit, output] = [options.value("i"), options.value("n"), options.value("o")]
  if (range !== undefined && options.has("e")) throw new UsageError("cannot combine -e and -i options")
  if (limit !== undefined && !/^\d+$/.test(limit)) throw new UsageError(`invalid line count: '${limit}'`)
  const extra = options.operands[range === undefined ? 1 : 0]
  if (extra !== undefined && !options.has("e")) throw new UsageError(`extra operand '${extra}'`)
  const end = options.has("z") ? "\0" : "\n"
  let items: ReadonlyArray<string> = []
  if (options.has("e")) items = options.operands.map((word) => Buffer.from(word, "utf8").toString("latin1"))
  else if (range === undefined)
    try {
      items = linesOf(await readInput(context, options.operands[0] ?? "-"), end)
    } catch (error) {
      return bytes("", `shuf: ${options.operands[0]}: ${why(error)}\n`, 1)
    }
  const [from, count] = range === undefined ? [0, items.length] : rangeOf(range)
  const repeats = options.has("r")
  const wanted = repeats ? Number(limit ?? MAX_ITEMS + 1) : Math.min(Number(limit ?? count), count)
  if (wanted > MAX_ITEMS) throw new UsageError(`more than ${MAX_ITEMS} lines: say how many with -n`)
  if (repeats && count === 0 && wanted > 0) throw new UsageError("no lines to repeat")
  spendLines(context, "shuf", wanted)
  const chosen = repeats ? Array.from({ length: wanted }, () => randomBelow(count)) : places(count, wanted)
  const text = chosen.map((at) => (range === undefined ? (items[at] ?? "") : String(from + at)) + end).join("")
  if (output === undefined) return bytes(text)
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, output), Buffer.from(text, "latin1"))
  return bytes("")
})
