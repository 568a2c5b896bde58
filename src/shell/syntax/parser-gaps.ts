// Receives the text of a script; returns one with the same meaning in bash that the interpreter's parser accepts. It misreads
// `((x << 1))` as a here-document, `((x -= 1))` and `((! x))` as a subshell, `$(( ((x) + 1) ))` as an error, braces in
// here-strings (`<<< {a,b}`) as several words, and files and here-strings that look like assignments (`<<< key=value`). It finds
// the end of `$(…)` without regard to comments, `$#` and the nesting of quotes (`$(echo "$(echo "it's")")`), takes `<<<` in it for
// a here-document, the end of a `${…}` in a pattern for the pattern's own (`${x/${y}/z}`), and `#` in a pattern for a comment
// (`=~ ^(#|$)`).
// Invariant: quoted text, comments and here-documents stay unchanged, and no line is added.

/** The length of a subscript is limited, so that a long one does not make the search reread the rest of its line. */
const REDIRECTED = /[<>][&|]?[ \t]*[A-Za-z_]\w*(?:\[[^\]\n]{0,200}\])?\+?=/
/** Matches the start of an expression that the parser takes for a command in a subshell, such as `((x - 1))`. */
const MISREAD = /\(\([ \t(]*(?:!|[A-Za-z_][\w.-]*[ \t]+[-"'$/.A-Za-z_])/
/** What such an expression begins with in the returned text: no command starts with a digit and a comma. */
const EXPRESSION = "((0,"
/** Matches the start of an expression with two parentheses in it, of which the parser loses one. */
const NESTED = /\$\(\([^\n]{0,400}\(\(/
/** Matches a command inside an expression, which is not changed, or a parenthesis before another one. */
const COMMAND_OR_PARENTHESIS = /\$\((?!\()(?:[^()]|\([^()]*\))*\)|`[^`]*`|(?<!\$)\((?=\()/g
/** Matches the text of a here-string up to its first brace. */
const BRACED = /^[^\s;&|()<>'"`$\\{]*\{/
/** Matches a comment with quotes or parentheses. */
const COMMENTED = /(?:^|[\s;&|(])#[^\n]{0,500}['"`()]/
/** Matches `${x/` and the text up to a nested `${`. */
const NESTS_IN_PATTERN = /\$\{!?[\w@*]+(?:\[[^\]\n]{0,200}\])?\/[^\n]{0,200}\$\{/
/** Matches the start of an expansion with a pattern. */
const PATTERN = /^\$\{!?[\w@*]+(?:\[[^\]\n]{0,200}\])?\/[/#%]?(?!\})/
/** Matches `${x}` before a character that is not a part of the name in `$x`. */
const NAMED = /^\$\{(\w+)\}(?!\w|\[)/
/** Matches `#` as an alternative of a pattern (`=~ ^(#|$)`), which the parser takes for a comment. */
const ALTERNATIVE = /[=!][=~][ \t]+[^\s;]{0,200}[(|]#/
/** A quick test for `$(…)` whose end the parser may miss. */
const hidesEnd = (source: string): boolean => {
  const first = source.indexOf("$(")
  if (first === -1) return false
  const inner = source.slice(first + 2)
  const quote = inner.search(/["']/)
  const nested = quote !== -1 && Math.max(inner.lastIndexOf("$("), inner.lastIndexOf("${")) > quote
  return nested || COMMENTED.test(inner) || inner.includes("$#") || inner.includes("<<<")
}

/** A quick test whether the text can contain any of these forms. */
const hasGaps = (source: string): boolean =>
  (source.includes("((") && (source.includes("<<") || MISREAD.test(source) || NESTED.test(source))) ||
  REDIRECTED.test(source) ||
  hidesEnd(source) ||
  NESTS_IN_PATTERN.test(source) ||
  ALTERNATIVE.test(source) ||
  /<<<[^\n]{0,200}\{/.test(source)
const ASSIGNED = /^[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=/
const DELIMITER = /^-?[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|()<>'"\\])+)/
/** Matches a command inside an expression, which is not changed, or a shift. */
const COMMAND_OR_SHIFT = /\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|<<=?(?!<)/g
/** Matches text after which a command starts. */
const BEFORE_COMMAND = /(?:^|[\n;&|(){!]|(?:^|[\s;&|(])(?:if|then|elif|else|while|until|do|for|time))[ \t]*$/
/** The most characters that are searched: before a command, and from the start of an operator, an assignment or a delimiter. */
const MAX_LOOK_BACK = 40
const MAX_OPERATOR = 80
const MAX_ASSIGNED = 200
const MAX_DELIMITER = 400
/** Deeper text is left to the parser. */
const MAX_PLACES = 50

/** What a here-string inside `$(…)` is written as: an input with this descriptor, or one that ends in it (`3<<< x`). */
const HERE_STRING = 14_095
const WRITTEN_HERE_STRING = new RegExp(` ?${HERE_STRING}<`, "g")
/** Matches a descriptor directly before a redirection. */
const DESCRIPTOR = /(?:^|[\s;&|()])\d+$/

/** Writes shifts as `< <`, which the parser does not mistake for a here-document, and joins again. */
const withShifts = (expression: string): string =>
  expression.replace(COMMAND_OR_SHIFT, (all) => (all.startsWith("<<") ? `< <${all.length > 2 ? " = " : ""}` : all))

/** Separates parentheses, as in `( (x) + 1)`. */
const withSpaces = (expression: string): string =>
  expression.replace(COMMAND_OR_PARENTHESIS, (all) => (all === "(" ? "( " : all))

/** The context of the scan: commands (ended by `)`), double quotes, `${…}`, the pattern in `${x/…`, or `${…}` in a pattern. */
type Place = "commands" | "quotes" | "braces" | "pattern" | "quoted braces"
const BRACES: ReadonlySet<Place> = new Set(["braces", "pattern", "quoted braces"])

class Scan {
  readonly #source: string
  readonly #places: Array<Place> = ["commands"]
  readonly #hereDocuments: Array<string> = []
  /** False for a script with `case`, whose patterns end with a parenthesis, too. */
  readonly #nests: boolean
  #at = 0
  #out = ""

  constructor(source: string) {
    this.#source = source
    this.#nests = !/\besac\b/.test(source)
  }

  run(): string {
    while (this.#at < this.#source.length) this.#step()
    return this.#out
  }

  #take(count: number): void {
    this.#out += this.#source.slice(this.#at, this.#at + count)
    this.#at += count
  }

  /** Copies the text up to and including `end`, or up to the end of the script. */
  #takeTo(end: string, from: number): void {
    const found = this.#source.indexOf(end, this.#at + from)
    this.#take(found === -1 ? this.#source.length : found + end.length - this.#at)
  }

  #begins(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #enter(place: Place, length: number): void {
    this.#places.push(place)
    this.#take(length)
  }

  #put(written: string, length = 1): void {
    this.#out += written
    this.#at += length
  }

  /** True inside `$(…)`. */
  #isInside(): boolean {
    return this.#places.length < MAX_PLACES && this.#places.includes("commands", 1)
  }

  /** In how many quotes the text is, counted from the outermost `$(…)`; 0 outside of it, or where that is not certain. */
  #quotes(): number {
    const first = this.#isInside() ? this.#places.indexOf("commands", 1) : -1
    const places = first === -1 || !this.#nests ? [] : this.#places.slice(first)
    return places.some((place) => BRACES.has(place)) ? 0 : places.filter((place) => place === "quotes").length
  }

  #step(): void {
    const place = this.#places.at(-1) ?? "commands"
    const letter = this.#source.charAt(this.#at)
    if (letter === "\\") return this.#take(2)
    if (this.#begins("$#") && this.#isInside()) return this.#put("${#}", 2)
    if (this.#begins("$((")) return this.#expansion()
    if (this.#begins("$(")) return this.#enter("commands", 2)
    if (this.#begins("${")) return this.#braces(place)
    if (letter === '"') {
      if (place !== "quotes") return this.#enter("quotes", 1)
      this.#places.pop()
      return this.#take(1)
    }
    // For the parser, quotes in other quotes end them.
    if (place === "quotes" && /['()#]/.test(letter) && this.#quotes() > 1) return this.#put(`"\\${letter}"`)
    if (place === "quotes") return this.#take(1)
    if (letter === "'" && (place === "commands" || !this.#places.includes("quotes"))) return this.#singleQuotes()
    if (this.#begins("$'")) return this.#ansiQuotes()
    if (BRACES.has(place)) {
      if (letter === "/" && place === "pattern") this.#places[this.#places.length - 1] = "braces"
      if (letter !== "}") return this.#take(1)
      this.#places.pop()
      return place === "quoted braces" ? this.#put('}"') : this.#take(1)
    }
    this.#command(letter)
  }

  /** Enters an expansion. In a pattern, the parser finds the end of `$x` and `"${x}"`, but not of `${x}`. */
  #braces(place: Place): void {
    const rest = this.#source.slice(this.#at, this.#at + MAX_ASSIGNED)
    const [named, name] = place === "pattern" ? (NAMED.exec(rest) ?? []) : []
    if (named !== undefined) return this.#put(`$${name ?? ""}`, named.length)
    if (place === "pattern") {
      this.#out += '"'
      return this.#enter("quoted braces", 2)
    }
    const [begun] = PATTERN.exec(rest) ?? []
    return begun === undefined ? this.#enter("braces", 2) : this.#enter("pattern", begun.length)
  }

  /** Takes text in single quotes. For the parser, it may be in double ones, which its quotes would end. */
  #singleQuotes(): void {
    const from = this.#out.length
    this.#takeTo("'", 1)
    if (this.#quotes() > 0) this.#out = this.#out.slice(0, from) + this.#out.slice(from).replaceAll('"', `'\\"'`)
  }

  #ansiQuotes(): void {
    const text = /^\$'(?:[^'\\]|\\[\s\S])*'?/.exec(this.#source.slice(this.#at))?.[0] ?? ""
    this.#put(
      this.#quotes() > 0 ? text.replace(/\\[\s\S]|"/g, (all) => (all === '"' ? '\\"' : all)) : text,
      text.length,
    )
  }

  #command(letter: string): void {
    if (letter === "#" && ALTERNATIVE.test(`${this.#out.slice(-MAX_ASSIGNED)}#`)) return this.#put("\\#")
    if (letter === "#" && /^$|[\s;&|()]$/.test(this.#out.slice(-1))) return this.#comment()
    if (letter === "\n") return this.#newLine()
    if (this.#begins("((") && BEFORE_COMMAND.test(this.#out.slice(-MAX_LOOK_BACK))) return this.#arithmetic()
    if (letter === "(") return this.#enter("commands", 1)
    if (letter === ")" && this.#places.length > 1) {
      this.#places.pop()
      return this.#take(1)
    }
    if (this.#begins("<<") && !this.#begins("<<<")) return this.#hereDocument()
    if (letter !== "<" && letter !== ">") return this.#take(1)
    const [operator = letter] =
      /^(?:<<<|[<>][<>&|]?)[ \t]*/.exec(this.#source.slice(this.#at, this.#at + MAX_OPERATOR)) ?? []
    if (operator.startsWith("<<<") && this.#isInside())
      this.#put(
        `${DESCRIPTOR.test(this.#out.slice(-MAX_LOOK_BACK)) ? "" : " "}${HERE_STRING}<${operator.slice(3)}`,
        operator.length,
      )
    else this.#take(operator.length)
    // Quoting the first letter of a word prevents that it is parsed as an assignment.
    const word = this.#source.slice(this.#at, this.#at + MAX_ASSIGNED)
    if (ASSIGNED.test(word)) this.#out += "\\"
    const [plain] = operator.startsWith("<<<") ? (BRACED.exec(word) ?? []) : []
    if (plain === undefined) return
    this.#take(plain.length - 1)
    this.#out += "\\"
  }

  #comment(): void {
    const from = this.#out.length
    this.#takeLine()
    if (this.#places.length > 1) this.#out = this.#out.slice(0, from) + this.#out.slice(from).replace(/['"`()\\]/g, " ")
  }

  #takeLine(): void {
    const end = this.#source.indexOf("\n", this.#at)
    this.#take((end === -1 ? this.#source.length : end) - this.#at)
  }

  #hereDocument(): void {
    const [all = "", word] = DELIMITER.exec(this.#source.slice(this.#at + 2, this.#at + MAX_DELIMITER)) ?? []
    if (word !== undefined) this.#hereDocuments.push((all.startsWith("-") ? "-" : " ") + word.replace(/['"\\]/g, ""))
    this.#take(2 + all.length)
  }

  #newLine(): void {
    this.#take(1)
    for (const delimiter of this.#hereDocuments.splice(0)) {
      let line = ""
      do {
        const from = this.#at
        this.#takeLine()
        line = this.#source.slice(from, this.#at)
        this.#take(1)
      } while (
        this.#at < this.#source.length &&
        (delimiter.startsWith("-") ? line.replace(/^\t+/, "") : line) !== delimiter.slice(1)
      )
    }
  }

  /** The index after the `))` that ends an expression. */
  #arithmeticEnd(from: number): number {
    let depth = 0
    for (let at = from; at < this.#source.length; at += 1) {
      const letter = this.#source.charAt(at)
      if (letter === "\\") at += 1
      else if (letter === "(") depth += 1
      else if (letter === ")" && depth > 0) depth -= 1
      else if (letter === ")") return this.#source.charAt(at + 1) === ")" ? at + 2 : at + 1
    }
    return this.#source.length
  }

  #expansion(): void {
    const end = this.#arithmeticEnd(this.#at + 3)
    const inner = this.#source.slice(this.#at, end)
    const expression = this.#isInside() ? inner.slice(3).replaceAll("$#", "${#}") : inner.slice(3)
    this.#out += inner.endsWith("))") ? `$((${withSpaces(expression)}` : inner
    this.#at = end
  }

  #arithmetic(): void {
    const end = this.#arithmeticEnd(this.#at + 2)
    const inner = this.#source.slice(this.#at, end)
    const isMisread = inner.endsWith("))") && inner.search(MISREAD) === 0
    this.#out += withShifts(isMisread ? EXPRESSION + inner.slice(2) : inner)
    this.#at = end
  }
}

/** The script in the form that is passed to the parser. */
export const withoutGaps = (source: string): string => (hasGaps(source) ? new Scan(source).run() : source)

/** A text of the returned script as it was written. */
export const asWritten = (text: string): string => text.replaceAll(EXPRESSION, "((").replace(WRITTEN_HERE_STRING, "<<<")

interface Input {
  readonly operator?: unknown
  readonly fd?: unknown
}

/** A redirection of the parsed script as it was written. */
export const asRedirected = <R extends Input>(redirection: R): R => {
  const { operator, fd } = redirection
  if (operator !== "<" || typeof fd !== "number" || fd % 100_000 !== HERE_STRING) return redirection
  return { ...redirection, operator: "<<<", fd: fd === HERE_STRING ? null : Math.floor(fd / 100_000) }
}

/** The arguments of a builtin that parses them; null for any other command. */
export const parsedArguments = (name: string, args: ReadonlyArray<string>): Array<string> | null => {
  // The interpreter takes a `!` at the start for something else.
  if (name === "let") return args.map((arg) => withShifts(arg.replace(/^(?=\s*!)/, "0,")))
  return name === "eval" && args.length > 0 ? [withoutGaps(args.join(" "))] : null
}
