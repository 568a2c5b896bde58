// Receives an arithmetic node of a parsed script whose expression contains `$(…)` as text; returns an equivalent node in
// which those commands run first, in the script's own shell: they share its variables, arguments and functions.
// Invariant: a node that is not fully understood, or that assigns inside an expansion, is returned unchanged.
import type { Variables } from "../../session.ts"
import { withTextKey } from "./text-keys.ts"
import { isNode, nodeAt, nodesAt } from "../../syntax/node-fields.ts"
import { assignment, type Node, simple, statement, substitution, text, variable, wordOf } from "../../syntax/nodes.ts"

/** Facts about the script that contains a node. */
export interface Reading {
  /** Returns the rewritten statements of a script; null when it does not parse. */
  readonly read: (source: string) => ReadonlyArray<Node> | null
  /** Names of the arrays that it declares with `-A`: their subscripts are texts. */
  readonly associative: ReadonlySet<string>
  readonly variables: Variables
  /** True if the script mentions `nocaseglob`. */
  readonly ignoresCase: boolean
  /** True if `&` in a replacement is the matched text: the script does not turn off `patsub_replacement`. */
  readonly insertsMatches: boolean
  /** Makes the script fail before anything runs, because of a form that this shell does not support. */
  readonly refuse: (form: string) => void
}

const NAME = "__perch_value_"

/** A command in the expression, and its position there. */
interface Inner {
  readonly script: string
  readonly from: number
  readonly to: number
}

/** The index after the closing character of the text that starts at `from`, skipping quotes; beyond the text if it is missing. */
const endOf = (source: string, from: number, close: string): number => {
  for (let at = from; at < source.length; at += 1) {
    const letter = source.charAt(at)
    if (letter === close) return at + 1
    if (letter === "\\") at += 1
    else if (letter === "'" && close !== '"') at = source.indexOf("'", at + 1)
    else if (letter === '"') at = endOf(source, at + 1, '"') - 1
    else if (letter === "(" || letter === "{") at = endOf(source, at + 1, letter === "(" ? ")" : "}") - 1
    if (at < from) return source.length + 1
  }
  return source.length + 1
}

