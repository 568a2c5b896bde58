// cut as in GNU: prints parts of each line, by bytes (characters are bytes, too) or by fields.
// Receives a list of positions and names of files; prints the chosen parts of each line in their order.
// Invariant: a position is printed once, however often the list has it.
import type { Command } from "just-bash/browser"
import { bytes, linesOf, program, readInput, readOptions, spendLines, UsageError, why } from "../program.ts"

const CUT = {
  flags: "nsz",
  values: "bcdf",
  long: {
    bytes: "b=",
    characters: "c=",
    fields: "f=",
    delimiter: "d=",
    "only-delimited": "s",
    "zero-terminated": "z",
    complement: "complement",
    "output-delimiter": "output=",
  },
}

/** True for the positions of a list such as `1,3-5,7-`. */
type Chosen = (position: number) => boolean

const chosenBy = (list: string): Chosen => {
  const spans = list.split(",").map((span) => {
    const [, from, dash, to] = /^(\d*)(-?)(\d*)$/.exec(span) ?? []
    if (from === undefined || (from === "" && to === "")) throw new UsageError(`invalid field value '${span}'`)
    const first = Number(from === "" ? "1" : from)
    const last = dash === "" ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to)
    if (first < 1 || last < 1) throw new UsageError("fields are numbered from 1")
    if (last < first) throw new UsageError("invalid decreasing range")
    return { first, last }
  })
  return (position) => spans.some(({ first, last }) => position >= first && position <= last)
}

/** A pipe has one character per byte. */
const asBytes = (text: string): string => Buffer.from(text).toString("latin1")

export const cutProgram: Command = program("cut", async (args, context) => {
  const options = readOptions(args, CUT)
  const [kind, list] = options.given.find(([name]) => /^[bcf]$/.test(name)) ?? []
  if (typeof list !== "string") throw new UsageError("you must specify a list of bytes, characters, or fields")
  const chosen = chosenBy(list)
  const [byField, end] = [kind === "f", options.has("z") ? "\0" : "\n"]
  const given = options.value("d") ?? "\t"
  if (Array.from(given).length > 1) throw new UsageError("the delimiter must be a single character")
  const delimiter = byField ? asBytes(given || "\0") : ""
  const between = asBytes(options.value("output") ?? delimiter)
  let [stdout, stderr] = ["", ""]
  for (const name of options.operands.length === 0 ? ["-"] : options.operands) {
    try {
      const lines = linesOf(await readInput(context, name), end)
      spendLines(context, "cut", lines.length)
      for (const line of lines) {
        const hasFields = line.includes(delimiter)
        if (!hasFields && options.has("s")) continue
        let [text, last] = ["", 0]
        for (const [at, part] of hasFields ? line.split(delimiter).entries() : []) {
          if (chosen(at + 1) === options.has("complement")) continue
          text += (last > 0 && (byField || at > last) ? between : "") + part
          last = at + 1
        }
        stdout += (hasFields ? text : line) + end
      }
    } catch (error) {
      stderr += `cut: ${name}: ${why(error)}\n`
    }
  }
  return bytes(stdout, stderr, stderr === "" ? 0 : 1)
})
