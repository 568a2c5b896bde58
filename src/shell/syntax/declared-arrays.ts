// Receives the statements of a parsed script. The parser reads the arrays of `declare`, `typeset`, `local` and `readonly` as
// one text: quoting is lost, and a command inside is the text "CommandSubstitution". Returns the statements with each array
// parsed from the source, as an assignment directly after its declaration.
// Invariant: the analysis and the execution of a script see the same commands; anything unsupported is returned unchanged.
import { isNode, literalOf, nodesAt, partsOf } from "./node-fields.ts"
import { group, type Node, simple, statement, text, wordOf } from "./nodes.ts"

/** Parses a script without changes; returns null when it does not parse. */
type ParseScript = (source: string) => ReadonlyArray<unknown> | null

/** A parser with a budget of `left` characters. */
interface Parser {
  readonly parse: ParseScript
  left: number
}

const DECLARES: ReadonlySet<string> = new Set(["declare", "typeset", "local", "readonly"])
const DECLARATION = /\b(?:declare|typeset|local|readonly)\b/
const ARRAY = /^([A-Za-z_]\w*)\+?=\(/

/** Each parenthesis after an array's start is tried as its end; at most this many characters are parsed for that. */
const MAX_TRIED = 1_000_000

const arrayName = (word: unknown): string | null => {
  const [first] = partsOf(word)
  return first?.["type"] === "Literal" ? (ARRAY.exec(String(first["value"]))?.[1] ?? null) : null
}

/** The array assignment that makes up the whole text; null for any other text. */
const assignmentIn = (source: string, parser: Parser): Node | null => {
  parser.left -= source.length
  const [only, another] = parser.parse(source) ?? []
  const [pipeline] = another === undefined && isNode(only) ? nodesAt(only, "pipelines") : []
  const [command] = nodesAt(pipeline ?? {}, "commands")
  const [assignment, more] = nodesAt(command ?? {}, "assignments")
  return command?.["name"] === null && more === undefined && Array.isArray(assignment?.["array"])
    ? (assignment ?? null)
    : null
}

/** Finds the arrays in the source of a statement, one after the other. */
class Arrays {
  readonly #source: string
  readonly #parser: Parser
  #at = 0

  constructor(source: string, parser: Parser) {
    this.#source = source
    this.#parser = parser
  }

  next(name: string): Node | null {
    const begin = new RegExp(`[\\s"']${name}\\+?=\\(`, "g")
    begin.lastIndex = this.#at
    const found = begin.exec(this.#source)
    if (found === null) return null
    let end = found.index
    while (this.#parser.left > 0) {
      end = this.#source.indexOf(")", end + 1)
      if (end === -1) return null
      const assignment = assignmentIn(this.#source.slice(found.index + 1, end + 1), this.#parser)
      if (assignment === null) continue
      this.#at = end + 1
      return assignment
    }
    return null
  }
}

const optionsOf = (args: ReadonlyArray<Node>): string =>
  args.map((arg) => /^-([A-Za-z]+)$/.exec(literalOf(arg) ?? "")?.[1] ?? "").join("")

/** An option without its letter `r`: an array must be assigned before it becomes read-only. */
const writable = (arg: Node): ReadonlyArray<Node> => {
  const option = literalOf(arg) ?? ""
  if (!/^-[A-Za-z]*r/.test(option)) return [arg]
  const rest = option.replaceAll("r", "")
  return rest === "-" ? [] : [wordOf(text(rest))]
}

/** Replaces `local` with `declare`, which is also local in a function, for options other than `-a`, `-n` and `-p`. */
const knowingOptions = (command: Node): Node =>
  literalOf(command["name"]) === "local" && /[^anp]/.test(optionsOf(nodesAt(command, "args")))
    ? { ...command, name: wordOf(text("declare")) }
    : command

const declared = (given: Node, arrays: Arrays): Node => {
  const command = knowingOptions(given)
  const name = literalOf(command["name"]) ?? ""
  const args = nodesAt(command, "args")
  if (!DECLARES.has(name) || nodesAt(command, "redirections").length > 0) return command
  const assigned: Array<Node> = []
  const names: Array<Node> = []
  const others: Array<Node> = []
  for (const arg of args) {
    const array = arrayName(arg)
    const assignment = array === null ? null : arrays.next(array)
    if (array !== null && assignment === null) return command
    if (array === null || assignment === null) others.push(arg)
    else {
      assigned.push(simple(null, [], [assignment]))
      names.push(wordOf(text(array)))
    }
  }
  if (assigned.length === 0) return command
  const options = optionsOf(others)
  const kind = /[aA]/.test(options) ? [] : [wordOf(text("-a"))]
  const before =
    name !== "readonly"
      ? [{ ...command, args: [...kind, ...others.flatMap(writable), ...names] }]
      : options.includes("A")
        ? [simple("declare", [wordOf(text("-gA")), ...names])]
        : []
  const after =
    name === "readonly"
      ? [{ ...command, args: [...others, ...names] }]
      : options.includes("r")
        ? [simple("readonly", names)]
        : []
  return group([...before, ...assigned, ...after].map(statement))
}

const inStatement = (node: Node, parser: Parser): Node => {
  const arrays = new Arrays(` ${String(node["sourceText"])}`, parser)
  const pipelines = nodesAt(node, "pipelines").map((pipeline) => ({
    ...pipeline,
    commands: nodesAt(pipeline, "commands").map((command) =>
      command["type"] === "SimpleCommand" ? declared(command, arrays) : command,
    ),
  }))
  return { ...node, pipelines }
}

const inside = (node: unknown, parser: Parser): unknown => {
  if (Array.isArray(node)) return node.map((item) => inside(item, parser))
  if (!isNode(node)) return node
  const { type, sourceText } = node
  const isStatement = type === "Statement" && typeof sourceText === "string"
  if (isStatement && !DECLARATION.test(sourceText)) return node
  const copy: Node = {}
  for (const [key, value] of Object.entries(node)) copy[key] = inside(value, parser)
  return isStatement ? inStatement(copy, parser) : copy
}

export const withDeclaredArrays = <Statements extends ReadonlyArray<unknown>>(
  statements: Statements,
  parse: ParseScript,
  // `inside` returns a list for a list, and replaces a statement by a statement.
): Statements => inside(statements, { parse, left: MAX_TRIED }) as Statements
