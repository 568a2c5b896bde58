// Words for which the interpreter splits or matches the wrong parts: quoted text next to an unquoted expansion (`$x"*"`, which it
// takes for a pattern when x is empty), text before an expansion that begins with a blank (`pre$x`, which it joins), lists whose
// elements are changed (`pre${a[@]%.c}`), and several lists in one word (`"${a[@]} ${b[@]}"`, `"pre${!a[@]}"`).
// Receives a command or a `for` whose children are already rewritten; returns it with an array in place of each such word, which
// is filled directly before it.
// Invariant: as in bash, only unquoted expansions are split, and only unquoted characters are patterns.
import type { Command } from "just-bash/browser"
import { program } from "../../programs/program.ts"
import {
  type Filled,
  type Node,
  quoted,
  simple,
  statement,
  text,
  variable,
  withWords,
  wordOf,
} from "../../syntax/nodes.ts"
import { isNode, nodeAt, partsOf } from "../../syntax/node-fields.ts"
import type { Variables } from "../../session.ts"
import { assignAll, escaped, expandedGlob } from "./globs.ts"
import { assigned, changesEach, changing } from "./lists.ts"

const WORDS = "perch-words"
const ARRAY = "__perch_words_"
const ELEMENTS = "__perch_elements_"

const operationOf = (part: Node): Node | null => nodeAt(part, "operation")

/** True for `$@`, `${a[@]}`, `${!a[@]}` and similar, with or without an operation that keeps a list. */
const isList = (part: Node): boolean => {
  if (part["type"] !== "ParameterExpansion") return false
  const operation = operationOf(part)
  if (/^(?:ArrayKeys|VarNamePrefix)$/.test(String(operation?.["type"]))) return true
  if (!/^(?:[@*]|\w+\[[@*]\])$/.test(String(part["parameter"]))) return false
  return operation === null || operation["type"] === "Substring" || changesEach(operation)
}

/** The same for a list that is one word in double quotes (`"$*"`). */
const isOneWord = (part: Node): boolean =>
  operationOf(part)?.["star"] === true || String(part["parameter"]).includes("*")

const isQuotedList = (part: Node): boolean => isList(part) && !isOneWord(part)

