// The words of a command with assignments before it: `x=1 echo "$x"` prints the x that was there before. The interpreter assigns
// first.
// Receives a command whose words are already rewritten; returns it with an array in place of its arguments, which is filled
// directly before it.
// Invariant: a command whose arguments don't refer to what it assigns is unchanged.
import { type Filled, quoted, variable } from "../../syntax/nodes.ts"
import { isNode, nodesAt, partsOf } from "../../syntax/node-fields.ts"
import { assigned } from "./lists.ts"

const ARGUMENTS = "__perch_arguments"
const DECLARES = /^(?:local|declare|typeset|export|readonly)$/
/** The members of nodes that refer to variables, as names or in a text. */
const REFERS = /^(?:parameter|name|array|prefix|originalText|command)$/
const EXPANDED = /^(?:ParameterExpansion|CommandSubstitution|ArithmeticExpansion)$/

/** True for a node that refers to one of the names. Every unquoted expansion refers to IFS. */
const refers = (node: unknown, names: RegExp, splits: boolean): boolean => {
  if (Array.isArray(node)) return node.some((item) => refers(item, names, splits))
  if (!isNode(node)) return false
  if (splits && EXPANDED.test(String(node["type"]))) return true
  return Object.entries(node).some(([key, value]) =>
    typeof value === "string" ? REFERS.test(key) && names.test(value) : refers(value, names, splits),
  )
}

export const withEarlyWords = (unchanged: Filled): Filled => {
  const { before, node } = unchanged
  const [args, assignments] = [nodesAt(node, "args"), nodesAt(node, "assignments")]
  if (node["type"] !== "SimpleCommand" || node["name"] === null) return unchanged
  const names = assignments.map((one) => String(one["name"]).replace(/\[.*$/s, ""))
  const [first] = partsOf(node["name"])
  if (names.length === 0 || args.length === 0 || DECLARES.test(String(first?.["value"]))) return unchanged
  if (!refers(args, new RegExp(`\\b(?:${names.join("|")})\\b`), names.includes("IFS"))) return unchanged
  return {
    before: [...before, assigned(ARGUMENTS, args)],
    node: { ...node, args: [quoted(variable(`${ARGUMENTS}[@]`))] },
  }
}
