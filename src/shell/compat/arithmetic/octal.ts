// Octal numbers in variables (`x=010; $((x))` is 8): the interpreter reads the value of a variable as a decimal number.
// Receives a node of an expression; returns it with operands that are evaluated as octal numbers if their variable has one.
// Invariant: names that are assigned, and subscripts, stay variables.
import type { Node } from "../../syntax/nodes.ts"

/** The value of a variable in the shell that is running. */
export type ValueOf = (name: string) => string | undefined

const OCTAL = /^\s*0\d+\s*$/
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
const operand = (node: Node, valueOf: ValueOf): Node => {
  const name = String(node["type"] === "ArithVariable" ? node["name"] : node["content"])
  if (!/^Arith(?:Variable|BracedExpansion)$/.test(String(node["type"])) || !NAME.test(name)) return node
  const octal = (): string | null => {
    const value = valueOf(name) ?? ""
    return OCTAL.test(value) ? value.trim() : null
  }
  return Object.defineProperties({ ...node, name, content: name, prefix: name, suffix: "" } as Node, {
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

export const withOctals = (node: Node, valueOf: ValueOf): Node => {
  const type = String(node["type"])
  const keys = Object.hasOwn(OPERANDS, type) ? (OPERANDS[type] ?? []) : []
  if (type === "ArithUnary" && /^(?:\+\+|--)$/.test(String(node["operator"]))) return node
  const copy = { ...node }
  for (const key of keys) if (typeof copy[key] === "object") copy[key] = operand(copy[key] as Node, valueOf)
  return copy
}
