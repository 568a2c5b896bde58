// Octal numbers in variables (`x=010; $((x))` is 8): the interpreter reads the value of a variable as a decimal number, and in
// `((x++))` and `((x += 1))` only its first digits.
// Receives a node of an expression; returns it with operands that are evaluated as octal numbers if their variable has one, and
// with changed variables whose value is first written as a decimal number.
// Invariant: names that are assigned, and subscripts, stay variables.
import { keepDigits, withExactValue } from "./constants.ts"
import { isNode, nodeAt } from "../../syntax/node-fields.ts"
import type { Node } from "../../syntax/nodes.ts"

/** The variables of the shell that is running. */
export interface Variables {
  readonly get: (name: string) => string | undefined
  readonly set: (name: string, value: string) => void
}

const OCTAL = /^\s*0\d+\s*$/
/** Matches a number with a base: `0x1f`, `010`, `2#101`. */
const BASED = /^\s*([-+]?)(?:0[xX]([\da-fA-F]+)|0([0-7]+)|(\d+)#([\da-zA-Z]+))\s*$/
const NAME = /^[A-Za-z_]\w*$/

/** The operands of each kind of node. */
const OPERANDS: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  ArithBinary: ["left", "right"],
  ArithTernary: ["condition", "consequent", "alternate"],
  ArithAssignment: ["value"],
  ArithGroup: ["expression"],
  ArithNested: ["expression"],
  ArithUnary: ["operand"],
  ArithmeticExpression: ["expression"],
}

/** Evaluated as a number in the notation of a constant when its variable has an octal number. */
const operand = (node: Node, variables: Variables): Node => {
  const name = String(node["type"] === "ArithVariable" ? node["name"] : node["content"])
  if (!/^Arith(?:Variable|BracedExpansion)$/.test(String(node["type"])) || !NAME.test(name)) return node
  const octal = (): string | null => {
    const value = variables.get(name) ?? ""
    return OCTAL.test(value) ? value.trim() : null
  }
  const copy: Node = { ...node, name, content: name, prefix: name, suffix: "" }
  return Object.defineProperties(copy, {
    type: {
      enumerable: true,
      get: () => {
        const value = octal()
        if (value !== null) return /[89]/.test(value) ? "ArithSyntaxError" : "ArithDynamicNumber"
        // The interpreter reads only the digits at the start of `${x}`.
        return "ArithVariable"
      },
    },
    message: {
      enumerable: true,
      get: () => `${octal() ?? ""}: value too great for base (error token is "${octal() ?? ""}")`,
    },
  })
}

/** The decimal form of a number with a base; null for any other value. */
export const decimalOf = (value: string): string | null => {
  const [, sign = "", hex, octal, base, digits = ""] = BASED.exec(value) ?? []
  const text = hex ?? octal ?? digits
  const radix = hex !== undefined ? 16 : octal !== undefined ? 8 : Number(base)
  const number = radix >= 2 && radix <= 36 ? Number.parseInt(text, radix) : Number.NaN
  return Number.isSafeInteger(number) ? `${sign}${number}` : null
}

/** A node that changes the variable `name`; reading the type of the node writes the variable's value as a decimal number. */
const changing = (node: Node, name: string, { get, set }: Variables): Node => {
  const { type } = node
  return Object.defineProperty({ ...node }, "type", {
    enumerable: true,
    get: () => {
      const decimal = decimalOf(get(name) ?? "")
      if (decimal !== null) set(name, decimal)
      return type
    },
  })
}

/** `x = x + 1` for `x += 1`: the interpreter computes the latter with 53 bits, and divides by 0 without an error. */
const assigned = (node: Node, variables: Variables): Node => {
  const { variable, operator, value } = node
  const left = { type: "ArithVariable", name: variable }
  const sum = { type: "ArithBinary", operator: String(operator).slice(0, -1), left, right: value }
  return withOctals({ ...node, operator: "=", value: withOctals(sum, variables) }, variables)
}

export const withOctals = (node: Node, variables: Variables): Node => {
  const type = String(node["type"])
  const keys = Object.hasOwn(OPERANDS, type) ? (OPERANDS[type] ?? []) : []
  if (type === "ArithUnary" && /^(?:\+\+|--)$/.test(String(node["operator"]))) {
    const { type: kind, name } = nodeAt(node, "operand") ?? {}
    return kind === "ArithVariable" ? changing(node, String(name), variables) : node
  }
  if (type === "ArithAssignment" && node["operator"] !== "=" && node["subscript"] == null && node["stringKey"] == null)
    return assigned(node, variables)
  const copy = { ...node }
  for (const key of keys) {
    const inner = copy[key]
    if (isNode(inner)) copy[key] = operand(inner, variables)
  }
  if (type === "ArithmeticExpression") keepDigits(copy)
  const root = type === "ArithmeticExpression" ? "expression" : copy["operator"] === "=" ? "value" : ""
  if (/^Arith(?:Binary|Unary|Ternary|Group|Nested|Variable)$/.test(String(nodeAt(copy, root)?.["type"])))
    copy[root] = withExactValue(nodeAt(copy, root) ?? {}, variables.get)
  return copy
}
