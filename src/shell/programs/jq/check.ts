// Receives the syntax tree of a filter; reports undefined names before anything runs.
import type { Node, Pattern } from "./filter.ts"
import { namesOf } from "./scope.ts"
import { FilterError } from "./tokens.ts"

export interface Known {
  /** Filters as `name/arity`; formats by their name. */
  readonly filters: ReadonlySet<string>
  readonly variables: ReadonlySet<string>
}

const widened = (known: Known, filters: ReadonlyArray<string>, variables: ReadonlyArray<string> = []): Known => ({
  filters: filters.length === 0 ? known.filters : new Set([...known.filters, ...filters]),
  variables: variables.length === 0 ? known.variables : new Set([...known.variables, ...variables]),
})

const checkPattern = (pattern: Pattern, known: Known): void => {
  if (pattern.type === "items") for (const item of pattern.items) checkPattern(item, known)
  if (pattern.type !== "fields") return
  for (const { key, value } of pattern.fields) {
    checkNames(key, known)
    if (value !== null) checkPattern(value, known)
  }
}

/** The known names together with those that the patterns bind. */
const bound = (patterns: ReadonlyArray<Pattern>, known: Known): Known => {
  const inner = widened(known, [], patterns.flatMap(namesOf))
  for (const pattern of patterns) checkPattern(pattern, inner)
  return inner
}

const requireName = (isDefined: boolean, name: string): void => {
  if (!isDefined) throw new FilterError(`${name} is not defined`)
}

export const checkNames = (node: Node, known: Known): void => {
  switch (node.type) {
    case "call":
      requireName(known.filters.has(`${node.name}/${node.args.length}`), `${node.name}/${node.args.length}`)
      for (const arg of node.args) checkNames(arg, known)
      return
    case "variable":
      return requireName(known.variables.has(node.name), node.name)
    case "format":
      return requireName(known.filters.has(node.name), node.name)
    case "label":
      return checkNames(node.body, widened(known, [], [`*${node.name}`]))
    case "break":
      return requireName(known.variables.has(`*${node.name}`), `$*label-${node.name.slice(1)}`)
    case "define": {
      const own = `${node.name}/${node.params.length}`
      const params = node.params.map((param) => `${param.replace("$", "")}/0`)
      const variables = node.params.filter((param) => param.startsWith("$"))
      checkNames(node.body, widened(known, [own, ...params], variables))
      return checkNames(node.rest, widened(known, [own]))
    }
    case "bind":
      checkNames(node.source, known)
      return checkNames(node.body, bound(node.patterns, known))
    case "reduce":
    case "foreach": {
      checkNames(node.source, known)
      checkNames(node.start, known)
      const inner = bound(node.patterns, known)
      checkNames(node.update, inner)
      if (node.type === "foreach" && node.extract !== null) checkNames(node.extract, inner)
      return
    }
    case "text":
      if (node.format !== null) requireName(known.filters.has(node.format), node.format)
      for (const part of node.parts) if (typeof part !== "string") checkNames(part, known)
      return
    case "object":
      for (const [key, value] of node.fields) {
        checkNames(key, known)
        checkNames(value, known)
      }
      return
    default:
      for (const inner of Object.values(node))
        // In the other kinds of nodes, every object is a node.
        if (typeof inner === "object" && inner !== null && "type" in inner) checkNames(inner as Node, known)
  }
}
