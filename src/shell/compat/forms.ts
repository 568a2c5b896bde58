// Receives a node of a parsed script whose children are already rewritten; returns an equivalent node that the interpreter
// evaluates correctly.
// Invariant: the node has the same meaning in bash.
import type { Command } from "just-bash/browser"
import {
  assigns,
  commandOf,
  expansionOf,
  loopOf,
  type Reading,
  withComputedKey,
  withComputedKeys,
  withPlainSubscript,
} from "./arithmetic/arithmetic.ts"
import { withSets } from "./brackets.ts"
import { asPattern, QUOTE, withNegations, withQuotedParts } from "./words/case-patterns.ts"
import { GLOB_PROGRAMS, withGlobs } from "./words/globs.ts"
import { withKeys } from "./words/keyed-arrays.ts"
import { assigned, joinedList, withLists } from "./words/lists.ts"
import { withMatches } from "./words/replacements.ts"
import { SPLIT_PROGRAMS, withSplits } from "./words/splits.ts"
import { withEarlyWords } from "./words/early-words.ts"
import { withParameter } from "./arithmetic/text-keys.ts"
import {
  group,
  LEVEL,
  type Node,
  quoted,
  simple,
  statement,
  substitution,
  text,
  variable,
  wordOf,
} from "../syntax/nodes.ts"
import { isNode, literalOf, nodeAt, nodesAt, partsOf } from "../syntax/node-fields.ts"
import { parseScript } from "../syntax/parser.ts"
import { program } from "../programs/program.ts"
import { CLOCKS, EXPORT_FUNCTIONS } from "../session.ts"

/** Groups the statements of a shell, so that a failed expansion ends the whole script, not only its line. */
export const asLevel = (statements: ReadonlyArray<Node>): ReadonlyArray<Node> => {
  const [only, more] = statements
  if (only === undefined) return []
  return [{ ...(more === undefined ? only : statement(group(statements))), [LEVEL]: true }]
}

/** Refuses `${a[@]@A}`, `@K` and `@k` of lists, which the interpreter lacks. */
const supported = (part: Node, { refuse }: Reading): Node => {
  const operator = String(nodeAt(part, "operation")?.["operator"])
  if (isList(part) && /^[KkA]$/.test(operator)) refuse(`\${${String(part["parameter"])}@${operator}}`)
  return part
}

const LISTS = /(?:^|\[)[@*]\]?$/

const isList = (part: Node): boolean => part["type"] === "ParameterExpansion" && LISTS.test(String(part["parameter"]))

const listName = (parameter: string): string => parameter.replace(/\[[@*]\]$/, "")

/** Replaces `${a[@]+"${a[@]}"}` and `${1+"$@"}` with the list itself, which the interpreter would join into one word. */
const asList = (part: Node): Node => {
  const operation = nodeAt(part, "operation")
  if (operation?.["type"] !== "UseAlternative" || operation["checkEmpty"] === true) return part
  const parts = partsOf(operation["word"]).flatMap((inner) =>
    inner["type"] === "DoubleQuoted" ? partsOf(inner) : [inner],
  )
  const [list, more] = parts
  const isPlain = list !== undefined && more === undefined && isList(list) && list["operation"] === null
  const [tested, listed] = [String(part["parameter"]), String(list?.["parameter"])]
  const isOwn = listName(tested) === listName(listed) || (listed === "@" && tested === "1")
  return isPlain && isOwn && /@\]?$/.test(listed) ? { type: "DoubleQuoted", parts: [list] } : part
}

/** Replaces `${#@}`, for which the interpreter counts characters, with `$#`. */
const counted = (part: Node): Node =>
  /^[@*]$/.test(String(part["parameter"])) && nodeAt(part, "operation")?.["type"] === "Length" ? variable("#") : part

const STACK = /^(FUNCNAME|BASH_LINENO|BASH_SOURCE)\[([^@*].*)\]$/
const CALLERS = "__perch_callers"

/**
 * Evaluates `${FUNCNAME[1]:-main}` and `${FUNCNAME[$i]}` with a copy of the array: with an operation, the interpreter takes these
 * elements for unset, and it finds only those whose number is written as one.
 */
const ofCaller = (part: Node): Node => {
  const given = nodeAt(part, "operation")
  const [, stack, place = ""] = STACK.exec(String(part["parameter"])) ?? []
  if (stack === undefined || (given === null && /^\d+$/.test(place))) return part
  return substitution([
    assigned(CALLERS, [quoted(variable(`${stack}[@]`))]),
    statement(simple("printf", [wordOf(text("%s")), quoted(variable(`${CALLERS}[${place}]`, given), text(""))])),
  ])
}

/** Sets `$EPOCHSECONDS` and `$EPOCHREALTIME` before they are read. */
const ofClock = (part: Node, { variables, refuse }: Reading): Node => {
  const name = String(part["parameter"])
  if (name === "BASH_SUBSHELL") refuse("$BASH_SUBSHELL")
  if (!CLOCKS.test(name)) return part
  return withParameter(part, () => {
    variables.get(name)
    return name
  })
}

