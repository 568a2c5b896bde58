// Assignments and folds of jq: `=`, `|=`, `+=`, `reduce` and `foreach`.
// Invariant: an assignment changes what its paths lead to and nothing else.
import type { Node } from "./filter.ts"
import type { Json } from "./json.ts"
import { compute, deletePaths, getPath, type Path, setPath } from "./paths.ts"
import { computed, isTrue, type Item, type Items } from "./item.ts"
import type { Machine } from "./run.ts"
import type { Scope } from "./scope.ts"

const firstOf = (values: Iterable<Json>): Json | undefined => {
  for (const value of values) return value
  return undefined
}

const changed = (operator: string, old: Json, given: Json): Json => {
  if (operator === "=") return given
  return operator === "//=" ? (isTrue(old) ? old : given) : compute(operator.slice(0, -1), old, given)
}

export function* assigned(
  machine: Machine,
  { operator, left, right }: Extract<Node, { type: "assign" }>,
  scope: Scope,
  input: Item,
): Items {
  const { value } = input
  const paths = machine.paths((item) => machine.run(left, scope, item), value)
  if (operator === "|=") {
    let result = value
    const empty: Array<Path> = []
    for (const path of paths) {
      const first = firstOf(machine.values(right, scope, { value: getPath(result, path), path: null }))
      if (first === undefined) empty.push(path)
      else result = setPath(result, path, first)
    }
    return yield computed(deletePaths(result, empty), input)
  }
  for (const given of machine.values(right, scope, input)) {
    let result = value
    for (const path of paths) result = setPath(result, path, changed(operator, getPath(result, path), given))
    yield computed(result, input)
  }
}

export function* folded(
  machine: Machine,
  node: Extract<Node, { type: "reduce" | "foreach" }>,
  scope: Scope,
  input: Item,
): Items {
  const { source, patterns, start, update } = node
  for (const first of machine.run(start, scope, input)) {
    let state: Item | null = first
    for (const value of machine.values(source, scope, input)) {
      const from: Item = state ?? computed(null, input)
      if (node.type === "reduce") state = null
      const updates = machine.bound(
        patterns,
        value,
        scope,
        (inner) => withScope(machine.run(update, inner, from), inner),
        input,
      )
      for (const item of updates) {
        state = item
        if (node.type === "reduce") continue
        const { scope: inner } = item as Scoped
        if (node.extract === null) yield item
        else yield* machine.run(node.extract, inner, { value: item.value, path: item.path })
      }
    }
    if (node.type === "reduce") yield state ?? computed(null, input)
  }
}

interface Scoped extends Item {
  readonly scope: Scope
}

/** Results with the scope that they were made in, which `foreach` extracts in. */
function* withScope(items: Items, scope: Scope): Generator<Scoped> {
  for (const item of items) yield { ...item, scope }
}
