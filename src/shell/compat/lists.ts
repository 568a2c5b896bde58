// Arguments with a default or an alternative (`"${@:-x}"`, `"${@:+x}"`): the interpreter joins them into one word.
// Receives a command or a `for` whose children are already rewritten; returns it with an array in place of each such list, which
// is filled directly before it.
// Invariant: each default is expanded only if it is used.
import { group, type Node, quoted, simple, statement, variable } from "../syntax/nodes.ts"
import { parseScript } from "../syntax/script.ts"

const NAME = "__perch_list_"
const OPERATIONS = /^(?:DefaultValue|UseAlternative)$/

const partsOf = (word: unknown): ReadonlyArray<Node> =>
  (word as { readonly parts?: ReadonlyArray<Node> } | null)?.parts ?? []

const isChosen = (part: Node): boolean =>
  part["type"] === "ParameterExpansion" &&
  part["parameter"] === "@" &&
  OPERATIONS.test(String((part["operation"] as Node | null)?.["type"]))

const assigned = (name: string, words: ReadonlyArray<Node>): Node =>
  statement(simple(null, [], [{ type: "Assignment", name, value: null, append: false, array: words }]))

/** Statements that fill the array `name` with the words of an expansion. */
const filling = (name: string, part: Node): ReadonlyArray<Node> => {
  const { type, checkEmpty, word } = part["operation"] as Node
  const test = checkEmpty === true ? `[[ -n "$*" ]]` : `(($# > 0))`
  const [condition] = (parseScript(test) ?? []) as unknown as ReadonlyArray<Node>
  if (condition === undefined) return []
  const chosen = [quoted(...partsOf(word))]
  const [then, otherwise] = type === "DefaultValue" ? [[quoted(variable("@"))], chosen] : [chosen, []]
  const clauses = [{ condition: [condition], body: [assigned(name, then)] }]
  return [statement({ type: "If", clauses, elseBody: [assigned(name, otherwise)], redirections: [] })]
}

class Lists {
  readonly before: Array<Node> = []

  /** The word with an array in place of each list. */
  readonly word = (word: unknown): unknown => {
    if (!partsOf(word).some((part) => part["type"] === "DoubleQuoted" && partsOf(part).some(isChosen))) return word
    const parts = partsOf(word).map((part) =>
      part["type"] === "DoubleQuoted" ? { ...part, parts: partsOf(part).map((inner) => this.#part(inner)) } : part,
    )
    return { ...(word as Node), parts }
  }

  #part(part: Node): Node {
    if (!isChosen(part)) return part
    const name = `${NAME}${this.before.length}`
    const filled = filling(name, part)
    if (filled.length === 0) return part
    this.before.push(...filled)
    return variable(`${name}[@]`)
  }
}

/** The command or loop with plain arrays as lists; unchanged without such lists. */
export const withLists = (node: Node): Node => {
  const lists = new Lists()
  const copy = { ...node }
  for (const key of ["args", "words"]) if (Array.isArray(copy[key])) copy[key] = copy[key].map(lists.word)
  if (Array.isArray(copy["assignments"]))
    copy["assignments"] = copy["assignments"].map((one: Node) =>
      Array.isArray(one["array"]) && one["append"] !== true ? { ...one, array: one["array"].map(lists.word) } : one,
    )
  return lists.before.length === 0 ? node : group([...lists.before, statement(copy)])
}
