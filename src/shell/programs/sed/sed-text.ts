// The texts that sed produces: its output, its replacements with changes of case, and the visible form of `l`.
import type { Part } from "./sed-script.ts"

/** The output to one target. A line without a line end gets one when another line follows. */
export class Output {
  readonly #parts: Array<string> = []
  #open = false

  write(text: string, end: string): void {
    const all = text + end
    if (this.#open) this.#parts.push("\n")
    this.#parts.push(all)
    this.#open = end === "" && all !== "" && !all.endsWith("\n")
  }

  get text(): string {
    return this.#parts.join("")
  }
}

const cased = (text: string, mode: string): string =>
  mode === "U" ? text.toUpperCase() : mode === "L" ? text.toLowerCase() : text

/** The text of a replacement, with its groups inserted and the case changed by `\U`, `\L`, `\u`, `\l` and `\E`. */
export const filled = (parts: ReadonlyArray<Part>, groups: (at: number) => string): string => {
  let [result, mode, once] = ["", "", ""]
  for (const part of parts) {
    if (typeof part === "object") {
      if (/[ul]/.test(part.to)) once = part.to
      else mode = part.to
      continue
    }
    const raw = typeof part === "number" ? groups(part) : part
    const text = cased(raw, mode)
    if (once === "" || text === "") result += text
    else {
      const [first = "", ...rest] = Array.from(text)
      result += (once === "u" ? first.toUpperCase() : first.toLowerCase()) + rest.join("")
      once = ""
    }
  }
  return result
}

const LETTERS: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\f": "\\f",
  "\v": "\\v",
  "\b": "\\b",
  "\u0007": "\\a",
}

/** A text with every character visible, in rows of at most `width` characters. */
export const listed = (text: string, width: number): string => {
  let [result, row] = ["", 0]
  for (const byte of Buffer.from(text)) {
    const letter = String.fromCharCode(byte)
    const octal = `\\${byte.toString(8).padStart(3, "0")}`
    const shown = LETTERS[letter] ?? (byte < 32 || byte > 126 ? octal : letter)
    if (width > 1 && row + shown.length > width - 1) [result, row] = [`${result}\\\n`, 0]
    result += shown
    row += shown.length
  }
  return `${result}$`
}
