// Receives a sed script; returns one that gives under the shell's sed what the script gives under GNU sed: text on the
// line of `a`, `i` and `c` (`1i\text`), backslashes of replacements (`s/"/\\"/`), delimiters in brackets (`s/[/]/x/`).
// Invariant: every other command stays as it is written, and a script that is not understood is not changed.

/** The place behind the closing bracket of a set that opens at `from`; -1 when it does not close. */
const setEnd = (script: string, from: number): number => {
  const first = /^\[\^?\]?/.exec(script.slice(from, from + 3))?.[0].length ?? 1
  for (let at = from + first; at < script.length && script[at] !== "\n"; at += 1) {
    if (script[at] === "]") return at + 1
    if (script[at] === "[" && /[:.=]/.test(script[at + 1] ?? "")) {
      const end = script.indexOf(`${script[at + 1]}]`, at + 2)
      if (end !== -1) at = end + 1
    }
  }
  return -1
}

/** A set as the shell's sed reads it: the delimiter, and a backslash at its end, are escaped. */
const set = (text: string, delimiter: string): string =>
  text
    .slice(0, -1)
    .replace(/\\[\s\S]|[\s\S]/g, (letter) => (letter === delimiter ? `\\${letter}` : letter))
    .replace(/(?<!\\)((?:\\\\)*)\\$/, "$1\\\\") + "]"

class Script {
  /** What of the script has been written anew so far. */
  written = ""
  at = 0
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  get rest(): string {
    return this.#source.slice(this.at, this.at + 40)
  }

  get letter(): string {
    return this.#source.charAt(this.at)
  }

  get ended(): boolean {
    return this.at >= this.#source.length
  }

  copy(count = 1): void {
    this.written += this.#source.slice(this.at, this.at + count)
    this.at += count
  }

  copyWhile(what: RegExp): void {
    while (!this.ended && what.test(this.letter)) this.copy()
  }

  copyLine(): void {
    const end = this.#source.indexOf("\n", this.at)
    this.copy((end === -1 ? this.#source.length : end) - this.at)
  }

  /** The text of `a`, `i` or `c`: to a line end without a backslash before it. */
  copyText(): void {
    while (!this.ended && this.letter !== "\n") this.copy(this.letter === "\\" ? 2 : 1)
  }

  /** A pattern, with the delimiter behind it. False when it does not end. */
  copyPattern(delimiter: string): boolean {
    while (!this.ended && this.letter !== delimiter) {
      const end = this.letter === "[" ? setEnd(this.#source, this.at) : -1
      if (end === -1) this.copy(this.letter === "\\" ? 2 : 1)
      else {
        this.written += set(this.#source.slice(this.at, end), delimiter)
        this.at = end
      }
    }
    if (this.ended) return false
    this.copy()
    return true
  }

  /** A replacement, with the delimiter behind it: the shell's sed takes two backslashes for none. */
  copyReplacement(delimiter: string, doubled: boolean): boolean {
    while (!this.ended && this.letter !== delimiter) {
      const escape = this.letter === "\\"
      if (escape && doubled && this.rest.startsWith("\\\\")) this.written += "\\\\"
      this.copy(escape ? 2 : 1)
    }
    if (this.ended) return false
    this.copy()
    return true
  }

  /** An address and what belongs to it. False when it does not end. */
  copyAddress(): boolean {
    const number = /^(?:\d+(?:~\d+)?|\$|[+~]\d+)/.exec(this.rest)
    if (number !== null) this.copy(number[0].length)
    else if (this.letter === "/" || this.letter === "\\") {
      if (this.letter === "\\") this.copy()
      const delimiter = this.rest.charAt(0)
      this.copy()
      if (delimiter === "" || !this.copyPattern(delimiter)) return false
      this.copyWhile(/[IM]/)
    }
    return true
  }

  /** `a`, `i` and `c` with their text on the same line. */
  copyTextCommand(continues: boolean): void {
    const command = this.letter
    const [, blanks = "", text = ""] = /^.([ \t]*)\\([\s\S]*)$/.exec(this.#source.slice(this.at)) ?? []
    const oneLine = this.#source.charAt(this.at + 1 + blanks.length) === "\\" && !/^[ \t]*\n/.test(text)
    if (oneLine && text === "" && !continues) {
      // Text that is empty adds no line: only the end of the last line.
      this.written += "b"
      this.at += 2 + blanks.length
    } else if (oneLine && text !== "") {
      this.written += `${command}\\\n`
      this.at += 2 + blanks.length
      this.copyText()
    } else {
      this.copy(1 + blanks.length)
      this.copyText()
    }
  }

  /** One command with its addresses. False when it is not understood. */
  copyCommand(continues: boolean): boolean {
    if (!this.copyAddress()) return false
    this.copyWhile(/[ \t]/)
    if (this.letter === ",") {
      this.copyWhile(/[, \t]/)
      if (!this.copyAddress()) return false
    }
    this.copyWhile(/[ \t!]/)
    const command = this.letter
    if (/^[aic]$/.test(command)) this.copyTextCommand(continues)
    else if (command === "s" || command === "y") {
      this.copy()
      const delimiter = this.letter
      this.copy()
      const read = command === "s" ? this.copyPattern(delimiter) : this.copyReplacement(delimiter, false)
      if (!read || !this.copyReplacement(delimiter, command === "s")) return false
      this.copyWhile(/[gpPiIeEmM0-9]/)
      if (this.letter === "w") this.copyLine()
    } else if (/^[rRwW#]$/.test(command)) this.copyLine()
    else if (/^[:btT]$/.test(command)) this.copyWhile(/[^;\n}]/)
    else this.copy()
    return true
  }
}

/** `continues` is true when another script follows, whose first line may be the text of this one's last command. */
export const scriptForSed = (source: string, continues = false): string => {
  const script = new Script(source)
  while (!script.ended) {
    script.copyWhile(/[\s;{}]/)
    if (!script.ended && !script.copyCommand(continues)) return source
  }
  return script.written
}
