// tr as in GNU: translates, deletes and squeezes the bytes of its input.
// Invariant: it works on bytes, so data that is not text passes through it unchanged.
import { restored } from "../../raw-bytes.ts"
import { bytes, program, readOptions, stdinOf, UsageError } from "../program.ts"

const TR = {
  flags: "cCdst",
  long: { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }

const within = (low: number, high: number): ReadonlyArray<number> =>
  Array.from({ length: high - low + 1 }, (_, at) => low + at)

const textOf = (...ranges: ReadonlyArray<string>): ReadonlyArray<number> =>
  ranges.flatMap((range) => within(range.charCodeAt(0), range.charCodeAt(1)))

const CLASSES: Readonly<Record<string, ReadonlyArray<number>>> = {
  alnum: textOf("09", "AZ", "az"),
  alpha: textOf("AZ", "az"),
  blank: [9, 32],
  cntrl: [...within(0, 31), 127],
  digit: textOf("09"),
  graph: within(33, 126),
  lower: textOf("az"),
  print: within(32, 126),
  punct: textOf("!/", ":@", "[`", "{~"),
  space: [...within(9, 13), 32],
  upper: textOf("AZ"),
  xdigit: textOf("09", "AF", "af"),
}

/** One byte of a set, and the index after it. */
const byteAt = (text: string, at: number): readonly [byte: number, next: number] => {
  if (text.charAt(at) !== "\\" || at + 1 === text.length) return [text.charCodeAt(at), at + 1]
  const [octal] = /^[0-7]{1,3}/.exec(text.slice(at + 1)) ?? []
  if (octal !== undefined) {
    const digits = Number.parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal
    return [Number.parseInt(digits, 8), at + 1 + digits.length]
  }
  return [ESCAPES[text.charAt(at + 1)] ?? text.charCodeAt(at + 1), at + 2]
}

/** The bytes that a set such as `a-z` or `[:digit:]` means; `[x*]` repeats `x` until the set has `fill` bytes. */
const setOf = (text: string, fill = 0): ReadonlyArray<number> => {
  const set: Array<number> = []
  let repeated: { readonly at: number; readonly byte: number } | null = null
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at)
    const [all = "", name = ""] = /^\[:([a-z]+):\]/.exec(rest) ?? []
    if (name !== "") {
      const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined
      if (known === undefined) throw new UsageError(`invalid character class '${name}'`)
      set.push(...known)
      at += all.length
      continue
    }
    const [same = "", equal = ""] = /^\[=(\\?[\s\S])=\]/.exec(rest) ?? []
    const [repeat = "", byteText = "", count = ""] = /^\[(\\[0-7]{1,3}|\\?[^\\])\*(\d*)\]/.exec(rest) ?? []
    if (same !== "") {
      set.push(byteAt(equal, 0)[0])
      at += same.length
    } else if (repeat !== "") {
      const [byte] = byteAt(byteText, 0)
      const times = Number.parseInt(count, count.startsWith("0") ? 8 : 10)
      if (times > 0) set.push(...Array.from({ length: Math.min(times, 256) }, () => byte))
      else repeated = { at: set.length, byte }
      at += repeat.length
    } else {
      const [first, next] = byteAt(text, at)
      at = next
      if (text.charAt(at) !== "-" || at + 1 >= text.length) set.push(first)
      else {
        const [last, end] = byteAt(text, at + 1)
        if (last < first)
          throw new UsageError(
            `range-endpoints of '${text.slice(next - 1, end)}' are in reverse collating sequence order`,
          )
        set.push(...within(first, last))
        at = end
      }
    }
  }
  if (repeated === null) return set
  const { at, byte } = repeated
  return [...set.slice(0, at), ...Array.from({ length: Math.max(0, fill - set.length) }, () => byte), ...set.slice(at)]
}

const NOTHING = -1

/** The byte that replaces each byte. */
const translation = (from: ReadonlyArray<number>, to: ReadonlyArray<number>, truncated: boolean): Array<number> => {
  const table = within(0, 255).slice()
  const last = to.at(-1)
  if (last === undefined && !truncated) throw new UsageError("when not truncating set1, string2 must be non-empty")
  for (const [at, byte] of from.entries()) {
    const replacement = to[at] ?? (truncated ? undefined : last)
    if (replacement !== undefined) table[byte] = replacement
  }
  return table
}

const run = (args: ReadonlyArray<string>, input: string): string => {
  // Options end at the first operand: `tr '+/' '-_'`.
  const first = args.findIndex((arg) => !/^-./.test(arg))
  const at = first < 0 ? args.length : first
  const { operands, has } = readOptions(args.slice(0, at), TR)
  const [one, two, more] = [...operands, ...args.slice(at)]
  if (one === undefined) throw new UsageError("missing operand")
  const [deletes, squeezes] = [has("d"), has("s")]
  if (two === undefined && !deletes && !squeezes) throw new UsageError(`missing operand after '${one}'`)
  const extra = deletes && !squeezes ? two : more
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
  const given = setOf(one)
  const taken = new Set(given)
  const from = has("c") || has("C") ? within(0, 255).filter((byte) => !taken.has(byte)) : given
  const to = two === undefined ? [] : setOf(two, from.length)
  const table = deletes || two === undefined ? within(0, 255).slice() : translation(from, to, has("t"))
  if (deletes) for (const byte of from) table[byte] = NOTHING
  const squeezed = new Set(squeezes ? (two === undefined ? from : to) : [])
  const output = Buffer.allocUnsafe(input.length)
  let length = 0
  let before = NOTHING
  for (let at = 0; at < input.length; at += 1) {
    const byte = table[input.charCodeAt(at) & 255] ?? NOTHING
    if (byte === NOTHING || (byte === before && squeezed.has(byte))) continue
    before = byte
    output[length] = byte
    length += 1
  }
  return output.toString("latin1", 0, length)
}

const byteText = (arg: string): string => restored(Buffer.from(arg, "utf8").toString("latin1"))

export const trProgram = program("tr", async (args, context) => bytes(run(args.map(byteText), stdinOf(context))))
