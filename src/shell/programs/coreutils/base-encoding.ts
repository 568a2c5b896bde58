// base64 and base32 as in GNU: encode a file in lines of 76 characters, or decode one.
// Invariant: input that is not valid ends the program with exit code 1, after what could be decoded.
import type { Command, ExecResult } from "just-bash/browser"
import { bytes, program, readInput, readOptions, UsageError, why } from "../program.ts"

const OPTIONS = { flags: "di", values: "w", long: { decode: "d", "ignore-garbage": "i", wrap: "w=" } }

interface Encoding {
  readonly alphabet: string
  /** Bits per character. */
  readonly bits: number
  /** Characters per group; the last group is filled with `=`. */
  readonly group: number
}

const BASE64: Encoding = {
  alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  bits: 6,
  group: 4,
}
const BASE32: Encoding = { alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 }

const encoded = (text: string, { alphabet, bits, group }: Encoding): string => {
  if (bits === 6) return Buffer.from(text, "latin1").toString("base64")
  const pieces: Array<string> = []
  let [value, held] = [0, 0]
  const emit = (count: number): void => {
    pieces.push(alphabet.charAt((value >> (held - count)) & ((1 << bits) - 1)))
    held -= count
    value &= (1 << held) - 1
  }
  for (let at = 0; at < text.length; at += 1) {
    value = (value << 8) | text.charCodeAt(at)
    held += 8
    while (held >= bits) emit(bits)
  }
  if (held > 0) {
    value <<= bits - held
    held = bits
    emit(bits)
  }
  return pieces.join("").padEnd(Math.ceil(pieces.length / group) * group, "=")
}

const decoded = (
  text: string,
  { alphabet, bits, group }: Encoding,
): { readonly text: string; readonly valid: boolean } => {
  const output: Array<string> = []
  let [value, held, count] = [0, 0, 0]
  const end = text.search(new RegExp(`[^${alphabet}]`))
  const digits = end === -1 ? text : text.slice(0, end)
  for (let at = 0; at < digits.length; at += 1) {
    value = (value << bits) | alphabet.indexOf(digits.charAt(at))
    held += bits
    count += 1
    if (held < 8) continue
    output.push(String.fromCharCode((value >> (held - 8)) & 255))
    held -= 8
    value &= (1 << held) - 1
  }
  const filled = (group - (count % group)) % group
  return { text: output.join(""), valid: text.slice(digits.length) === "=".repeat(filled) }
}

const wrapped = (text: string, width: number): string => {
  if (width === 0 || text === "") return text
  const lines: Array<string> = []
  for (let at = 0; at < text.length; at += width) lines.push(`${text.slice(at, at + width)}\n`)
  return lines.join("")
}

const baseProgram = (name: string, encoding: Encoding): Command =>
  program(name, async (args, context): Promise<ExecResult> => {
    const { has, value, operands } = readOptions(args, OPTIONS)
    const [file = "-", extra] = operands
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
    const width = value("w") ?? "76"
    if (!/^\d+$/.test(width)) throw new UsageError(`invalid wrap size: '${width}'`)
    let text: string
    try {
      text = await readInput(context, file)
    } catch (error) {
      return bytes("", `${name}: ${file}: ${why(error)}\n`, 1)
    }
    if (!has("d")) return bytes(wrapped(encoded(text, encoding), Number(width)))
    const garbage = new RegExp(has("i") ? `[^${encoding.alphabet}=]` : "\n", "g")
    const result = decoded(text.replace(garbage, ""), encoding)
    return bytes(result.text, result.valid ? "" : `${name}: invalid input\n`, result.valid ? 0 : 1)
  })

export const BASE_PROGRAMS: ReadonlyArray<Command> = [baseProgram("base64", BASE64), baseProgram("base32", BASE32)]
