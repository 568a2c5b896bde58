// `printf` with byte escapes in its format (`\xff`, `\377`), and `echo -e` with them: the interpreter treats them as characters,
// and writes two bytes for each. This file marks them in the arguments, and replaces the marks in the output with bytes.
// Invariant: a text without such bytes is printed unchanged.
import { byteOfMark, markOfByte } from "../../raw-bytes.ts"

const ESCAPE = /\\\\|\\x([89a-fA-F][0-9a-fA-F])|\\0?([2-3][0-7]{2})/g
const ECHO_ESCAPE = /\\\\|\\x([89a-fA-F][0-9a-fA-F])|\\0([2-3][0-7]{2})/g
/** Matches a mark: see `markOfByte`. */
const MARKED = /[\u{10fe00}-\u{10feff}]/gu

const mark = (all: string, hex?: string, octal?: string): string => {
  if (hex === undefined && octal === undefined) return all
  return markOfByte(hex === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(hex, 16))
}

const marked = (format: string): string => format.replace(ESCAPE, mark)

/** The arguments of echo with marks for bytes; null if there are none. Its octal numbers start with a zero. */
const markedEcho = (args: ReadonlyArray<string>): Array<string> | null => {
  const from = args.findIndex((arg) => !/^-[neE]+$/.test(arg))
  const options = args.slice(0, from === -1 ? args.length : from).join("")
  if (from === -1 || !/e[^E]*$/.test(options)) return null
  const words = args.map((arg, at) => (at < from ? arg : arg.replace(ECHO_ESCAPE, mark)))
  return words.every((word, at) => word === args[at]) ? null : words
}

/** The arguments of printf or `echo -e` with marks for bytes; null if there are none, or for another command. */
export const withMarks = (name: string, args: ReadonlyArray<string>): Array<string> | null => {
  if (name === "echo") return markedEcho(args)
  const at = args[0] === "--" ? 1 : 0
  const format = args[at]
  if (name !== "printf" || format === undefined || format.startsWith("-v")) return null
  const changed = marked(format)
  return changed === format ? null : args.map((arg, index) => (index === at ? changed : arg))
}

/** The result with its output as bytes, one character per byte. */
export const withBytes = (result: unknown): unknown => {
  if (typeof result !== "object" || result === null) return result
  const { stdout, stdoutKind } = result as { readonly stdout?: unknown; readonly stdoutKind?: unknown }
  if (typeof stdout !== "string") return result
  const text = stdoutKind === "bytes" ? Buffer.from(stdout, "latin1").toString("utf8") : stdout
  const pieces: Array<string> = []
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    pieces.push(Buffer.from(text.slice(from, match.index), "utf8").toString("latin1"))
    pieces.push(String.fromCharCode(byteOfMark(match[0])))
    from = match.index + match[0].length
  }
  pieces.push(Buffer.from(text.slice(from), "utf8").toString("latin1"))
  return { ...result, stdout: pieces.join(""), stdoutKind: "bytes" }
}