const EXPANDED = /^(?:ParameterExpansion|CommandSubstitution)$/
const PATTERN = /[*?[\\]/

/** True for a quoted part whose text may be taken for a pattern, or that may be empty. */
const isDelicate = (part: Node): boolean => {
  if (part["type"] === "SingleQuoted" || part["type"] === "Escaped")
    return part["value"] === "" || PATTERN.test(String(part["value"]))
  if (part["type"] !== "DoubleQuoted") return false
  const parts = partsOf(part)
  return parts.length === 0 || parts.some(({ type, value }) => type !== "Literal" || PATTERN.test(String(value)))
}

const KNOWN =
  /^(?:Literal|Escaped|SingleQuoted|DoubleQuoted|ParameterExpansion|CommandSubstitution|ArithmeticExpansion|Glob|TildeExpansion)$/

/** The parts of a word without patterns. */
const PLAIN =
  /^(?:Literal|Escaped|SingleQuoted|DoubleQuoted|ParameterExpansion|CommandSubstitution|ArithmeticExpansion)$/

const kind = (name: string): Node => wordOf(text(name))

const isQuoted = ({ type }: Node): boolean => String(type).endsWith("Quoted")

/** True for `${x:-"a b"}`: only the value of x is split. */
const hasQuotedDefault = (part: Node): boolean => {
  const operation = operationOf(part)
  const [only, more] = partsOf(operation?.["word"])
  if (!/^(?:DefaultValue|AssignDefault)$/.test(String(operation?.["type"])) || isList({ ...part, operation: null }))
    return false
  return only !== undefined && more === undefined && isQuoted(only) && !partsOf(only).some(isList)
}

/** True for any other expansion with quotes in its default. */
const hasQuotes = (part: Node): boolean =>
  !hasQuotedDefault(part) && partsOf(operationOf(part)?.["word"]).some(isQuoted)

/** The kind of an unquoted expansion. With a quoted default, it is empty if the default is used, which is a plain text. */
const kindOf = (part: Node): Node => {
  const operation = operationOf(part)
  if (operation?.["type"] !== "DefaultValue" || !hasQuotedDefault(part)) return kind("split")
  const parameter = String(part["parameter"])
  return quoted(variable(parameter, { ...operation, type: "UseAlternative", word: kind("split") }), text(""))
}

/** The number of an expansion, such as `$#` or `${#x}`, has no blanks. */
const isNumber = (part: Node): boolean =>
  operationOf(part)?.["type"] === "Length" || /^[?#$!]$/.test(String(part["parameter"]))

/** True for an expansion that may begin with a blank. The interpreter splits `pre$@` correctly. */
const mayHaveBlank = (part: Node): boolean =>
  EXPANDED.test(String(part["type"])) && !isNumber(part) && !/^[@*]$/.test(String(part["parameter"]))

/** True for a word that this file replaces. */
const isMisread = (word: unknown): boolean => {
  const parts = partsOf(word)
  const open = parts.filter(({ type }) => EXPANDED.test(String(type)))
  if (!parts.every(({ type }) => KNOWN.test(String(type))) || open.some(hasQuotes)) return false
  if (open.some(hasQuotedDefault)) return true
  if (open.length > 0 && parts.some(isDelicate)) return true
  if (parts.some((part, at) => at > 0 && mayHaveBlank(part) && mayHaveBlank(parts[at - 1] ?? {}))) return true
  if (open.some((part) => isList(part) && changesEach(operationOf(part)))) return true
  if (parts.length > 1 && open.some((part) => isList(part) && operationOf(part) !== null)) return true
  const inner = parts.flatMap((part) => (part["type"] === "DoubleQuoted" ? partsOf(part) : []))
  const lists = inner.filter(isQuotedList)
  const isAlone = parts.length === 1 && inner.length === 1
  return lists.length > 1 || (!isAlone && lists.some((part) => operationOf(part) !== null))
}

/** The name of a plain variable (`$x`); null for any other part. */
const plainName = (part: Node): string | null =>
  part["type"] === "ParameterExpansion" && operationOf(part) === null && /^\w+$/.test(String(part["parameter"]))
    ? String(part["parameter"])
    : null

/** The operations that add no blanks to a value. */
const SELECTS = /^(?:CaseModification|PatternRemoval|Substring)$/

/** Like `plainName`, also for a part of the value (`${x%.c}`). */
const selectedName = (part: Node): string | null =>
  plainName(SELECTS.test(String(operationOf(part)?.["type"])) ? { ...part, operation: null } : part)

/** Whether one of the expansions contains a blank; null if one of them is not such a value. */
const blankIn = (open: ReadonlyArray<Node>, { get }: Variables): (() => boolean) | null => {
  const names = open.map(selectedName)
  return names.includes(null) ? null : () => names.some((name) => name !== null && /\s/.test(get(name) ?? ""))
}

/**
 * Whether a word of plain variables (`$x"$y"`) is misread with the values that they have: one contains a blank, a quoted one
 * contains a pattern, or all of the word is empty. Null for any other word.
 */
const misreadWith = (word: unknown, variables: Variables): (() => boolean) | null => {
  const { get } = variables
  const parts = partsOf(word)
  if (!parts.some((part) => part["type"] === "DoubleQuoted" || isDelicate(part)))
    return blankIn(parts.filter(mayHaveBlank), variables)
  const quotes: Array<string> = []
  const names: Array<string> = []
  let isText = false
  for (const part of parts) {
    const inner = part["type"] === "DoubleQuoted" ? partsOf(part) : null
    for (const one of inner ?? [part]) {
      const name = plainName(one)
      if (name !== null) (inner === null ? names : quotes).push(name)
      else if (one["type"] !== "Literal" || (inner !== null && PATTERN.test(String(one["value"])))) return null
      else isText ||= one["value"] !== ""
    }
  }
  if (quotes.length === 0) return null
  const valueOf = (name: string): string => get(name) ?? ""
  return () =>
    names.some((name) => /\s/.test(valueOf(name))) ||
    quotes.some((name) => PATTERN.test(valueOf(name))) ||
    (!isText && [...names, ...quotes].every((name) => valueOf(name) === ""))
}

/** A variable that is never set. */
const UNSET = "__perch_unset"

/**
 * Rewrites `pre$x` as `${unset-"pre"$x}`, where the interpreter splits the value also if it begins with a blank. Its members are
 * read when it is expanded: a value without blanks is expanded as it was written.
 */
const withBlanks = (word: Node, variables: Variables): Node => {
  const parts = partsOf(word)
  const open = parts.slice(1).filter(mayHaveBlank)
  if (open.length === 0 || !parts.every(({ type }) => PLAIN.test(String(type)))) return word
  const isNeeded = blankIn(open, variables)
  const isText = ({ type }: Node) => type === "Literal" || type === "Escaped"
  const closed = parts.map((part) => (isText(part) ? { type: "DoubleQuoted", parts: [part] } : part))
  const split = [variable(UNSET, { type: "DefaultValue", word: wordOf(...closed), checkEmpty: false })]
  if (isNeeded === null) return { ...word, parts: split }
  return Object.defineProperty({ ...word }, "parts", { enumerable: true, get: () => (isNeeded() ? split : parts) })
}

class Splits {
  readonly before: Array<Node> = []
  /** One for each replaced word: returns whether the interpreter misreads it with the current values; null if it always does. */
  readonly misread: Array<(() => boolean) | null> = []
  readonly #variables: Variables
  #count = 0

  constructor(variables: Variables) {
    this.#variables = variables
  }

  readonly word = (word: unknown): unknown => {
    if (!isMisread(word)) return isNode(word) ? withBlanks(word, this.#variables) : word
    this.misread.push(misreadWith(word, this.#variables))
    const name = `${ARRAY}${(this.#count += 1)}`
    const args = partsOf(word).flatMap((part) => this.#argumentsOf(part))
    this.before.push(assigned(name, []), statement(simple(WORDS, [wordOf(text(name)), ...args])))
    return quoted(variable(`${name}[@]`))
  }

  #argumentsOf(part: Node): ReadonlyArray<Node> {
    switch (part["type"]) {
      case "Glob":
        return [kind("pattern"), wordOf({ type: "SingleQuoted", value: String(part["pattern"]) })]
      case "DoubleQuoted":
        return this.#quotedArguments(partsOf(part))
      case "ParameterExpansion":
        // With the empty text, the interpreter does not read a variable before its default, which fails under `set -u`.
        return isList(part) ? this.#list("each", part) : [kindOf(part), quoted(part, text(""))]
      case "CommandSubstitution":
        return [kind("split"), quoted(part)]
      default:
        return [kind("text"), wordOf(part)]
    }
  }

  #quotedArguments(parts: ReadonlyArray<Node>): ReadonlyArray<Node> {
    if (!parts.some(isQuotedList)) return [kind("text"), quoted(...parts)]
    return parts.flatMap((part) => (isQuotedList(part) ? this.#list("list", part) : [kind("text"), quoted(part)]))
  }

  /** A list is passed as its length and its elements. */
  #list(type: string, part: Node): ReadonlyArray<Node> {
    const name = `${ELEMENTS}${(this.#count += 1)}`
    const operation = operationOf(part)
    const parameter = String(part["parameter"]).replace("*", "@")
    if (operation !== null && changesEach(operation)) this.before.push(...changing(name, parameter, operation))
    else {
      const every = operation === null ? null : { ...operation, ...("star" in operation ? { star: false } : {}) }
      this.before.push(assigned(name, [quoted({ ...part, parameter, operation: every })]))
    }
    const count = variable(`${name}[@]`, { type: "Length" })
    return [kind(type), quoted(count), quoted(variable(`${name}[@]`))]
  }
}

/** The command or loop with arrays in place of such words, and the statements that fill them. */
export const withSplits = ({ before, node }: Filled, variables: Variables): Filled => {
  const splits = new Splits(variables)
  const [name] = partsOf(node["name"])
  const declares = /^(?:local|declare|typeset|export|readonly)$/.test(String(name?.["value"]))
  const isAssignment = (word: unknown) => declares && /=/.test(String(partsOf(word)[0]?.["value"]))
  const copy = withWords(node, (word) => (isAssignment(word) ? word : splits.word(word)))
  const filled = { before: [...before, ...splits.before], node: copy }
  const { misread } = splits
  if (misread.length === 0 || before.length > 0 || misread.includes(null)) return filled
  return { ...filled, plain: { node, isNeeded: () => misread.some((isNeeded) => isNeeded?.() === true) } }
}

/** The words into which a word with expansions is split: the text of each, and a pattern that matches what it matches. */
class Fields {
  readonly all: Array<{ readonly plain: string; readonly pattern: string }> = []
  readonly #separators: string
  #current: { plain: string; pattern: string } | null = null

  constructor(separators: string) {
    this.#separators = separators
  }

  add(plain: string, pattern: string): void {
    this.#current ??= { plain: "", pattern: "" }
    this.#current.plain += plain
    this.#current.pattern += pattern
  }

  end(): void {
    if (this.#current !== null) this.all.push(this.#current)
    this.#current = null
  }

  /** As in bash, blanks around another separator belong to it. */
  split(value: string): void {
    let [start, afterBlank] = [0, false]
    for (let at = 0; at <= value.length; at += 1) {
      const letter = value.charAt(at)
      if (at < value.length && !this.#separators.includes(letter)) continue
      if (at > start) {
        this.add(value.slice(start, at), value.slice(start, at))
        afterBlank = false
      }
      start = at + 1
      if (at === value.length) return
      const isBlank = /\s/.test(letter)
      if (this.#current === null && !isBlank && !afterBlank) this.add("", "")
      afterBlank = isBlank && (afterBlank || this.#current !== null)
      this.end()
    }
  }
}

const words = program(WORDS, async ([name = "", ...args], context) => {
  const fields = new Fields(context.env.get("IFS") ?? " \t\n")
  for (let at = 0; at < args.length; at += 2) {
    const [type, value = ""] = args.slice(at, at + 2)
    if (type === "text" || type === "") fields.add(value, escaped(value))
    else if (type === "pattern") fields.add(value, value)
    else if (type === "split") fields.split(value)
    else {
      const elements = args.slice(at + 2, at + 2 + Number(value))
      elements.forEach((element, index) => {
        if (index > 0) fields.end()
        if (type === "each") fields.split(element)
        else fields.add(element, escaped(element))
      })
      at += elements.length
    }
  }
  fields.end()
  const found: Array<string> = []
  for (const { plain, pattern } of fields.all) found.push(...(await expandedGlob(pattern, plain, context)))
  return assignAll(context, name, found)
})

export const SPLIT_PROGRAMS: ReadonlyArray<Command> = [words]
