// Lists with an operation for which the interpreter joins them into one word: a default or an alternative (`"${@:-x}"`,
// `"pre${a[@]:-x}"`), another case or quotes for each element (`"${a[@]^}"`, `"${@@Q}"`). Also lists that are one word in bash
// (`x="${a[@]%.txt}"`, `"pre ${a[*]/x/y}"`), of which the interpreter changes the text and not each element.
// Receives a command or a `for` whose children are already rewritten; returns it with an array in place of each such list, which
// is filled directly before it.
// Invariant: each default is expanded only if it is used.
import { assignment, type Filled, type Node, quoted, simple, statement, substitution } from "../../syntax/nodes.ts"
import { text, variable, withWords, wordOf } from "../../syntax/nodes.ts"
import { isNode, nodeAt, partsOf } from "../../syntax/node-fields.ts"
import { parseScript } from "../../syntax/parse-script.ts"

const NAME = "__perch_list_"
const CHOICES = /^(?:DefaultValue|UseAlternative)$/
const CHANGES = /^(?:CaseModification|Transform)$/
const ITEM = "__perch_item"

/** True for an expansion that this file replaces. */
const isList = (part: Node): boolean => {
  if (part["type"] !== "ParameterExpansion" || !/^(?:@|\w+\[@\])$/.test(String(part["parameter"]))) return false
  const operation = nodeAt(part, "operation")
  const type = String(operation?.["type"])
  // `${a[@]@a}` is about the array itself.
  return CHOICES.test(type) || (CHANGES.test(type) && !/^[aAkK]$/.test(String(operation?.["operator"])))
}

export const assigned = (name: string, words: ReadonlyArray<Node>, append = false): Node =>
  statement(simple(null, [], [{ type: "Assignment", name, value: null, append, array: words }]))

/** Statements that fill the array `name` with the changed elements. */
export const changing = (name: string, parameter: string, operation: Node): ReadonlyArray<Node> => {
  const body = [assigned(name, [quoted(variable(ITEM, operation))], true)]
  const loop = { type: "For", variable: ITEM, words: [quoted(variable(parameter))], body, redirections: [] }
  return [assigned(name, []), statement(loop)]
}

/** Statements that fill the array `name` with the words of an expansion that `isList` accepts. */
const filling = (name: string, part: Node): ReadonlyArray<Node> => {
  const operation = nodeAt(part, "operation") ?? {}
  const { type, checkEmpty, word } = operation
  const parameter = String(part["parameter"])
  if (CHANGES.test(String(type))) return changing(name, parameter, operation)
  const all = parameter === "@" ? "*" : `{${parameter.replace("@", "*")}}`
  const count = parameter === "@" ? "$#" : `\${#${parameter}}`
  const test = checkEmpty === true ? `[[ -n "$${all}" ]]` : `((${count} > 0))`
  const [condition] = parseScript(test) ?? []
  if (condition === undefined) return []
  const chosen = [quoted(...partsOf(word))]
  const [then, otherwise] = type === "DefaultValue" ? [[quoted(variable(parameter))], chosen] : [chosen, []]
  const clauses = [{ condition: [condition], body: [assigned(name, then)] }]
  return [statement({ type: "If", clauses, elseBody: [assigned(name, otherwise)], redirections: [] })]
}

const EACH = /^(?:PatternRemoval|PatternReplacement|CaseModification|Transform)$/

/** True for an operation that changes each element of a list. */
export const changesEach = (operation: Node | null): boolean =>
  EACH.test(String(operation?.["type"])) && !/^[aAkK]$/.test(String(operation?.["operator"]))

/** Replaces a list with an operation for each element, in a place where it is one word, with the joined elements. */
export const joinedList = (part: Node): Node => {
  const parameter = String(part["parameter"])
  const operation = nodeAt(part, "operation")
  if (part["type"] !== "ParameterExpansion" || operation === null || !/^(?:[@*]|\w+\[[@*]\])$/.test(parameter))
    return part
  if (!changesEach(operation)) return part
  // `@` joins by blanks, `*` by IFS.
  const blanks = parameter.includes("*") ? [] : [statement(simple(null, [], [assignment("IFS", wordOf(text(" ")))]))]
  return substitution([
    ...changing(NAME, parameter.replace("*", "@"), operation),
    ...blanks,
    statement(simple("printf", [wordOf(text("%s")), quoted(variable(`${NAME}[*]`))])),
  ])
}

class Lists {
  readonly before: Array<Node> = []

  /** The word with an array in place of each list. */
  readonly word = (word: unknown): unknown => {
    if (!isNode(word) || !partsOf(word).some((part) => part["type"] === "DoubleQuoted" && partsOf(part).some(isList)))
      return word
    const parts = partsOf(word).map((part) =>
      part["type"] === "DoubleQuoted" ? { ...part, parts: partsOf(part).map((inner) => this.#part(inner)) } : part,
    )
    return { ...word, parts }
  }

  #part(part: Node): Node {
    if (!isList(part)) return part
    const name = `${NAME}${this.before.length}`
    const filled = filling(name, part)
    if (filled.length === 0) return part
    this.before.push(...filled)
    return variable(`${name}[@]`)
  }
}

/** The command or loop with plain arrays as lists, and the statements that fill them. */
export const withLists = ({ before, node }: Filled): Filled => {
  const lists = new Lists()
  const copy = withWords(node, lists.word, (one) => one["append"] !== true)
  return { before: [...before, ...lists.before], node: copy }
}