/** An offset before the start of the text (`${s: -4}` of a shorter one) selects nothing; for the interpreter, it is the start. */
const withOffset = (part: Node): Node => {
  const operation = nodeAt(part, "operation")
  const offset = nodeAt(operation ?? {}, "offset")
  const name = String(part["parameter"])
  const given = nodeAt(offset ?? {}, "expression")
  if (operation?.["type"] !== "Substring" || given === null || !/^\w+$/.test(name) || assigns(given)) return part
  const length = { type: "ArithBracedExpansion", content: `#${name}` }
  const start = { type: "ArithBinary", operator: "+", left: given, right: length }
  const condition = { type: "ArithBinary", operator: "<", left: start, right: { type: "ArithNumber", value: 0 } }
  // The length of an array's first element is 0 here: the interpreter computes its offsets.
  const precedes = { type: "ArithBinary", operator: "&&", left: length, right: condition }
  const expression = { type: "ArithTernary", condition: precedes, consequent: length, alternate: given }
  return { ...part, operation: { ...operation, offset: { ...offset, expression } } }
}

/** Adds the name to the message of `${x:?message}`, and a message to `${x:?}`. */
const namedError = (part: Node): Node => {
  const operation = nodeAt(part, "operation")
  if (operation?.["type"] !== "ErrorIfUnset") return part
  const given = partsOf(operation["word"])
  const parts = given.every((one) => one["type"] === "Literal" && one["value"] === "") ? [] : given
  const message = operation["checkEmpty"] === true ? "parameter null or not set" : "parameter not set"
  const word = wordOf(text(`${String(part["parameter"])}: `), ...(parts.length === 0 ? [text(message)] : parts))
  return { ...part, operation: { ...operation, word } }
}

/**
 * Rewrites `"${x:-}"` as a separate argument: the interpreter reads the value before the default, which fails under `set -u`.
 * An empty text after it makes the interpreter expand it like inside other text.
 */
const withDefault = (node: Node): Node => {
  const [only, more] = partsOf(node)
  if (only?.["type"] === "DoubleQuoted" && more === undefined) return only
  const operation = only?.["type"] === "ParameterExpansion" ? nodeAt(only, "operation") : null
  const isDefault = /^(?:DefaultValue|AssignDefault|UseAlternative)$/.test(String(operation?.["type"]))
  if (only === undefined || more !== undefined || !isDefault || isList(only)) return node
  return partsOf(operation?.["word"])
    .flatMap((part) => [part, ...partsOf(part)])
    .some(isList)
    ? node
    : { ...node, parts: [only, text("")] }
}

/** Joins the changed elements of `${a[*]%x}`. */
const withJoined = (node: Node): Node => ({
  ...node,
  parts: partsOf(node).map((part) => (/^(?:\*|\w+\[\*\])$/.test(String(part["parameter"])) ? joinedList(part) : part)),
})

/** Joins `< =` to `<=`: the interpreter splits `((i<=0))` into words, which separates operators such as `<` from their `=`. */
const withOperators = (node: Node): Node => {
  const originalText = nodeAt(node, "expression")?.["originalText"]
  const source = String(originalText ?? "").replace(/([<>&|]) =(?!=)/g, "$1=")
  if (source === originalText) return node
  const command = parseScript(`: $((${source}))`)?.[0]?.pipelines[0]?.commands[0]
  const part = command?.type === "SimpleCommand" ? command.args[0]?.parts[0] : undefined
  return part?.type === "ArithmeticExpansion" ? { ...node, expression: part.expression } : node
}

/**
 * Makes `${a[*]}` join the elements with IFS where a word stays one word: the interpreter joins them with blanks there, but not
 * in `${a[*]-}`, which means the same.
 */
const joinedByIfs = (word: Node): Node => ({
  ...word,
  parts: partsOf(word).map((part) => {
    if (part["type"] === "DoubleQuoted") return joinedByIfs(part)
    if (part["type"] !== "ParameterExpansion" || part["operation"] !== null) return joinedList(part)
    if (!/^\w+\[\*\]$/.test(String(part["parameter"]))) return part
    return { ...part, operation: { type: "DefaultValue", word: wordOf(), checkEmpty: false } }
  }),
})

const isWord = (value: unknown): value is Node => isNode(value) && value["type"] === "Word"

/** Joins by IFS in the named members of a node that are words. */
const withIfs = (node: Node, ...keys: ReadonlyArray<string>): Node => {
  const copy = { ...node }
  for (const key of keys) if (isWord(copy[key])) copy[key] = joinedByIfs(copy[key])
  return copy
}

const OF_ELEMENTS = /^-(?=\w*[aA])\w*[iul]\w*$/
const DECLARES = /^(?:local|declare|typeset|export|readonly)$/

/** Keeps single quotes in the default of `${x:-'a'}`: in a here-document, they are characters. */
const withQuotes = (word: Node): Node => ({
  ...word,
  parts: partsOf(word).map((part) => {
    const operation = nodeAt(part, "operation")
    const given = nodeAt(operation ?? {}, "word")
    if (given === null) return part
    const parts = partsOf(given).map((one) =>
      one["type"] === "SingleQuoted" ? text(`'${String(one["value"])}'`) : one,
    )
    return { ...part, operation: { ...operation, word: { ...given, parts } } }
  }),
})