/** Matches the expansions in braces that the interpreter evaluates: of a name, lengths, and numbers as defaults. */
const EVALUATED = /^\$\{(?:[@*?$!#-]|[#!]?\w+|#\w+\[[@*]\]|\w+\[\d+\]|\w+:?[-+]\d*|\w+:?[=?][^}]*)\}/
/** Matches all others but elements whose subscript is a name or a number, which it evaluates in an assignment. */
const MISREAD = /^\$\{(?!\w+\[\$?\w+\]\})/
/** Matches subscripts outside of braces that it does not evaluate: quoted, or no word: `count["a b"]`, `cell[$x,$y]`. */
const NAMED_SUBSCRIPT = /^(\w+)\[(?!\w+\])("?)/
/** Matches a key to which the interpreter assigns. */
const ASSIGNABLE = /^(?:\$\w+|"[^"$,`]*"|"\$\w+")$/
const isText = (found: RegExpExecArray | null, associative: ReadonlySet<string>): boolean =>
  found !== null && (found[2] === '"' || associative.has(found[1] ?? ""))
const ASSIGNS = /^\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))/

/** Matches a number with a base and an expansion: `10#$x`, `10#${x}`. */
const WITH_BASE = /^\d+#\$(?:\w+|(?=\{))/

/**
 * The commands to run before the expression. They are found in its source, because the parser's nodes have lost the quotes inside
 * it. `withBases`: also commands that evaluate numbers with a base by `$((…))`.
 */
const innerOf = (source: string, { associative }: Reading, withBases: boolean): ReadonlyArray<Inner> => {
  const found: Array<Inner> = []
  const add = (from: number, to: number, script: string) => {
    found.push({ script, from, to })
    return to - 1
  }
  for (let at = 0; at < source.length; at += 1) {
    const rest = source.slice(at)
    const [based] = withBases && !/\w/.test(source.charAt(at - 1)) ? (WITH_BASE.exec(rest) ?? []) : []
    if (rest.startsWith("\\")) at += 1
    else if (based !== undefined) {
      const to = based.endsWith("$") ? endOf(source, at + based.length + 1, "}") : at + based.length
      at = add(at, to, `printf %s "$((${source.slice(at, to)}))"`)
    } else if (rest.startsWith("`")) {
      const to = endOf(source, at + 1, "`")
      at = add(at, to, source.slice(at + 1, to - 1))
    } else if (rest.startsWith("$(") && !rest.startsWith("$((")) {
      const to = endOf(source, at + 2, ")")
      at = add(at, to, source.slice(at + 2, to - 1))
    } else if (/^\$\d/.test(rest) && /[\w#]/.test(source.charAt(at - 1))) {
      // After a base or digits (`16#$1`, `0x$1`), the interpreter reads no argument.
      at = add(at, at + 2, `printf %s "${rest.slice(0, 2)}"`)
    } else if (rest.startsWith("${")) {
      const to = endOf(source, at + 2, "}")
      // In `10#${x}`, the interpreter reads only the digits before the braces.
      at =
        EVALUATED.test(rest) && source.charAt(at - 1) !== "#"
          ? to - 1
          : add(at, to, `printf %s "${source.slice(at, to)}"`)
    } else if (!/[\w$]/.test(source.charAt(at - 1)) && isText(NAMED_SUBSCRIPT.exec(rest), associative)) {
      const from = at + rest.indexOf("[") + 1
      const to = endOf(source, from, "]")
      const key = source.slice(from, to - 1)
      const incremented = /(?:\+\+|--)\s*$/.test(source.slice(0, at))
      if (!incremented && !ASSIGNS.test(source.slice(to))) at = add(at, to, `printf %s "\${${source.slice(at, to)}}"`)
      else at = ASSIGNABLE.test(key) ? to - 1 : add(from, to - 1, `printf %s ${inQuotes(key)}`)
    }
  }
  return found
}

const inQuotes = (key: string): string => (/^"[\s\S]*"$/.test(key) ? key : `"${key}"`)

/** True if an expression assigns. */
export const assigns = (node: unknown): boolean => {
  if (typeof node !== "object" || node === null) return false
  const { type, operator } = isNode(node) ? node : {}
  if (String(type).includes("Assignment") || operator === "++" || operator === "--") return true
  return Object.values(node).some(assigns)
}

/** The first command of a script; empty if it does not parse. */
const commandIn = (source: string, { read }: Reading): Node => {
  const [first] = read(source) ?? []
  const [pipeline] = nodesAt(first ?? {}, "pipelines")
  return nodesAt(pipeline ?? {}, "commands")[0] ?? {}
}

/** Parses a text as an expression; null if that fails. */
const expressionIn = (source: string, reading: Reading): Node | null => {
  const [word] = nodesAt(commandIn(`: $((${source}))`, reading), "args")
  const [part] = nodesAt(word ?? {}, "parts")
  return part?.["type"] === "ArithmeticExpansion" ? nodeAt(part, "expression") : null
}

interface Split {
  readonly before: ReadonlyArray<Node>
  readonly expression: Node
  readonly assigns: boolean
  /** True if a key or an expansion in braces is computed before the expression, which the interpreter itself misreads. */
  readonly computed: boolean
}

const MAY_HAVE_INNER = /\$\(|`|\$\{(?!\w+\})|\w\[(?!\w+\])|#\$|\w\$\d/

/** The commands in the expression of a node, and the rest of it; null if there are none, or the expression is not understood. */
const split = (node: Node, reading: Reading, withBases: boolean): Split | null => {
  const source = String(nodeAt(node, "expression")?.["originalText"])
  if (!MAY_HAVE_INNER.test(source)) return null
  const inner = innerOf(source, reading, withBases)
  if (inner.length === 0 || inner.some(({ to }) => to > source.length)) return null
  const before: Array<Node> = []
  let [named, at] = ["", 0]
  for (const [index, { script, from, to }] of inner.entries()) {
    const statements = reading.read(script)
    if (statements === null) return null
    const value = wordOf({ type: "DoubleQuoted", parts: [substitution(statements)] })
    before.push(statement(simple(null, [], [assignment(`${NAME}${index + 1}`, value)])))
    // In the key of an associative array, a name is a text. What a command prints may be a part of an expression (`1 +`), like a
    // list that is joined by IFS; the interpreter evaluates parts only in `$((…))`.
    const isPart = !withBases && /^(?:\$\(|`|\$\{\w+\[[@*])/.test(source.slice(from))
    const isExpanded = isPart || /[\w#[]/.test(source.charAt(from - 1))
    named += `${source.slice(at, from)}${isExpanded ? "$" : ""}${NAME}${index + 1}`
    at = to
  }
  const rest = expressionIn(named + source.slice(at), reading)
  const computed = inner.some(
    ({ from, script }) =>
      script.startsWith("printf") && (source.charAt(from - 1) === "[" || MISREAD.test(source.slice(from))),
  )
  return rest === null ? null : { before, expression: rest, assigns: assigns(rest), computed }
}

/** Matches `$1` and `$#` in a subscript: the interpreter reads only `${1}` in that of an associative array. */
const POSITIONAL = /\$([\d#?])/g

/** Rewrites `${a[$((i + 1))]}` to `${a[(i + 1)]}`: the interpreter does not support this expansion inside a subscript. */
export const withPlainSubscript = (given: Node, { associative }: Reading): Node => {
  const parameter = String(given["parameter"])
  const [, name = ""] = /^[#!]?(\w+)\[/.exec(parameter) ?? []
  if (name === "") return given
  const part = parameter.includes("$(") ? given : { ...given, parameter: parameter.replace(POSITIONAL, "${$1}") }
  if (!parameter.includes("$((") || associative.has(name)) return part
  let [plain, rest] = ["", parameter]
  for (let at = rest.indexOf("$(("); at !== -1; at = rest.indexOf("$((")) {
    const end = endOf(rest, at + 3, ")")
    if (rest.charAt(end) !== ")") return part
    plain += `${rest.slice(0, at)}(${rest.slice(at + 3, end - 1)})`
    rest = rest.slice(end + 1)
  }
  return { ...part, parameter: plain + rest }
}

const KEY = "__perch_key"

/** Matches what the interpreter does not expand in the subscript of an element: commands, and operations in braces. */
const UNEXPANDED = /\$\((?!\()|`|\$\{(?!#?\w+\})/

/** The assignment of a key to the variable `name`; undefined if the key does not parse. */
const keyAssignment = (name: string, key: string, reading: Reading): Node | undefined =>
  nodesAt(commandIn(`${name}=${inQuotes(key)}`, reading), "assignments")[0]

/** The assignments of a command, in which a key that the interpreter misreads is computed first. */
export const withComputedKeys = (command: Node, reading: Reading): Node => {
  const assignments = nodesAt(command, "assignments").flatMap((one, at) => {
    const [, name = "", key = ""] = /^(\w+)\[([\s\S]*)\]$/.exec(String(one["name"])) ?? []
    if (!UNEXPANDED.test(key)) return [one]
    const computed = keyAssignment(`${KEY}${at}`, key, reading)
    return computed === undefined ? [one] : [computed, { ...one, name: `${name}[$${KEY}${at}]` }]
  })
  return command["name"] === null ? { ...command, assignments } : command
}

/**
 * Reads `${m[$i,$((j + 1))]}`, `${a[$(cmd)]}` and `${m[${x%.c}]}` in two steps: the interpreter runs the commands of a subscript in
 * a shell without the script's variables, takes `$((…))` for one, and ends a key at its first brace.
 */
export const withComputedKey = (part: Node, reading: Reading): Node => {
  const { associative } = reading
  const [, name = "", key = ""] = /^(\w+)\[([\s\S]*)\]$/.exec(String(part["parameter"])) ?? []
  if (!UNEXPANDED.test(key) && !(associative.has(name) && key.includes("$("))) return withTextKey(part, reading)
  const computed = keyAssignment(KEY, key, reading)
  if (computed === undefined) return part
  const subscript = associative.has(name) ? `'$${KEY}'` : `$${KEY}`
  const value = { type: "DoubleQuoted", parts: [variable(`${name}[${subscript}]`, nodeAt(part, "operation"))] }
  return substitution([
    statement(simple(null, [], [computed])),
    statement(simple("printf", [wordOf(text("%s")), wordOf(value)])),
  ])
}

/** Replaces `$((…))` with a substitution in which the commands run first and then the result is printed. */
export const expansionOf = (node: Node, reading: Reading): Node => {
  const parts = split(node, reading, false)
  if (parts?.assigns === true && parts.computed)
    reading.refuse(
      "an assignment to an element with this key inside $((…)), or with such a ${…}: assign in ((…)) instead",
    )
  if (parts === null || parts.assigns) return node
  const sum = variable(`${NAME}0`)
  const computed = wordOf({ ...node, expression: parts.expression })
  return substitution([
    ...parts.before,
    statement(simple(null, [], [assignment(`${NAME}0`, computed)])),
    statement(simple("printf", [wordOf(text("%s")), wordOf({ type: "DoubleQuoted", parts: [sum] })])),
  ])
}

/** Replaces `((…))` with a group that runs its commands first. */
export const commandOf = (node: Node, reading: Reading): Node => {
  // The interpreter evaluates `10#$x` only in `$((…))`.
  const parts = split(node, reading, true)
  if (parts === null) return node
  const { redirections = [], ...command } = node
  const body = [...parts.before, statement({ ...command, expression: parts.expression, redirections: [] })]
  return { type: "Group", body, redirections }
}

/** Matches a number with a base and a variable. */
const BASED_VARIABLE = /\b(\d+)#\$(?:(\w+)|\{(\w+)\})/g

/** Evaluates `10#$x` in the three expressions of a `for ((…))`, each time that they are evaluated. */
export const loopOf = (node: Node, reading: Reading): Node => {
  const { variables } = reading
  const copy = { ...node }
  for (const key of ["init", "condition", "update"]) {
    const part = nodeAt(node, key)
    const based: Array<{ readonly base: string; readonly name: string }> = []
    const source = String(part?.["originalText"]).replace(BASED_VARIABLE, (_, base, plain, braced) => {
      based.push({ base: String(base), name: String(plain ?? braced) })
      return `${NAME}${key}_${based.length}`
    })
    const parsed = based.length === 0 ? null : expressionIn(source, reading)
    if (parsed === null) continue
    copy[key] = Object.defineProperty({ ...part }, "expression", {
      enumerable: true,
      get: () => {
        for (const [at, { base, name }] of based.entries()) {
          variables.set(`${NAME}${key}_${at + 1}`, `${base}#${variables.get(name) ?? ""}`)
        }
        return parsed["expression"]
      },
    })
  }
  return copy
}
