// Receives the body of an awk function; returns whether it uses a parameter as an array, so that an unset variable becomes one.
import type { Definition, Expression } from "./program-tree.ts"

/** True when a function uses the parameter `name` as an array, itself or through functions that it calls. */
export const usesAsArray = (
  body: unknown,
  name: string,
  functions: ReadonlyMap<string, Definition>,
  depth = 0,
): boolean => {
  if (typeof body !== "object" || body === null || depth > 20) return false
  if (Array.isArray(body)) return body.some((item) => usesAsArray(item, name, functions, depth))
  // A node of the program's syntax tree.
  const node = body as {
    readonly type?: string
    readonly array?: string
    readonly name?: string
    readonly args?: ReadonlyArray<Expression>
  }
  if (node.array === name) return true
  if (
    node.type === "builtin" &&
    /^(?:split|asorti?|match)$/.test(node.name ?? "") &&
    node.args?.some((arg, at) => (at > 0 || node.name !== "split") && arg.type === "variable" && arg.name === name) ===
      true
  )
    return node.name !== "match" || node.args[2]?.type === "variable"
  if (node.type === "call") {
    const called = functions.get(node.name ?? "")
    const handed = node.args?.findIndex((arg) => arg.type === "variable" && arg.name === name) ?? -1
    const param = handed === -1 ? undefined : called?.params[handed]
    if (called !== undefined && param !== undefined && usesAsArray(called.body, param, functions, depth + 5))
      return true
  }
  return Object.values(node).some((inner) => usesAsArray(inner, name, functions, depth))
}
