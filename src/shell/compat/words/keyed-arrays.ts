// Arrays with keys that are expanded or contain blanks (`m=(["$k"]=1 [a b]=2)`), and keys and values in turn (`m=(a 1 b 2)`):
// the interpreter assigns to other keys, or none.
// Receives a command whose children are already rewritten; returns it with an assignment for each element of such an array.
// Invariant: an array whose keys are plain texts is unchanged.
import { assignment, type Node, quoted, text, wordOf } from "../../syntax/nodes.ts"
import { nodesAt, partsOf } from "../../syntax/node-fields.ts"
import { parseScript } from "../../syntax/parser.ts"

const KEY = "__perch_key"
/** Matches the end of a key. */
const END = /\](\+?)=/
/** Matches the first text of an element whose key is more than that text. */
const BEGUN = /^\[(?!.*\]\+?=)/s

interface Element {
  readonly key: ReadonlyArray<Node>
  readonly value: Node
  readonly append: boolean
}

const isText = ({ type }: Node): boolean => type === "Literal"

/** The parts of a word, with patterns (`[w]`) as texts and adjoining texts as one. */
const textParts = (word: Node): ReadonlyArray<Node> => {
  const parts: Array<Node> = []
  for (const part of partsOf(word)) {
    const last = parts.at(-1)
    const value = part["type"] === "Glob" ? part["pattern"] : part["value"]
    if (part["type"] !== "Glob" && !isText(part)) parts.push(part)
    else if (last !== undefined && isText(last))
      parts[parts.length - 1] = text(`${String(last["value"])}${String(value)}`)
    else parts.push(text(String(value)))
  }
  return parts
}

/** A text of a key: for the parser, a key without expansions is a pattern, whose quotes it keeps. */
const unquoted = (part: Node): ReadonlyArray<Node> => {
  if (!isText(part) || !/['"\\]/.test(String(part["value"]))) return [part]
  const command = parseScript(`: ${String(part["value"])}`)?.[0]?.pipelines[0]?.commands[0]
  return command?.type === "SimpleCommand" ? partsOf(command.args[0]) : [part]
}

/** The element that begins with these parts; null if its key does not end in them. */
const elementOf = (parts: ReadonlyArray<Node>): Element | null => {
  const at = parts.findIndex((part) => isText(part) && END.test(String(part["value"])))
  const source = String(parts[at]?.["value"])
  const end = END.exec(source)
  if (end === null) return null
  const [first, ...others] = [...parts.slice(0, at), text(source.slice(0, end.index))]
  const key = [text(String(first?.["value"]).slice(1)), ...others].filter(({ value }) => value !== "")
  return {
    key: key.flatMap(unquoted),
    value: wordOf(text(source.slice(end.index + end[0].length)), ...parts.slice(at + 1)),
    append: end[1] === "+",
  }
}

/** The elements of an array; a key with blanks has become several words. Null if one has no key. */
const elementsOf = (words: ReadonlyArray<Node>): ReadonlyArray<Element> | null => {
  const elements: Array<Element> = []
  let begun: ReadonlyArray<Node> = []
  for (const word of words) {
    const parts = [...begun, ...(begun.length === 0 ? [] : [text(" ")]), ...textParts(word)]
    if (!String(parts[0]?.["value"]).startsWith("[")) return null
    const element = elementOf(parts)
    begun = element === null ? parts : []
    if (element !== null) elements.push(element)
  }
  return begun.length === 0 ? elements : null
}

/** True for a key that the interpreter reads: a text without blanks, or one in quotes. */
const isPlain = ({ key }: Element): boolean => {
  const [only, more] = key
  return (
    only === undefined ||
    (more === undefined &&
      ((isText(only) && !/\s/.test(String(only["value"]))) ||
        only["type"] === "SingleQuoted" ||
        (only["type"] === "DoubleQuoted" && partsOf(only).every(isText))))
  )
}

/** The elements of an array of keys and values in turn. */
const pairsOf = (words: ReadonlyArray<Node>): ReadonlyArray<Element> =>
  words.flatMap((word, at) =>
    at % 2 === 0 ? [{ key: partsOf(word), value: words[at + 1] ?? wordOf(), append: false }] : [],
  )

/** The command with an assignment for each element whose key the interpreter misreads. */
export const withKeys = (node: Node, associative: ReadonlySet<string>): Node => {
  let isChanged = false
  const assignments = nodesAt(node, "assignments").flatMap((one) => {
    const words = nodesAt(one, "array")
    const name = String(one["name"])
    const texts = words.map((word) => String(textParts(word)[0]?.["value"]))
    const isPaired = associative.has(name) && texts[0]?.startsWith("[") === false
    const isRead = !texts.some((first) => BEGUN.test(first))
    const elements = isPaired ? pairsOf(words) : isRead ? null : elementsOf(words)
    if (elements === null || (!isPaired && elements.every(isPlain))) return [one]
    isChanged = true
    return [
      { ...one, array: [] },
      ...elements.flatMap(({ key, value, append }) => [
        assignment(KEY, quoted(...key)),
        { ...assignment(`${name}[$${KEY}]`, value), append },
      ]),
    ]
  })
  return isChanged ? { ...node, assignments } : node
}
