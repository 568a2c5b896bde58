// References to variables (`local -n list=$1`). The interpreter resolves them for scalars only: `list+=(x)` would assign another
// array, and `${#list[@]}` would be 1.
// Receives a command before it runs; returns it with the names of the variables that the references refer to at that moment.
// Invariant: statements inside the command are left as they are: they are resolved when they run.
import { isNode, nodeAt, nodesAt, partsOf } from "../syntax/node-fields.ts"
import type { Node } from "../syntax/nodes.ts"

/** The fields of the interpreter's state that are read here. */
export interface NamerefState {
  readonly env: Map<string, string>
  readonly namerefs?: Set<string>
  readonly invalidNamerefs?: ReadonlySet<string>
}

type Targets = ReadonlyMap<string, string>

const NAME = /^[A-Za-z_]\w*$/
const MAX_STEPS = 10

/** The variable that a reference refers to, also through others; null for any other variable. */
export const targetOf = (name: string, { env, namerefs, invalidNamerefs }: NamerefState): string | null => {
  let target = name
  for (let step = 0; step < MAX_STEPS && namerefs?.has(target) === true; step += 1) {
    const next = env.get(target) ?? ""
    if (!NAME.test(next) || invalidNamerefs?.has(target) === true) return null
    target = next
  }
  return target === name || namerefs?.has(target) === true ? null : target
}

const targetsOf = (state: NamerefState): Targets => {
  const targets = new Map<string, string>()
  for (const name of state.namerefs ?? []) {
    const target = targetOf(name, state)
    if (target !== null) targets.set(name, target)
  }
  return targets
}

/** Replaces the name at the start of a text such as `list`, `list[@]`, `#list[@]` or `!list[@]`; `!list` stays as it is. */
const renamed = (text: unknown, targets: Targets): string =>
  String(text).replace(
    /^(?:(#?)([A-Za-z_]\w*)(?=\[|$)|(!)([A-Za-z_]\w*)(?=\[))/,
    (all, ...groups: Array<string | undefined>) => {
      const [hash, plain, mark, keys] = groups
      const target = targets.get(plain ?? keys ?? "")
      return target === undefined ? all : `${hash ?? mark ?? ""}${target}`
    },
  )

/** Commands whose arguments are names of variables, with their options that take a value. */
const ASSIGNS: Readonly<Record<string, RegExp | undefined>> = {
  read: /^-[a-zA-Z]*[pdtnNiu]$/,
  mapfile: /^-[a-zA-Z]*[dnOsuCc]$/,
  readarray: /^-[a-zA-Z]*[dnOsuCc]$/,
  unset: /^-[a-zA-Z]*n/,
}

/** The text of a word that consists of one text, quoted or not; null for any other word. */
const onlyText = (word: unknown): string | null => {
  const [only, more] = partsOf(word)
  if (only === undefined || more !== undefined) return null
  if (only["type"] === "DoubleQuoted") return onlyText(only)
  return only["type"] === "Literal" || only["type"] === "SingleQuoted" ? String(only["value"]) : null
}

const withText = (word: Node, value: string): Node => ({ ...word, parts: [{ type: "SingleQuoted", value }] })

/** The arguments of `read`, `mapfile`, `unset` and `printf -v`, with other names. */
const withNames = (command: Node, targets: Targets): Node => {
  const name = onlyText(command["name"]) ?? ""
  const args = nodesAt(command, "args")
  const texts = args.map(onlyText)
  const takesValue = Object.hasOwn(ASSIGNS, name) ? ASSIGNS[name] : undefined
  const isName = (at: number): boolean =>
    name === "printf"
      ? at === 1 && texts[0] === "-v"
      : takesValue !== undefined && !takesValue.test(texts[at - 1] ?? "") && !(name === "unset" && texts.includes("-f"))
  return {
    ...command,
    args: args.map((word, at) => {
      const text = isName(at) ? (texts[at] ?? null) : null
      const target = text === null ? null : renamed(text, targets)
      return target === null || target === text ? word : withText(word, target)
    }),
  }
}

/** True for `local -n list=$1` and `unset -n list`, which concern the reference itself. */
const isDeclaration = (command: Node): boolean => {
  const name = onlyText(command["name"]) ?? ""
  return (
    /^(?:declare|local|typeset|unset|readonly|export)$/.test(name) &&
    nodesAt(command, "args").some((word) => /^-[a-zA-Z]*[np]/.test(onlyText(word) ?? ""))
  )
}

const withTarget =
  (targets: Targets) =>
  (all: string, name: string): string =>
    targets.has(name) ? `$${targets.get(name)}` : all

const withOwnNames = (node: Node, targets: Targets): Node => {
  switch (node["type"]) {
    case "ParameterExpansion":
      return nodeAt(node, "operation")?.["type"] === "Indirection"
        ? node
        : { ...node, parameter: renamed(node["parameter"], targets).replace(/\$(\w+)/g, withTarget(targets)) }
    case "ArrayKeys":
    case "ArithArrayElement":
      return { ...node, array: renamed(node["array"], targets) }
    case "Assignment":
    case "ArithVariable":
      return { ...node, name: renamed(node["name"], targets) }
    case "ArithAssignment":
      return { ...node, variable: renamed(node["variable"], targets) }
    case "ArithBracedExpansion":
      return { ...node, content: renamed(node["content"], targets) }
    case "CondUnary": {
      const operand = nodeAt(node, "operand")
      const [first, ...rest] = partsOf(operand)
      if (node["operator"] !== "-v" || first?.["type"] !== "Literal") return node
      const value =
        rest.length === 0 ? renamed(first["value"], targets) : (targets.get(String(first["value"])) ?? first["value"])
      return { ...node, operand: { ...operand, parts: [{ ...first, value }, ...rest] } }
    }
    case "SimpleCommand":
      return withNames(node, targets)
    default:
      return node
  }
}

const resolved = (node: unknown, targets: Targets): unknown => {
  if (Array.isArray(node)) return node.map((item) => resolved(item, targets))
  if (!isNode(node)) return node
  const { type } = node
  if (type === "Statement" || type === "Script" || type === "FunctionDef") return node
  if (type === "SimpleCommand" && isDeclaration(node)) return node
  const copy: Node = {}
  for (const [key, value] of Object.entries(node)) copy[key] = resolved(value, targets)
  return withOwnNames(copy, targets)
}

/** The command with the names of the variables that references refer to; the command itself if there are no references. */
export const withTargets = (state: NamerefState, command: unknown): unknown => {
  if (state.namerefs === undefined || state.namerefs.size === 0) return command
  const targets = targetsOf(state)
  return targets.size === 0 ? command : resolved(command, targets)
}