/** Joins by IFS in here-documents, here-strings and the assignments of `local` and similar. */
const withJoinedWords = (node: Node, { refuse }: Reading): Node => {
  const name = partsOf(node["name"])[0]?.["value"]
  const args = nodesAt(node, "args")
  // The interpreter knows these attributes of variables only, not those of the elements of an array.
  const [attribute] = DECLARES.test(String(name))
    ? args.flatMap((word) => OF_ELEMENTS.exec(literalOf(word) ?? "") ?? [])
    : []
  if (attribute !== undefined) refuse(`${name} ${attribute}`)
  return {
    ...node,
    args: DECLARES.test(String(name))
      ? args.map((word) => (/=/.test(String(partsOf(word)[0]?.["value"])) ? joinedByIfs(word) : word))
      : args,
    redirections: nodesAt(node, "redirections").map((redirection) => {
      const target = nodeAt(redirection, "target") ?? {}
      const { content } = target
      const written = isWord(content) ? { ...target, content: withQuotes(content) } : target
      return { ...redirection, target: isWord(target) ? joinedByIfs(target) : withIfs(written, "content") }
    }),
  }
}

/** Replaces `export -f NAME…` with a call of Perch's own program. */
const withExports = (node: Node): Node => {
  const args = nodesAt(node, "args")
  if (literalOf(node["name"]) !== "export" || literalOf(args[0]) !== "-f") return node
  return { ...node, name: wordOf(text(EXPORT_FUNCTIONS)), args: args.slice(1) }
}

/** The command or loop with arrays in place of the words that the interpreter expands incorrectly. */
const withExpandedWords = (given: Node, reading: Reading): Node => {
  const globbed = withGlobs({ before: [], node: given }, reading)
  const { before, node, plain } = withEarlyWords(withSplits(withLists(globbed), reading.variables))
  if (before.length === 0) return node
  const filled = [...before, statement(node)]
  if (plain === undefined) return group(filled)
  const unfilled = [statement(plain.node)]
  return Object.defineProperty(group([]), "body", {
    enumerable: true,
    get: () => (plain.isNeeded() ? filled : unfilled),
  })
}

/** `reading` parses a script that the node contains as text. */
export const formOf = (node: Node, reading: Reading): Node => {
  switch (node["type"]) {
    case "SimpleCommand": {
      const keyed = withKeys(withExports(withComputedKeys(node, reading)), reading.associative)
      return withExpandedWords(withJoinedWords(keyed, reading), reading)
    }
    case "ArithmeticCommand":
      return commandOf(withOperators(node), reading)
    case "CStyleFor":
      return loopOf(node, reading)
    case "CaseItem":
      return {
        ...node,
        patterns: nodesAt(node, "patterns").map((word) => withQuotedParts(withNegations(word), reading.variables)),
      }
    case "CondBinary": {
      const joined = withIfs({ ...node, right: withNegations(nodeAt(node, "right") ?? {}) }, "left", "right")
      if (node["operator"] !== "=~") return joined
      return { ...joined, right: withQuotedParts(nodeAt(joined, "right") ?? {}, reading.variables) }
    }
    case "CondUnary":
      return withIfs(node, "operand")
    case "Case":
      return withIfs(node, "word")
    case "Assignment":
      return withIfs(node, "value")
    case "For":
      return withExpandedWords(node, reading)
    case "ParameterExpansion":
      return withComputedKey(
        ofClock(
          ofCaller(
            namedError(
              counted(
                asList(
                  supported(withMatches(withSets(withOffset(withPlainSubscript(node, reading))), reading), reading),
                ),
              ),
            ),
          ),
          reading,
        ),
        reading,
      )
    case "DoubleQuoted":
      return withDefault(withJoined(node))
    case "TildeExpansion":
      // `~-` is the previous directory, and `~+` the current one.
      return node["user"] === "-" || node["user"] === "+"
        ? { type: "DoubleQuoted", parts: [variable(node["user"] === "-" ? "OLDPWD" : "PWD")] }
        : node
    case "ArithmeticExpansion":
      return expansionOf(node, reading)
    case "ArithVariable": {
      const name = String(node["name"])
      if (!CLOCKS.test(name)) return node
      const named = (): string => {
        reading.variables.get(name)
        return name
      }
      return Object.defineProperty({ ...node }, "name", { get: named })
    }
    case "ArithBracedExpansion":
      // The interpreter reads `${#}` as an empty name, and counts the characters of `${#@}`.
      return /^#[@*]?$/.test(String(node["content"])) ? { type: "ArithSpecialVar", name: "#" } : node
    default:
      return node
  }
}

const quote = program(QUOTE, async ([value = ""]) => ({ stdout: asPattern(value), stderr: "", exitCode: 0 }))

export const FORM_PROGRAMS: ReadonlyArray<Command> = [...GLOB_PROGRAMS, ...SPLIT_PROGRAMS, quote]
