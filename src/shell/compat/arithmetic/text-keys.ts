// Keys of associative arrays that contain `$` or are `*` or `@`: the interpreter expands a key, and then the result. Only the
// names in a key that is in quotes are expanded once.
// Receives an expansion whose children are already rewritten; returns it with such a key.
// Invariant: a key that contains anything but text, arguments and variables is unchanged.
import { nodeAt } from "../../syntax/node-fields.ts"
import type { Node } from "../../syntax/nodes.ts"
import type { Reading } from "./arithmetic.ts"

const KEY = "__perch_key_"

/** Matches a key of text, arguments and variables. */
const OF_VARIABLES = /^(#?(\w+)\[)("?)((?=[^$]*\$)(?:[^$"'\\`]|\$(?:\d|[A-Za-z_]\w*))+)\3\]$/
/** Matches a quoted key that would be expanded, or taken for all elements. */
const LITERAL = /^(#?(\w+)\[)'([^']*[$@*][^']*)'\]$/
const BRACED = /\$\{(\d|[A-Za-z_]\w*)\}(?!\w)/g

/** The part with a parameter that is computed when the part is expanded. */
export const withParameter = (part: Node, get: () => string): Node =>
  Object.defineProperty({ ...part }, "parameter", { enumerable: true, get })

export const withTextKey = (part: Node, { associative, variables, refuse }: Reading): Node => {
  const parameter = String(part["parameter"])
  const [, owner = ""] = /^(\w+)\[/.exec(parameter) ?? []
  // The interpreter would assign to another key.
  if (associative.has(owner) && nodeAt(part, "operation")?.["type"] === "AssignDefault") refuse(`\${${parameter}=…}`)
  const [, start, name = "", literal = ""] = LITERAL.exec(parameter) ?? []
  if (associative.has(name))
    return withParameter(part, () => {
      const variable = `${KEY}${Buffer.from(literal).toString("hex")}`
      variables.set(variable, literal)
      return `${start}'$${variable}']`
    })
  const [, before, array = "", , key = ""] = OF_VARIABLES.exec(parameter.replace(BRACED, "$$$1")) ?? []
  if (!associative.has(array)) return part
  const quoted = `${before}'${key}']`
  const names = Array.from(key.matchAll(/\$(\d|\w+)/g), ([, one = ""]) => one)
  return withParameter(part, () => {
    // Arrays, variables such as RANDOM, and those that are not set are left to the interpreter.
    if (names.some((one) => variables.get(one) === undefined)) return parameter
    return quoted.replace(/\$(\d)/g, (_, argument) => {
      variables.set(`${KEY}${argument}`, variables.get(String(argument)) ?? "")
      return `$${KEY}${argument}`
    })
  })
}
